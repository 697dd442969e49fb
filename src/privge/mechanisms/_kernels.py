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


@njit(cache=True, nogil=True, error_model="numpy")
def guided_codes(levels, words, codes, of_levels, sums, guide, reach, total, lower_spare, upper_spare, last):
    """Select the codes of ``ShiftedSums``: without the spare words, the guide's place, and steps without a branch.

    From the guide's place on, the code is at most ``reach`` places away, for every level and word.
    """
    bits = 7  # of the guide, ``GUIDE_BITS`` there
    side = guide.size // 2
    for j in range(levels.size):
        own = of_levels[levels[j]]
        tilt, word = own[0], words[j]
        word = min(word, max(own[2] - 1, word - lower_spare))
        word = min(word, max(own[3] - 1, word - upper_spare))
        near, far = word + 1, total - word  # how many words there are to either end
        entry = np.float64(min(near, far)).view(np.int64) >> (52 - bits)
        place = np.int64(guide[entry - (1023 << bits) + (side if far < near else 0)])
        left = reach
        while left > 2:
            half = (left + 1) // 2
            probe = sums[place + half - 1]
            place += half if probe[0] + tilt * probe[1] <= word else 0
            left -= half
        one, other = sums[place], sums[place + 1]
        place += np.int64(one[0] + tilt * one[1] <= word) + np.int64(other[0] + tilt * other[1] <= word)
        codes[j] = min(max(place - own[1], 0), last)


@njit(cache=True, nogil=True, error_model="numpy")
def direction_scores(profiles, states, table, scores):
    """Add up the products of each profile with its directions, four components at a time as they are generated."""
    state = np.empty(4, dtype=np.uint64)
    quarters = profiles.shape[1] // 4
    busy = np.empty(quarters, dtype=np.bool_)
    for row in range(profiles.shape[0]):
        state[:] = states[row]
        profile = profiles[row]
        for i in range(quarters):
            four = profile[4 * i] | profile[4 * i + 1] | profile[4 * i + 2] | profile[4 * i + 3]
            busy[i] = four != 0
        for j in range(scores.shape[1]):
            total = np.int64(0)
            for i in range(quarters):
                word = np.int64(_next_word(state))
                if busy[i]:
                    total += table[word & 255] * profile[4 * i]
                    total += table[word >> 8 & 255] * profile[4 * i + 1]
                    total += table[word >> 16 & 255] * profile[4 * i + 2]
                    total += table[word >> 24 & 255] * profile[4 * i + 3]
            scores[row, j] = total


@njit(cache=True, nogil=True, error_model="numpy")
def chosen_directions(states, codes, table, chosen):
    """Generate the components of one direction of each row, and skip those before it."""
    state = np.empty(4, dtype=np.uint64)
    columns = chosen.shape[1]
    words = (columns + 3) // 4
    for row in range(chosen.shape[0]):
        state[:] = states[row]
        for _ in range(codes[row] * words):
            _next_word(state)
        for i in range(words):
            word = np.int64(_next_word(state))
            for place in range(4 * i, min(4 * i + 4, columns)):
                chosen[row, place] = table[word & 255]
                word >>= 8


@njit(cache=True, nogil=True, inline="always")
def _next_word(state):
    """Return the next 32-bit output of xoshiro128**, and move its state on; all in 64-bit words."""
    mask = np.uint64(0xFFFFFFFF)
    product = state[1] * np.uint64(5) & mask
    rotated = (product << np.uint64(7) | product >> np.uint64(25)) & mask
    shifted = state[1] << np.uint64(9) & mask
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(11) | state[3] >> np.uint64(21)) & mask
    return rotated * np.uint64(9) & mask
