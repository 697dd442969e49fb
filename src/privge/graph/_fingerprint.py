"""The fingerprint of a graph, taken piece by piece: a graph need not be in memory to have one."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 18
"""How many ids or entries are in memory at once, many times over as Python objects."""


def fingerprint_of(ids: Iterable[list[Any]], *arrays: Iterable[NDArray[Any]]) -> str:
    """Return the SHA-256 of ids, given as lists, and of arrays, given as pieces one after another.

    It is that of ``json.dumps`` of all ids and then the bytes of the arrays: JSON says where each id ends and tells 1
    from "1"; their number says where the rows end.
    """
    digest = hashlib.sha256(b"[")
    separator = b""
    for piece in ids:
        if piece:
            digest.update(separator + json.dumps(piece)[1:-1].encode())
            separator = b", "
    digest.update(b"]")
    for array in arrays:
        for entries in array:
            digest.update(np.ascontiguousarray(entries).view(np.uint8).data)
    return digest.hexdigest()


def pieces(array: NDArray[Any], size: int = PIECE) -> Iterable[NDArray[Any]]:
    """Yield an array piece by piece."""
    for first in range(0, len(array), size):
        yield array[first : first + size]
