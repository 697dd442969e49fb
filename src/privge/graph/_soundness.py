"""What compiled code takes for granted of compressed rows, looked at once, before it runs.

Kernels do not check: a neighbour or a row that is out of range makes them read and write memory that is not theirs. And
a certificate holds for a symmetric graph without self-loops and repetitions, whatever the memory.

*Symmetry, in one pass and without memory.* An entry ``(v, u)`` adds ``h(min, max)`` to a sum modulo ``2**64`` if
``v < u``, and takes it away otherwise. In a symmetric graph that leaves 0. Any other graph leaves 0 with a chance of
about ``2**-64``, because ``h`` mixes in a key that is drawn here: whoever wrote the graph could not know it. Where
there are weights, which must be the same both ways, ``h`` mixes in their bits too.
"""

import secrets
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.graph._weights import first_unusable

_ROWS = 1 << 20  # rows looked at together
_ENTRIES = 1 << 22  # entries looked at together
_PROBLEMS = (
    "",
    "a neighbour is not among the nodes",
    "the neighbours of a row do not ascend",
    "a node is its own neighbour",
)


class UnsoundRows(BadData):
    """Compressed rows are not a graph; ``array`` names which of them is wrong."""

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
    """Refuse rows that are not a graph; return the largest degree.

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


def check_weights(
    nodes: int,
    indptr: Callable[[int, int], NDArray[np.int64]],
    indices: Callable[[int, int], NDArray[np.int32]],
    weights: Callable[[int, int], Floats],
    strengths: Callable[[int, int], Floats] | None = None,
) -> float:
    """Refuse weights that are not those of a graph, whose rows are sound; return the largest strength.

    Parameters
    ----------
    nodes
        How many rows there are.
    indptr, indices
        As for `check_rows`.
    weights
        Returns the weights of the entries from ``first`` to before ``last``.
    strengths
        Returns the strengths of rows ``first`` to before ``last``, which must be those of the weights.
    """
    from privge.graph._kernels import add_weights, balance_weights

    key = np.uint64(secrets.randbits(64))
    largest, balance, right = 0.0, 0, True
    for first in range(0, nodes, _ROWS):
        last = min(first + _ROWS, nodes)
        starts = np.ascontiguousarray(indptr(first, last))
        sums, lost = np.zeros(last - first), np.zeros(last - first)
        row = 0
        for chunk in range(int(starts[0]), int(starts[-1]), _ENTRIES):
            stop = min(chunk + _ENTRIES, int(starts[-1]))
            found, entries = np.ascontiguousarray(weights(chunk, stop)), np.ascontiguousarray(indices(chunk, stop))
            if first_unusable(found) is not None:
                raise UnsoundRows("weights", "a weight is not a finite number above 0")
            balance += int(balance_weights(starts, first, entries, found.view(np.uint64), chunk, row, key))
            row = add_weights(starts, found, chunk, row, sums, lost)
        right = right and (strengths is None or np.array_equal(strengths(first, last), sums))
        largest = max(largest, float(sums.max()))
    if balance % 2**64:
        raise UnsoundRows("weights", "an edge has another weight from one end than from the other")
    if not right:
        raise UnsoundRows("strengths", "a strength is not the sum of the weights of its node")
    return largest


def check_arrays(
    nodes: int, indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: Floats | None = None
) -> None:
    """Refuse arrays in memory that are not a graph."""
    if indptr.dtype != np.int64 or indptr.shape != (nodes + 1,):
        raise UnsoundRows("indptr", f"must be {nodes + 1} numbers of type int64")
    if indices.dtype != np.int32 or indices.ndim != 1:
        raise UnsoundRows("indices", "must be numbers of type int32")
    starts, entries = (lambda first, last: indptr[first : last + 1]), (lambda first, last: indices[first:last])
    check_rows(nodes, len(indices), starts, entries)
    if weights is None:
        return
    if weights.dtype != np.float64 or weights.shape != indices.shape:
        raise UnsoundRows("weights", f"must be {len(indices)} numbers of type float64")
    check_weights(nodes, starts, entries, lambda first, last: weights[first:last])


def _check_starts(starts: NDArray[np.int64], begin: int, entries: int) -> int:
    """Refuse starts of rows that do not go on at ``begin`` or do not ascend; return the largest degree."""
    degrees = np.diff(starts)
    if starts[0] != begin or degrees.min() < 0 or starts[-1] > entries:
        raise UnsoundRows("indptr", f"the rows do not ascend from 0 to {entries} entries")
    return int(degrees.max())
