"""Compiled tables of integers that lie close together: no hash, one step a value."""

from numba import njit


@njit(cache=True, nogil=True)
def mark(values, first, table):
    """Mark values in a table that begins with ``first``."""
    for e in range(values.size):
        table[values[e] - first] = True


@njit(cache=True, nogil=True)
def number_values(values, first, table, known, rows):
    """Write the number of each value, given in order of appearance; return how many are known now.

    ``table`` holds the numbers of the values from ``first`` on, -1 of those that did not appear; ``known`` is how many
    did.
    """
    for e in range(values.size):
        place = values[e] - first
        if table[place] < 0:
            table[place] = known
            known += 1
        rows[e] = table[place]
    return known
