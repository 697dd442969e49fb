"""Compiled samplers. Arrays and scalars in, outputs passed in; they know nothing of the package.

Words are below ``2**53`` and weights sum to it, so every product here fits 64 bits.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def window_codes(levels, words, codes, steps, window, high, low, lower_middle, upper_middle):
    """Select window-law codes; the branches are those of ``WindowLaw.code``."""
    inside = np.uint64(high * window)
    outside = np.uint64(low * steps)
    spare = np.uint64(1 << 53) - inside - outside
    high, low = np.uint64(high), np.uint64(low)  # unsigned division is the faster one
    for j in range(levels.size):
        level, word = levels[j], np.uint64(words[j])
        if word < inside:
            codes[j] = level + np.int64(word // high)
        elif word < inside + outside:
            position = np.int64((word - inside) // low)
            codes[j] = position if position < level else position + window
        elif word - inside - outside < spare // np.uint64(2):
            codes[j] = lower_middle
        else:
            codes[j] = upper_middle


@njit(cache=True, nogil=True, error_model="numpy")
def table_codes(levels, words, codes, cumulative):
    """Select by bisection: the first code whose cumulative weight exceeds the word."""
    for j in range(levels.size):
        row, word = cumulative[levels[j]], words[j]
        first, last = 0, row.size - 1
        while first < last:
            middle = (first + last) // 2
            if word < row[middle]:
                last = middle
            else:
                first = middle + 1
        codes[j] = first
