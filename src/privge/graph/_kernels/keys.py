"""Compiled sorting of edges as keys: the row in the upper 32 bits, the target in the lower.

Keys are grouped by range of rows, one piece of the edges after the other or several at once, and each group is sorted
by counting digits (a radix sort): linear in the keys, whatever the degrees.
"""

import numpy as np
from numba import njit

DIGIT = 11  # bits: that many counters stay in the nearest cache


@njit(cache=True, nogil=True)
def count_groups(sources, targets, shift, counts):
    """Count the keys of each group if edges are written both ways; return the number of self-loops, which are not."""
    loops = 0
    for e in range(sources.size):
        if sources[e] == targets[e]:
            loops += 1
        else:
            counts[sources[e] >> shift] += 1
            counts[targets[e] >> shift] += 1
    return loops


@njit(cache=True, nogil=True)
def place_keys(sources, targets, shift, fill, keys):
    """Write edges both ways where their groups are filled next."""
    for e in range(sources.size):
        s, t = np.uint64(sources[e]), np.uint64(targets[e])
        if s != t:
            group = sources[e] >> shift
            keys[fill[group]] = s << np.uint64(32) | t
            fill[group] += 1
            group = targets[e] >> shift
            keys[fill[group]] = t << np.uint64(32) | s
            fill[group] += 1


@njit(cache=True, nogil=True)
def count_rows(keys, first, counts):
    """Add to the counts of rows, the first of which is ``first``, how often each stands in the keys."""
    for e in range(keys.size):
        counts[np.int64(keys[e] >> np.uint64(32)) - first] += 1


@njit(cache=True, nogil=True)
def sort_digit(keys, lowest, width, ordered):
    """Write keys in the order of some bits; keys with the same ones keep their order."""
    mask = np.uint64((1 << width) - 1)
    place = np.zeros((1 << width) + 1, np.int64)
    for e in range(keys.size):
        place[(keys[e] >> lowest & mask) + np.uint64(1)] += 1
    for digit in range(1, place.size):
        place[digit] += place[digit - 1]
    for e in range(keys.size):
        digit = keys[e] >> lowest & mask
        ordered[place[digit]] = keys[e]
        place[digit] += 1


@njit(cache=True, nogil=True)
def sort_keys(keys, shift, bits):
    """Return keys of ``2**shift`` rows in order; targets have ``bits`` bits. What was given is used as room, too."""
    given, ordered = keys, np.empty_like(keys)
    for first, last in ((0, bits), (32, 32 + shift)):
        passes = (last - first + DIGIT - 1) // DIGIT
        for number in range(passes):
            low = first + (last - first) * number // passes
            high = first + (last - first) * (number + 1) // passes
            sort_digit(given, np.uint64(low), high - low, ordered)
            given, ordered = ordered, given
    return given


@njit(cache=True, nogil=True)
def sort_group(keys, shift, bits, first, degrees):
    """Put the sorted targets of keys, each once, in the place of the keys; return how many there are.

    The degrees are those of rows from ``first`` on. Target ``i`` is at most that of key ``i``, and half as wide: it is
    written where keys have been read already.
    """
    ordered = sort_keys(keys, shift, bits)
    targets = keys.view(np.int32)
    degrees[:] = 0
    kept, before = 0, np.uint64(0)
    for e in range(ordered.size):
        key = ordered[e]
        if e == 0 or key != before:
            targets[kept] = np.int32(key & np.uint64(0xFFFFFFFF))
            degrees[np.int64(key >> np.uint64(32)) - first] += 1
            kept += 1
        before = key
    return kept
