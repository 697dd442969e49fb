"""What compiled code takes for granted of compressed rows, looked at once, before it runs.

Kernels do not check: a neighbour or a row that is out of range makes them read and write memory that is not theirs. And
a certificate holds for a symmetric graph without self-loops and repetitions, whatever the memory.

*Symmetry, in one pass and without memory.* An entry ``(v, u)`` adds ``h(min, max)`` to a sum modulo ``2**64`` if
``v < u``, and takes it away otherwise. In a symmetric graph that leaves 0. Any other graph leaves 0 with a chance of
about ``2**-64``, because ``h`` mixes in a key that is drawn here: whoever wrote the graph could not know it.
"""

import secrets
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData

_ROWS = 1 << 20  # rows looked at together
_ENTRIES = 1 << 22  # entries looked at together
_PROBLEMS = (
    "",
    "a neighbour is not among the nodes",
    "the neighbours of a row do not ascend",
    "a node is its own neighbour",
)


class UnsoundRows(BadData):
    """Compressed rows are no graph; ``array`` names which of the two is wrong."""

    def __init__(self, array: str, problem: str) -> None:
        self.array = array
        self.problem = problem
        super().__init__(f"{array}: {problem}")


def check_rows(
    nodes: int,
    entries: int,
    indptr: Callable[[int, int], NDArray[np.int64]],
    indices: Callable[[int, int], NDArray[np.int32]],
) -> int:
    """Refuse rows that are no graph; return the largest degree.

    Parameters
    ----------
    nodes, entries
        How many rows and entries there are.
    indptr
        Returns where rows ``first`` to ``last`` begin, and where the last of them ends.
    indices
        Returns the entries from ``first`` to before ``last``.
    """
    from privge.graph._kernels import check_entries

    if int(indptr(0, 0)[0]) != 0:
        raise UnsoundRows("indptr", "the rows do not begin at 0")
    key = np.uint64(secrets.randbits(64))
    largest, end, balance = 0, 0, 0
    for first in range(0, nodes, _ROWS):
        starts = np.ascontiguousarray(indptr(first, min(first + _ROWS, nodes)))
        largest = max(largest, _check_starts(starts, end, entries))
        begin, end = end, int(starts[-1])
        state = np.array([0, -1], dtype=np.int64)
        for chunk in range(begin, end, _ENTRIES):
            found = np.ascontiguousarray(indices(chunk, min(chunk + _ENTRIES, end)))
            problem, part = check_entries(starts, first, found, chunk, nodes, key, state)
            if problem:
                raise UnsoundRows("indices", _PROBLEMS[problem])
            balance += int(part)
    if end != entries:
        raise UnsoundRows("indptr", f"the rows do not end at {entries} entries")
    if balance % 2**64:
        raise UnsoundRows("indices", "a node is a neighbour of one that is not its neighbour")
    return largest


def _check_starts(starts: NDArray[np.int64], begin: int, entries: int) -> int:
    """Refuse starts of rows that do not go on at ``begin`` or do not ascend; return the largest degree."""
    degrees = np.diff(starts)
    if starts[0] != begin or degrees.min() < 0 or starts[-1] > entries:
        raise UnsoundRows("indptr", f"the rows do not ascend from 0 to {entries} entries")
    return int(degrees.max())
