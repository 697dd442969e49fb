"""Compiled loops of the heads. Arrays in, outputs passed in."""

from numba import njit


@njit(cache=True, nogil=True)
def multiply_rows(values, pairs, out):
    """Write the entrywise product of the two rows of each pair."""
    for pair in range(len(pairs)):
        left, right = values[pairs[pair, 0]], values[pairs[pair, 1]]
        for column in range(values.shape[1]):
            out[pair, column] = left[column] * right[column]
