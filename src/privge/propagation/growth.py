"""A finished result on a graph that grew: corrected where neighbourhoods changed, in time that grows with the change.

*Idea.* Let ``y = D^(-r) Z`` be the former result, 0 for new nodes, and ``k = 1-alpha``. In a row whose neighbours,
weights and features are what they were, the new system ``(I - k P') y' = alpha D'^(-r) X'`` reads like the former one,
and ``y`` solves it as well as it did. In the other rows, and only there, the residual of ``y`` is computed. It is
pushed away, 16 columns together, which solves ``(I - k P') delta = residual``; and ``Z' = D'^r (y + delta)``. A row
whose strength changed is multiplied by ``(D' / D)^r`` on the way, so that it still stands for the same ``y``: the rows
of its neighbours count on that.

*Certificate.* A certificate ``c`` is the bound of a residual: that of ``y`` is at most ``alpha c / max(D)^r`` in every
row (see `privge.propagation.problem`). The residual of ``y + delta`` in the new system is at most the sum of

* that one, in the rows that did not change;
* what pushing leaves in any row, at most ``alpha rmax``, and what float64 adds to it (see `privge.propagation.push`);
* what float64 adds to the residual that is computed, at most ``(degree + 64) 2^-53`` of the largest number involved;
* what storing a result costs. Rounding moves ``y`` by ``u |y|``, and the residual by ``(2 - alpha) u max|y|`` at most.
  That is counted for the former result, for its multiplied rows and for the new one, with ``u`` of the precision of the
  result; and 24 times with that of float64, in which strengths and their powers are computed.

Divided by alpha and multiplied by ``max(D')^r`` this bounds the error of Z'. So ``c`` becomes ``c (max(D') /
max(D))^r``, and never less than ``c``. As it is the bound of a residual again, an update can follow an update, and the
certificates add up.
"""

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation._kernels.gather import LANES
from privge.propagation.problem import Matrix, Problem, storing
from privge.propagation.relaxation import aligned, largest_of
from privge.propagation.strengths import node_scale, unit_of
from privge.propagation.walk import Walk

_SMALL = 1 << 22  # visits that are never too many
_SWEEPS = 6  # times all edges: more visits than that, and computing everything anew is faster
_SHARE = 16  # if the changed rows have more than this part of all edges, everything is computed anew


class ChangeTooLarge(Exception):
    """So much changed that computing everything anew is faster."""


@dataclass(frozen=True, eq=False)
class Growth:
    """A graph, the one that it was before, and where the nodes of that one stand now.

    Parameters
    ----------
    before, graph
        The former graph and the new one, which has all nodes of the former.
    place
        The row in the new graph of each row of the former.
    """

    before: Graph
    graph: Graph
    place: NDArray[np.int64]

    @cached_property
    def changed(self) -> NDArray[np.int64]:
        """Rows of the new graph that are new, or whose neighbours or weights are not what they were.

        Neighbours are compared by a sum of 64 bits with a secret key, which misses a difference with a chance of 2^-64.
        """
        before, graph, key = self.before, self.graph, np.uint64(secrets.randbits(64))
        weighted = before.weighted or graph.weighted
        with ThreadPoolExecutor(1) as pool:
            former = pool.submit(_digests, before, self.place, key, weighted=weighted)
            new, old = _digests(graph, np.arange(graph.nodes), key, weighted=weighted), former.result()
        same = (old == new[self.place]) & (before.degrees == graph.degrees[self.place])
        changed = np.ones(graph.nodes, dtype=np.bool_)
        changed[self.place[same]] = False
        return np.flatnonzero(changed)

    def factors(self, r: float) -> Floats:
        """``(D' / D)^r`` of each row of the former graph; 1 where a node had or has no neighbours.

        Nobody counts on the former value of such a node: all its neighbours gained or lost it.
        """
        unit = unit_of(self.graph)
        old, new = self.before.strengths, self.graph.strengths[self.place]
        ratios: Floats = np.ones(len(old))
        both = (old > 0) & (new > 0) & (old != new)
        ratios[both] = node_scale(new[both], r, unit) / node_scale(old[both], r, unit)
        return ratios

    def carried(self, certificate: float, r: float) -> float:
        """Return what a certificate for the former graph is worth for the new one."""
        old, new = self.before.largest_strength, self.graph.largest_strength
        return certificate * (max(1.0, (new / old) ** r) if old and new else 1.0)


@dataclass(frozen=True, slots=True)
class GrowthRun:
    """What correcting a result added to its error, and what it cost."""

    error: float
    visits: int
    rows: int
    seconds: float


