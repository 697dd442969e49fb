"""Compiled reading of lines of two integers in their plain spelling: 7 and -7, not 007, +7, -0 or 7.0."""

import numpy as np
from numba import njit

NEWLINE, RETURN, MINUS, ZERO, NINE = 10, 13, 45, 48, 57
LONGEST = 18  # digits: whatever they are, their integer fits 64 bits


@njit(cache=True, nogil=True)
def count_lines(text):
    """Return the number of lines; the last one may lack its end."""
    lines = 0
    for position in range(text.size):
        lines += text[position] == NEWLINE
    return lines + (text.size > 0 and text[-1] != NEWLINE)


@njit(cache=True, nogil=True, inline="always")
def read_integer(text, position):
    """Return the integer at a position and where it ends; -1 for the end if it is not plainly spelled."""
    negative = position < text.size and text[position] == MINUS
    begin = position + negative
    position = begin
    value = np.int64(0)
    while position < text.size and ZERO <= text[position] <= NINE:
        value = 10 * value + (text[position] - ZERO)
        position += 1
    length = position - begin
    if length == 0 or length > LONGEST or (text[begin] == ZERO and (length > 1 or negative)):
        return value, -1
    return (-value if negative else value), position


@njit(cache=True, nogil=True)
def read_pairs(text, separators, first, second):
    """Write the integers of all lines; say whether every line is two of them with one separator in between."""
    position, line = 0, 0
    while position < text.size:
        first[line], position = read_integer(text, position)
        if position < 0 or position == text.size or not separators[text[position]]:
            return False
        second[line], position = read_integer(text, position + 1)
        if position < 0:
            return False
        if position < text.size and text[position] == RETURN:
            position += 1
            if position == text.size:
                return False
        if position < text.size and text[position] != NEWLINE:
            return False
        position += 1
        line += 1
    return True
