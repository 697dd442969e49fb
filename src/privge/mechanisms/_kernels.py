"""Compiled samplers. Arrays and scalars in, outputs passed in; they know nothing of the package.

Words are below ``2**53`` and weights sum to it, so every product here fits 64 bits.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def window_codes(levels, words, codes, steps, window, high, low, lower_middle, upper_middle):
    """Select window-law codes; the branches are those of ``WindowLaw.code``."""
    inside = np.uint64(high * window)
    chosen = inside + np.uint64(low * steps)  # words that do not fall to the spare
    half_spare = (np.uint64(1 << 53) - chosen) // np.uint64(2)
    for j in range(levels.size):
        level, word = levels[j], np.uint64(words[j])
        if word < chosen:
            # Without a branch on `in_window`: it is a coin flip that a processor cannot predict.
            in_window = word < inside
            rest = word - (np.uint64(0) if in_window else inside)
            position = np.int64(rest // np.uint64(high if in_window else low))
            outside = position if position < level else position + window
            codes[j] = level + position if in_window else outside
        elif word - chosen < half_spare:
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