def propagate_growth(
    growth: Growth, former: Matrix, features: scipy.sparse.csr_array, rows: NDArray[np.int64], walk: Walk, threads: int
) -> tuple[Matrix, GrowthRun]:
    """Return the result for the new graph, and what this adds to the certificate of the former one.

    Parameters
    ----------
    growth
        Both graphs.
    former
        The result for the former graph.
    features
        Those of the new graph; only the given rows of it are looked at.
    rows
        All rows of the new graph that changed: neighbours, weights or features.
    walk
        Its tolerance is what pushing may add to the error.
    threads
        Blocks of 16 columns that are treated at the same time; the result does not depend on it.
    """
    start = time.perf_counter()
    if growth.graph.degrees[rows].sum() > max(_SMALL, len(growth.graph.indices)) / _SHARE:
        raise ChangeTooLarge
    problem = Problem(growth.graph, features, walk)
    matrix: Matrix = np.zeros((growth.graph.nodes, former.shape[1]), dtype=former.dtype)
    largest = _carry(growth, former, problem, matrix)
    correction = Correction(problem, rows, largest)
    blocks = list(problem.blocks(LANES))
    with ThreadPoolExecutor(max(1, threads)) as pool:
        done = list(pool.map(lambda columns: correction.apply(matrix, columns), blocks))
    error = max((block.error for block in done), default=0.0)
    largest = max([largest, *(block.largest for block in done)])
    precisions = ((3, matrix.dtype), (24, np.dtype(np.float64)))
    stored = sum(times * storing(kind, walk.alpha, largest, problem.largest_scale) for times, kind in precisions)
    visits = sum(block.visits for block in done)
    return matrix, GrowthRun(error + stored, visits, len(rows), time.perf_counter() - start)


def _carry(growth: Growth, former: Matrix, problem: Problem, matrix: Matrix) -> float:
    """Write the former result to the rows of the new graph, standing for the same y; return the largest ``|y|``."""
    from privge.propagation._kernels.ripple import carry_rows

    factors = growth.factors(problem.walk.r)
    return float(carry_rows(np.ascontiguousarray(former), growth.place, factors, problem.scale, matrix))


@dataclass(frozen=True, slots=True)
class CorrectedBlock:
    """Bound of the error that correcting 16 columns leaves, largest ``|y|`` written, edges visited."""

    error: float
    largest: float
    visits: int


@dataclass(frozen=True, eq=False)
class Correction:
    """Removes the residual from some rows of a result.

    Parameters
    ----------
    problem
        The system that the result shall solve.
    rows
        Where it does not.
    largest
        The largest ``|y|`` of the result.
    """

    problem: Problem
    rows: NDArray[np.int64]
    largest: float

    def apply(self, matrix: Matrix, columns: slice) -> CorrectedBlock:
        """Correct 16 columns of a result, in place."""
        from privge.propagation._kernels.ripple import add_to_rows, ripple

        problem, graph, width = self.problem, self.problem.graph, columns.stop - columns.start
        residue, reserve = aligned(graph.nodes, np.float64), aligned(graph.nodes, np.float64)
        residue[self.rows, :width] = self.residual(matrix, columns) / problem.alpha
        started = largest_of(residue)
        rounded = self._rounding(started)
        rmax = (problem.tolerance * (1 - 1e-6) - rounded) / problem.largest_scale
        if not rmax > 0:
            raise ChangeTooLarge  # float64 cannot reach this tolerance here; whoever computes anew may say so
        queue = np.empty(1 << graph.nodes.bit_length(), dtype=np.int32)
        pushed, reached = np.empty(graph.nodes, dtype=np.int32), np.zeros(graph.nodes, dtype=np.uint8)
        scratch = (residue, reserve, problem.factors.copy(), reached, queue, pushed)
        edges, most = (graph.indptr, graph.indices, graph.weights), self._most
        count, visits = ripple(*edges, problem.alpha, rmax, self.rows, scratch, most)
        if visits > most:
            raise ChangeTooLarge
        largest = add_to_rows(reserve, pushed[:count], problem.scale, matrix, columns.start, width)
        return CorrectedBlock(rmax * problem.largest_scale + rounded, float(largest), int(visits))

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
        return max(_SMALL, _SWEEPS * len(self.problem.graph.indices))

    def _rounding(self, started: float) -> float:
        """Bound what float64 adds to an entry of Z, while pushing and in the residual that is pushed."""
        problem = self.problem
        pushing = 2 * (problem.largest_degree + 40) * started
        computing = (problem.largest_degree + 64) * max(self.largest, started)
        return (pushing + computing) * 2**-53 / problem.alpha * problem.largest_scale


def _digests(graph: Graph, names: NDArray[np.int64], key: np.uint64, *, weighted: bool) -> NDArray[np.uint64]:
    from privge.graph._kernels import digest_rows

    digests = np.empty(graph.nodes, dtype=np.uint64)
    weights = graph.weights if graph.weights is not None else np.ones(len(graph.indices) if weighted else 0)
    bits = weights.view(np.uint64) if weighted else None
    digest_rows(graph.indptr, graph.indices, bits, names.astype(np.int32), key, digests)
    return digests
