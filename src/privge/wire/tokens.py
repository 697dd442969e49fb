"""Capability tokens: the platform says who a device speaks for; the service believes nothing else.

A token is ``payload.signature``, both base64url without padding. The payload is the JSON object
``{"node", "campaign", "expires", "key"}`` (`privge.wire.bodies.TokenPayload`); the signature is the HMAC-SHA256 of the
payload's text. Two keys may be active, so that keys rotate while tokens of both are about: the first mints, both
verify.

*What is promised.* Nothing of a token is read before its signature held under a key of the service. Both signatures are
always computed and compared in constant time. Every refusal is the same `InvalidToken`: it does not say whether the
signature, the time, the form or the campaign was wrong.

A device, which has no key, only reads as which node it reports (`node_of`).
"""

import base64
import binascii
import hmac
import json
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from privge._imports import needed
from privge.errors import BadData, PrivgeError
from privge.ids import node_key
from privge.wire.limits import MAX_TOKEN, checked_key

LEEWAY: Final = 86_400
"""Seconds a token is honoured beyond its expiry: the clocks of platform and service may be a day apart."""

TokenOf: TypeAlias = Callable[[str | int], str]
"""Returns the token of a node."""

_LEAST_SECRET = 32


class InvalidToken(PrivgeError):
    """A token is not good for what it was shown for. Never says why."""

    def __init__(self) -> None:
        super().__init__("the token is not valid here")


@dataclass(frozen=True, slots=True)
class Key:
    """A signing key: a short public name and at least 32 secret bytes."""

    id: str
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not (self.id.isascii() and self.id.isalnum() and len(self.id) <= 16):
            raise BadData("the name of a key must be 1 to 16 ASCII letters and digits")
        if len(self.secret) < _LEAST_SECRET:
            raise BadData(f"the secret of key {self.id} must have at least {_LEAST_SECRET} bytes")

    @classmethod
    def new(cls) -> "Key":
        """Draw a key from the operating system's randomness."""
        return cls(secrets.token_hex(4), secrets.token_bytes(_LEAST_SECRET))


class Grant(NamedTuple):
    """What a verified token allows: to speak for a node, in one campaign or (None) in all."""

    node: str | int
    campaign: str | None


def mint(key: Key, *, node: str | int, campaign: str | None = None, expires: int) -> str:
    """Return a token for a node, good until ``expires`` (Unix seconds)."""
    try:
        checked_key(node)
    except (TypeError, ValueError) as error:
        raise BadData(str(error)) from None
    if isinstance(node, str) and node != node.strip():
        raise BadData("the node id begins or ends with white space, which no file of a graph may hold")
    if campaign is not None and not re.fullmatch("[0-9a-f]{64}", campaign):
        raise BadData("the id of a campaign has 64 hexadecimal digits")
    payload = {"node": node, "campaign": campaign, "expires": int(expires), "key": key.id}
    return signed(key, json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode())


def signed(key: Key, payload: bytes) -> str:
    """Return a payload as a token; `mint` sees to it that it is one that the service reads."""
    text = _base64url(payload)
    return (text + b"." + _signature(key, text)).decode()


class Verifier:
    """Check tokens against the active keys.

    Parameters
    ----------
    keys
        The active key; two of them while keys rotate.
    leeway
        Seconds that a token is honoured beyond its expiry.
    """

    def __init__(self, keys: Sequence[Key], *, leeway: float = LEEWAY) -> None:
        if not 1 <= len(keys) <= 2:
            raise BadData(f"one or two keys may be active, got {len(keys)}")
        if len({key.id for key in keys}) < len(keys):
            raise BadData("two keys have the same name")
        with needed("the service"):  # here, and not for whoever mints or reads tokens alone
            import msgspec

            from privge.wire.bodies import TokenPayload
        self._keys = tuple(keys)
        self._decoder = msgspec.json.Decoder(TokenPayload)
        self._leeway = leeway

    def verify(self, token: str, *, now: float) -> Grant:
        """Return what a token grants at a time of the service's clock, or raise `InvalidToken`."""
        if len(token) > MAX_TOKEN or not token.isascii():
            raise InvalidToken
        text, _, signature = token.encode().partition(b".")
        names = [key.id for key in self._keys if hmac.compare_digest(_signature(key, text), signature)]
        if not names:
            raise InvalidToken
        try:
            payload = self._decoder.decode(base64.b64decode(_padded(text), altchars=b"-_", validate=True))
            checked_key(payload.node)
        except ValueError:  # also msgspec's and base64's own errors
            raise InvalidToken from None
        if payload.key != names[0] or now > payload.expires + self._leeway:
            raise InvalidToken
        return Grant(payload.node, payload.campaign)


def node_of(token: str, campaign: str) -> str | int:
    """Return the node that a token names; refuse what is not a token, or one for another campaign.

    Only the service can tell whether the token is genuine.
    """
    text = token.strip()
    if len(text) > MAX_TOKEN or not re.fullmatch(r"[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+", text):
        raise BadData("the token is not one: it has two parts with a dot between them")
    payload = text.partition(".")[0].encode()
    try:
        claims = json.loads(base64.urlsafe_b64decode(_padded(payload)))
        node, meant = claims["node"], claims["campaign"]
        node_key(node)
    except (ValueError, binascii.Error, TypeError, KeyError, RecursionError):
        raise BadData("the token cannot be read: it names no node and campaign") from None  # the cause may quote it
    if meant not in (None, campaign):
        raise BadData("the token is for another campaign")
    found: str | int = node
    return found


def authorization(token: str) -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token.strip()}"}


def shown(authorization: str) -> str:
    """Return the token that a header shows."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise InvalidToken
    return token.strip()


def _signature(key: Key, text: bytes) -> bytes:
    # Not hmac.digest: it lets other threads run in between, which costs the event loop ten times the work itself.
    return _base64url(hmac.new(key.secret, text, "sha256").digest())


def _base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _padded(text: bytes) -> bytes:
    return text + b"=" * (-len(text) % 4)
