"""Compiled index selection. Arrays and scalars in, outputs passed in."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def floyd_indices(words, dimensions, out, complete):
    """Fill each row with its sorted indices; mark the rows whose words ran out."""
    k = out.shape[1]
    for row in range(words.shape[0]):
        position = 0
        kept = 0
        while kept < k:
            bound = np.uint64(dimensions - k + kept + 1)
            limit = np.uint64(1 << 32) // bound * bound
            while position < words.shape[1] and np.uint64(words[row, position]) >= limit:
                position += 1
            if position == words.shape[1]:
                break
            drawn = np.int32(np.uint64(words[row, position]) % bound)
            position += 1
            kept = _insert(out[row], kept, drawn, np.int32(dimensions - k + kept))
        complete[row] = kept == k


@njit(cache=True, nogil=True)
def _insert(sorted_row, kept, drawn, otherwise):
    """Insert ``drawn`` into the sorted prefix, or append ``otherwise``, the largest, if it is there."""
    slot = np.searchsorted(sorted_row[:kept], drawn)
    if slot < kept and sorted_row[slot] == drawn:
        sorted_row[kept] = otherwise
    else:
        for j in range(kept, slot, -1):
            sorted_row[j] = sorted_row[j - 1]
        sorted_row[slot] = drawn
    return kept + 1
