"""Tokens as a device reads them: as which node it reports. Only the service can tell whether a token is genuine."""

import base64
import binascii
import json
import re
from collections.abc import Callable
from typing import TypeAlias

from privge.errors import BadData
from privge.ids import node_key

TokenOf: TypeAlias = Callable[[str | int], str]
"""Returns the token of a node."""

_LONGEST = 4096


def node_of(token: str, campaign: str) -> str | int:
    """Return the node that a token names; refuse what is no token, or one for another campaign."""
    text = token.strip()
    if len(text) > _LONGEST or not re.fullmatch(r"[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+", text):
        raise BadData("the token is not one: it has two parts with a dot between them")
    payload = text.split(".")[0]
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        node, meant = claims["node"], claims["campaign"]
        node_key(node)
    except (ValueError, binascii.Error, TypeError, KeyError, RecursionError):
        raise BadData("the token cannot be read: it names no node and campaign") from None  # the cause may quote it
    if meant not in (None, campaign):
        raise BadData("the token is for another campaign")
    found: str | int = node
    return found
