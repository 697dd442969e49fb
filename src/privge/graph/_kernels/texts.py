"""Compiled table of texts: a hash says where to look, and only the same bytes are the same text.

A text is ``text[offsets[i]:offsets[i + 1]]``, in UTF-8. An entry of the table is 0, or the upper half of a hash and, in
the lower half, a row plus 1.
"""

import numpy as np
from numba import njit

from privge.graph._kernels.rows import finished

LOWER, UPPER = np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFF00000000)
ONE = np.uint64(1)
BLOCK = 64  # texts that are looked for at a time


@njit(cache=True, nogil=True, inline="always")
def hash_text(text, begin, end):
    """Return 64 bits that look random, the same for the same text."""
    mixed = np.uint64(0xCBF29CE484222325)  # FNV-1a, with a better end
    for position in range(begin, end):
        mixed = (mixed ^ np.uint64(text[position])) * np.uint64(0x100000001B3)
    return finished(mixed)


@njit(cache=True, nogil=True)
def enter_texts(offsets, text, table):
    """Enter distinct texts into a table whose size is a power of 2, and larger than their number."""
    mask = np.uint64(table.size - 1)
    for row in range(offsets.size - 1):
        hashed = hash_text(text, offsets[row], offsets[row + 1])
        slot = hashed & mask
        while table[slot] != 0:
            slot = (slot + ONE) & mask
        table[slot] = (hashed & UPPER) | np.uint64(row + 1)


@njit(cache=True, nogil=True, inline="always")
def same_text(text, begin, end, other, other_begin, other_end):
    """Say whether two texts are the same, byte by byte."""
    if end - begin != other_end - other_begin:
        return False
    for e in range(end - begin):  # noqa: SIM110 (compiled)
        if text[begin + e] != other[other_begin + e]:
            return False
    return True


@njit(cache=True, nogil=True)
def find_text(asked, begin, end, hashed, offsets, text, table):
    """Return the row of a text, -1 if it was not entered."""
    mask = np.uint64(table.size - 1)
    slot = hashed & mask
    while table[slot] != 0:
        if (table[slot] ^ hashed) & UPPER == 0:
            row = np.int64(table[slot] & LOWER) - 1
            if same_text(asked, begin, end, text, offsets[row], offsets[row + 1]):
                return row
        slot = (slot + ONE) & mask
    return -1


@njit(cache=True, nogil=True)
def find_texts(asked_offsets, asked, offsets, text, table, rows):
    """Write the row of each text that is asked for, -1 if it was not entered.

    Texts are looked for some at a time, step by step: the memory then fetches what all of them need at once, instead of
    one after the other. What is fetched ahead is added up and returned, or the compiler would leave it out.
    """
    mask = np.uint64(table.size - 1)
    hashes, entries, begins = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.int64)
    fetched = 0
    for first in range(0, rows.size, BLOCK):
        block = min(BLOCK, rows.size - first)
        for e in range(block):
            hashes[e] = hash_text(asked, asked_offsets[first + e], asked_offsets[first + e + 1])
        for e in range(block):
            entries[e] = table[hashes[e] & mask]
        for e in range(block):
            begins[e] = offsets[max(np.int64(entries[e] & LOWER) - 1, 0)]
        for e in range(block):
            fetched += text[begins[e]] if begins[e] < text.size else 0
        for e in range(block):
            begin, end = asked_offsets[first + e], asked_offsets[first + e + 1]
            rows[first + e] = find_text(asked, begin, end, hashes[e], offsets, text, table)
    return fetched
