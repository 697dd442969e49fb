"""A set of integers that lie close together: one byte for each between the least and the greatest."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_PIECE = 1 << 22

Integers = NDArray[np.int64]


class Marks:
    """The integers that were added, as long as they are not too far apart.

    Parameters
    ----------
    most
        Bytes that the table may take.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._first = 0
        self._table = np.zeros(0, dtype=np.bool_)
        self.added = 0
        """How many were added, those that were there already among them."""

    def add(self, values: Integers) -> bool:
        """Add values and say that they were, or say that the table would become too large for them."""
        from privge.graph._kernels import mark

        if not len(values):
            return True
        least, greatest = int(values.min()), int(values.max())
        if self.added:
            least, greatest = min(least, self._first), max(greatest, self._first + len(self._table) - 1)
        if greatest - least >= self._most:
            return False
        self._reach(least, greatest)
        mark(values, self._first, self._table)
        self.added += len(values)
        return True

    def ordered(self) -> Iterator[Integers]:
        """Yield the distinct values in ascending order, piece by piece."""
        for begin in range(0, len(self._table), _PIECE):
            yield np.flatnonzero(self._table[begin : begin + _PIECE]) + (self._first + begin)

    def _reach(self, least: int, greatest: int) -> None:
        """Make the table as long as it must be, and some longer, so that this happens seldom."""
        if self.added and least >= self._first and greatest < self._first + len(self._table):
            return
        slack = min(self._most - (greatest - least + 1), (greatest - least) // 4) if self.added else 0
        table = np.zeros(greatest - least + 1 + slack, dtype=np.bool_)
        before = self._first - least
        table[before : before + len(self._table)] = self._table
        self._first, self._table = least, table
