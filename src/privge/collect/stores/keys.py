"""The bytes under which a store keeps a node: its text, or 17 bytes for a UUID.

17 and "17" are one node (`privge.ids.node_key`), so both have one key and the node has one report. Whether ids come
back as integers or as text is a property of the campaign: integers as long as every node was given as one.
"""

import re

from privge.collect.stores.store import Node
from privge.wire.limits import checked_key

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID_TAG = b"\xff"  # begins no text in UTF-8


def key_of(node: Node) -> bytes:
    """Return the key of a node; a node that cannot be kept is refused without being named."""
    key = checked_key(node)
    if len(key) == 36 and _UUID.fullmatch(str(node)):
        return _UUID_TAG + bytes.fromhex(str(node).replace("-", ""))
    return key


def text_of(key: bytes) -> str:
    """Return the text of a node from its key."""
    if key[:1] != _UUID_TAG:
        return key.decode()
    digits = key[1:].hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_integer(node: Node) -> bool:
    """Say whether a node was given as an integer that fits the ids of a graph (64 bits)."""
    return not isinstance(node, str) and -(2**63) <= node < 2**63
