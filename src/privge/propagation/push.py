"""Backward push, the paper's Algorithm 3: absolute threshold ``rmax``, residues dropped at the end.

It touches only the neighbourhood of the non-zeros, so it suits single columns with few non-zeros at a loose
tolerance, and corrections of a finished embedding. The queue is first in, first out.

*Certificate.* The invariant ``y* = reserve + alpha * sum (1-alpha)^l P^l residue`` holds after every push, and
``alpha * sum (1-alpha)^l P^l`` has row sums of at most 1. So ``|y* - reserve| <= rmax``, and the error of Z is at most
``rmax * max(degree)^r``, plus rounding. In a round of the queue a node is updated at most ``degree`` times, each time
rounded by ``2^-53`` of a residue, and residues above ``rmax`` shrink by ``1-alpha`` a round; so all roundings together
stay below ``(degree + 16) 2^-53 max|D^(-r) X| / alpha``, of which twice is added.
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
        """Write Z into ``out``, column by column; threads take every so-manieth column."""
        out[:] = 0
        shares = [range(first, problem.columns, threads) for first in range(min(threads, problem.columns))]

        def work(columns: range) -> tuple[int, float]:
            visits, largest = 0, 0.0
            for column in self.columns(problem, columns):
                out[column.rows, column.number] = column.values
                visits += column.visits
                largest = max(largest, float(np.abs(column.values).max(initial=0.0)))
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
        if rmax <= 0:
            raise ToleranceNotReached(f"push cannot reach a tolerance of {problem.tolerance:.3g} in float64")
        return rmax

    def columns(self, problem: Problem, numbers: range | NDArray[np.int64]) -> Iterator["Column"]:
        """Yield the non-zero part of Z for some columns."""
        from privge.propagation._kernels.push import RESIDUE, WEIGHT, push

        graph = problem.graph
        state = np.zeros((graph.nodes, 2))
        state[:, WEIGHT] = problem.weights
        reserve, reached = np.zeros(graph.nodes), np.zeros(graph.nodes, dtype=np.uint8)
        pushed = np.empty(graph.nodes, dtype=np.int32)
        queue = np.empty(1 << graph.nodes.bit_length(), dtype=np.int32)
        rmax = self.threshold(problem)
        for number in numbers:
            rows, values = problem.column(int(number))
            count, visits = push(
                graph.indptr, graph.indices, problem.alpha, rmax, rows, values, state, reserve, reached, queue, pushed
            )
            nodes = pushed[:count].copy()
            yield Column(int(number), nodes, reserve[nodes] * problem.scale[nodes], visits)
            state[:, RESIDUE] = 0
            reserve[nodes], reached[nodes] = 0, 0


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column of Z where it is not zero, and the edges visited for it."""

    number: int
    rows: NDArray[np.int32]
    values: Floats
    visits: int


def _rounding(problem: Problem) -> float:
    """Bound what float64 adds to an entry of Z; see the top of this file."""
    largest = float(np.abs(problem.by_column.data).max(initial=0.0))
    updates = int(problem.graph.degrees.max(initial=0)) + 16
    return 2 * updates * 2**-53 * largest / problem.alpha * problem.largest_scale
