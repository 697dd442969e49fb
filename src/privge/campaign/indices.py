"""Which coordinates a person reports: a public function of (campaign id, node id).

Rule ``sha256-floyd``. Block ``c`` of a node's stream is the SHA-256 of the campaign id (32 bytes), ``c``
(4 bytes) and the node id in UTF-8, read as eight unsigned 32-bit words, all big-endian. Floyd's algorithm
draws ``k`` of ``d``: for ``j = d-k, ..., d-1`` draw ``t`` uniform on ``0..j``; keep ``t``, or ``j`` if ``t``
is kept already. A draw below ``bound`` takes the next word, skips words at or above the largest multiple
of ``bound`` (so that no index is favoured), and reduces it modulo ``bound``. The kept indices are sorted.

Nobody picks their own indices, and a report needs only its ``k`` codes. They do not depend on the data, so they
cost no privacy, whoever may have wished for them.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from privge._typing import Indices
from privge.ids import node_key

INDEX_RULE = "sha256-floyd"
_CHUNK = 65_536


def indices_of(campaign_id: str, node: object, dimensions: int, k: int) -> list[int]:
    """Return the sorted indices that one node reports. Plain Python; defines the rule."""
    key = node_key(node)
    if k == dimensions:
        return list(range(dimensions))
    words = _stream(bytes.fromhex(campaign_id), key)
    kept: set[int] = set()
    for j in range(dimensions - k, dimensions):
        drawn = _below(j + 1, words)
        kept.add(j if drawn in kept else drawn)
    return sorted(kept)


def indices_matrix(campaign_id: str, nodes: Sequence[object], dimensions: int, k: int) -> Indices:
    """Return `indices_of` for many nodes as an ``n x k`` matrix, compiled."""
    from privge.campaign._kernels import floyd_indices

    n = len(nodes)
    if k == dimensions:
        return np.broadcast_to(np.arange(dimensions, dtype=np.int32), (n, dimensions))
    matrix = np.empty((n, k), dtype=np.int32)
    campaign = bytes.fromhex(campaign_id)
    blocks = [campaign + counter.to_bytes(4, "big") for counter in range(-(-k // 8))]
    for start in range(0, n, _CHUNK):
        chunk = nodes[start : start + _CHUNK]
        keys = [node_key(node) for node in chunk]
        stream = b"".join(hashlib.sha256(block + key).digest() for key in keys for block in blocks)
        words = np.frombuffer(stream, dtype=">u4").astype(np.uint32).reshape(len(keys), -1)
        rows = matrix[start : start + len(keys)]
        complete = np.empty(len(keys), dtype=np.bool_)
        floyd_indices(words, dimensions, rows, complete)
        for row in np.flatnonzero(~complete).tolist():  # a skipped word ran over the prepared blocks
            rows[row] = indices_of(campaign_id, chunk[row], dimensions, k)
    return matrix


def _stream(campaign: bytes, key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hashlib.sha256(campaign + counter.to_bytes(4, "big") + key).digest()
        yield from (int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4))
        counter += 1


def _below(bound: int, words: Iterator[int]) -> int:
    limit = 2**32 // bound * bound
    return next(word for word in words if word < limit) % bound
