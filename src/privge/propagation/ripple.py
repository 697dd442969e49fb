"""Removes the residual of a result in a few rows, by pushing it away in 16 columns together.

It is the push of `privge.propagation.push`, which treats one column: a change of the features is in few columns, a
change of the graph in all of them. Visiting a node is what takes time, and here it serves 16 columns.

*Certificate.* As for push, what is left is at most ``rmax`` in any row and column, so that the error of Z is at most
``rmax * max(D)^r``, plus rounding: of pushing, as there, and of the residual that is pushed, which is computed to
``(degree + 64) 2^-53`` of the largest number involved.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation.problem import Matrix, Problem
from privge.propagation.relaxation import aligned, largest_of

FEW_VISITS = 1 << 18
"""Visits of edges that are never too many."""

_SWEEPS = 2  # times all edges: more visits than that, and computing everything anew is faster


class ChangeTooLarge(Exception):
    """So much changed that computing everything anew is faster."""


@dataclass(frozen=True, slots=True)
class RippledBlock:
    """Bound of the error that correcting 16 columns leaves, largest ``|y|`` written, edges visited."""

    error: float
    largest: float
    visits: int


@dataclass(frozen=True, eq=False, slots=True)
class Scratch:
    """What pushing 16 columns works in; each thread has its own. Only what is touched of it takes memory."""

    residue: Matrix
    reserve: Matrix
    slots: NDArray[np.int32]
    queue: NDArray[np.int32]
    pushed: NDArray[np.int32]

    @classmethod
    def for_problem(cls, problem: Problem) -> "Scratch":
        """Return space for the nodes of a problem."""
        nodes = problem.graph.nodes
        residue, reserve = aligned(nodes, np.float64), aligned(nodes, np.float64)
        slots, pushed = np.full(nodes, -1, dtype=np.int32), np.empty(nodes, dtype=np.int32)
        return cls(residue, reserve, slots, np.empty(1 << nodes.bit_length(), dtype=np.int32), pushed)

    def clear(self, rows: NDArray[np.int64]) -> None:
        """Forget what was pushed, which began in some rows."""
        self.residue[rows] = 0
        if self.slots.max(initial=-1) >= 0:
            self.residue.fill(0)
            self.slots.fill(-1)

    def arrays(self, problem: Problem) -> tuple[NDArray[np.generic], ...]:
        """Return what the kernel takes; it changes the factors, so they are a copy."""
        return self.residue, self.reserve, problem.factors.copy(), self.slots, self.queue, self.pushed


@dataclass(frozen=True, eq=False)
class Ripple:
    """Removes the residual from some rows of a result.

    Parameters
    ----------
    problem
        The system that the result shall solve, up to its tolerance.
    rows
        Where it does not.
    largest
        The largest ``|y|`` of the result.
    """

    problem: Problem
    rows: NDArray[np.int64]
    largest: float

    def apply(self, matrix: Matrix, blocks: list[slice]) -> list[RippledBlock]:
        """Correct some blocks of 16 columns of a result, in place, one after the other in the same scratch space."""
        scratch = Scratch.for_problem(self.problem)
        return [self._apply(matrix, columns, scratch) for columns in blocks]

    def _apply(self, matrix: Matrix, columns: slice, scratch: "Scratch") -> RippledBlock:
        from privge.propagation._kernels.ripple import add_to_rows, ripple

        problem, graph, width = self.problem, self.problem.graph, columns.stop - columns.start
        residual = self.residual(matrix, columns) / problem.alpha
        rounded = self._rounding(largest_of(residual))
        rmax = (problem.tolerance * (1 - 1e-6) - rounded) / problem.largest_scale
        if not rmax > 0:
            raise ChangeTooLarge  # float64 cannot reach this tolerance here; whoever computes anew may say so
        scratch.residue[self.rows, :width] = residual
        edges, arrays = (graph.indptr, graph.indices, graph.weights), scratch.arrays(problem)
        count, visits = ripple(*edges, problem.alpha, rmax, self.rows, arrays, self._most)
        if visits > self._most:
            raise ChangeTooLarge
        rows = scratch.pushed[:count]
        largest = add_to_rows(scratch.reserve, rows, problem.scale, matrix, columns.start, width)
        scratch.clear(self.rows)
        return RippledBlock(rmax * problem.largest_scale + rounded, float(largest), int(visits))

    def residual(self, matrix: Matrix, columns: slice) -> Floats:
        """Return ``alpha D^(-r) X - (I - (1-alpha) P) y`` of the rows, for 16 columns."""
        here, step = self._step
        problem = self.problem
        y = matrix[here, columns].astype(np.float64) / problem.scale[here, None]
        own = y[np.searchsorted(here, self.rows)]
        given = self._features[:, columns].toarray().astype(np.float64) / problem.scale[self.rows, None]
        residual: Floats = problem.alpha * given + step @ y - own
        return residual

    @cached_property
    def _features(self) -> scipy.sparse.csc_array:
        return scipy.sparse.csc_array(self.problem.features[self.rows])

    @cached_property
    def _step(self) -> tuple[NDArray[np.int64], scipy.sparse.csr_array]:
        """The rows and their neighbours, in order, and the rows of ``(1-alpha) P`` with these as columns."""
        graph, rows = self.problem.graph, self.rows
        counts = graph.degrees[rows]
        starts = np.concatenate([[0], np.cumsum(counts)])
        entries = np.repeat(graph.indptr[rows] - starts[:-1], counts) + np.arange(starts[-1])
        neighbours = graph.indices[entries]
        here = np.union1d(rows, neighbours)
        numbers = np.repeat(self.problem.factors[rows], counts)
        if graph.weights is not None:
            numbers = numbers * graph.weights[entries]
        shape = (len(rows), len(here))
        return here, scipy.sparse.csr_array((numbers, np.searchsorted(here, neighbours), starts), shape=shape)

    @property
    def _most(self) -> int:
        return max(FEW_VISITS, _SWEEPS * len(self.problem.graph.indices))

    def _rounding(self, started: float) -> float:
        """Bound what float64 adds to an entry of Z, while pushing and in the residual that is pushed."""
        problem = self.problem
        pushing = 2 * (problem.largest_degree + 40) * started
        computing = (problem.largest_degree + 64) * max(self.largest, started)
        return (pushing + computing) * 2**-53 / problem.alpha * problem.largest_scale
