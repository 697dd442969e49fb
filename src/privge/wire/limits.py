"""The largest of everything that is said. Whoever writes keeps to it, and whoever reads refuses more."""

from typing import Final

from privge.ids import node_key

MAX_BATCH: Final = 5_000
"""Most items of one batch."""

MAX_TOKEN: Final = 2048
"""Characters of the longest token that is looked at; the longest node id fits."""

MAX_NODE_BYTES: Final = 512
"""Longest node id, in UTF-8: what an index of either database takes with ease."""

MAX_SHARD_BYTES: Final = 2**22
"""Largest shard of an assignment: more than 1,024 people with 256 classes and offsets."""


def checked_key(node: object) -> bytes:
    """Return the bytes that stand for a node; one that cannot be reported for is refused without being named."""
    key = node_key(node)
    if len(key) > MAX_NODE_BYTES:
        raise ValueError(f"a node id must have at most {MAX_NODE_BYTES} bytes, got {len(key)}")
    return key
