"""Backward push, the paper's Algorithm 3: absolute threshold ``rmax``, residues dropped at the end.

It touches only the neighbourhood of the non-zeros, so it suits single columns with few non-zeros at a loose
tolerance, and corrections of a finished embedding. The queue is first in, first out.

*Certificate.* The invariant ``y* = reserve + alpha * sum (1-alpha)^l P^l residue`` holds after every push, and
``alpha * sum (1-alpha)^l P^l`` has row sums of at most 1. So ``|y* - reserve| <= rmax``, and the error of Z is at most
``rmax * max(degree)^r``, plus rounding. In a round of the queue a node is updated at most ``degree`` times, each time
rounded by ``2^-53`` of a residue, and residues above ``rmax`` shrink by ``1-alpha`` a round; so all roundings together
stay below ``(degree + 16) 2^-53 max|D^(-r) X| / alpha``, of which twice is added. With weights what is passed on is
rounded once more, and strengths and scales are known to ``8 * 2^-53``: all that a node is ever passed is at most
``max|D^(-r) X| / alpha``, so this counts as 24 more updates.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.errors import ToleranceNotReached
from privge.propagation.problem import Certificate, Matrix, Problem, rounding

_LEAST = 1e-280  # threshold; far below it numbers lose digits that no bound of rounding here counts
UNLIMITED = 2**62
"""Visits of edges that nobody makes."""


@dataclass(frozen=True, slots=True)
class Push:
    """Backward push.

    Parameters
    ----------
    rmax
        The paper's threshold. None derives it from the tolerance.
    """

    name: ClassVar[str] = "push"
    rmax: float | None = None

    def __post_init__(self) -> None:
        if self.rmax is not None and not self.rmax > 0:
            raise ValueError(f"rmax must be above 0, got {self.rmax!r}")

    def solve(
        self, problem: Problem, out: Matrix, *, threads: int = 1, progress: Progress | None = None
    ) -> Certificate:
        """Write Z into ``out``, column by column; n threads take every n-th column each."""
        out[:] = 0
        shares = [range(first, problem.columns, threads) for first in range(min(threads, problem.columns))]

        def work(columns: range) -> tuple[int, float]:
            visits, largest = 0, 0.0
            for column in self.columns(problem, columns):
                z = column.values * problem.scale[column.rows]
                out[column.rows, column.number] = z
                visits += column.visits
                largest = max(largest, float(np.abs(z).max(initial=0.0)))
                if progress is not None and columns.start == 0:
                    progress(min(column.number + threads, problem.columns), problem.columns)
            return visits, largest

        with ThreadPoolExecutor(max(1, len(shares))) as pool:
            done = list(pool.map(work, shares))
        sweeps = sum(visits for visits, _ in done) / max(1, len(problem.graph.indices) * problem.columns)
        stored = rounding(out.dtype, max((largest for _, largest in done), default=0.0))
        return Certificate(self.error(problem) + stored, sweeps, "float64")

    def error(self, problem: Problem) -> float:
        """Return the bound of the error that this threshold guarantees."""
        return self.threshold(problem) * problem.largest_scale + _rounding(problem)

    def threshold(self, problem: Problem) -> float:
        """Return the paper's rmax: as given, or such that the tolerance is kept with a millionth to spare."""
        if self.rmax is not None:
            return self.rmax
        rmax = (problem.tolerance * (1 - 1e-6) - _rounding(problem)) / problem.largest_scale
        if rmax < _LEAST:
            raise ToleranceNotReached(f"push cannot reach a tolerance of {problem.tolerance:.3g} in float64")
        return rmax

    def columns(self, problem: Problem, numbers: range | NDArray[np.int64]) -> Iterator["Column"]:
        """Yield the non-zero part of some columns."""
        worker = Worker(problem, self.threshold(problem))
        return (worker.column(int(number)) for number in numbers)


class TooManyVisits(Exception):
    """Pushing takes more visits of edges than it may."""


class Worker:
    """Pushes one column after the other in the same scratch memory; each thread has its own."""

    def __init__(self, problem: Problem, rmax: float) -> None:
        nodes = problem.graph.nodes
        self._problem, self._rmax = problem, rmax
        self._state = np.stack([np.zeros(nodes), problem.factors], axis=1)
        self._reserve, self._pushed = np.empty(nodes), np.empty(nodes, dtype=np.int32)
        self._slots = np.full(nodes, -1, dtype=np.int32)
        queue = np.empty(1 << nodes.bit_length(), dtype=np.int32)
        self._scratch = (self._state, self._reserve, self._slots, queue, self._pushed)

    def column(self, number: int, *, most: int = UNLIMITED) -> "Column":
        """Return the non-zero part of one column, unless that takes more than so many visits of edges."""
        from privge.propagation._kernels.push import FACTOR, RESIDUE, push

        problem, graph = self._problem, self._problem.graph
        rows, values = problem.column(number)
        edges, threshold = (graph.indptr, graph.indices, graph.weights), (problem.alpha, self._rmax)
        count, visits = push(*edges, *threshold, rows, values, self._scratch, most)
        nodes = self._pushed[:count].copy()
        column = Column(number, nodes, self._reserve[:count].copy(), visits)
        self._state[:, RESIDUE] = 0
        self._slots[nodes] = -1
        if visits > most:
            np.abs(self._state[:, FACTOR], out=self._state[:, FACTOR])  # nobody waits any more
            raise TooManyVisits
        return column


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column of ``y = D^(-r) Z`` where it is not 0, and how many edges were visited until it was certain."""

    number: int
    rows: NDArray[np.int32]
    values: Floats
    visits: int


def _rounding(problem: Problem) -> float:
    """Bound what float64 adds to an entry of Z; see the top of this file."""
    largest = float(np.abs(problem.by_column.data).max(initial=0.0))
    updates = problem.largest_degree + (40 if problem.graph.weighted else 16)
    return 2 * updates * 2**-53 * largest / problem.alpha * problem.largest_scale
