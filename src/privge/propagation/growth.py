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
* what pushing leaves in any row, and what float64 adds to the residual (see `privge.propagation.ripple`);
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
from privge.propagation.ripple import FEW_VISITS, ChangeTooLarge, Ripple
from privge.propagation.strengths import node_scale, unit_of
from privge.propagation.walk import Walk

_SHARE = 16  # if the changed rows have more than this part of all edges, everything is computed anew


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

        Where the order of the nodes is another, neighbours are compared by a sum of 64 bits with a secret key, which
        misses a difference with a chance of 2^-64.
        """
        changed = np.ones(self.graph.nodes, dtype=np.bool_)
        if not (self.before.weighted or self.graph.weighted) and bool(np.all(np.diff(self.place) > 0)):
            from privge.graph._kernels import find_changed

            old, new = ((graph.indptr, graph.indices) for graph in (self.before, self.graph))
            find_changed(old, new, self.place.astype(np.int32), changed)
        else:
            changed[self.place[self._same()]] = False
        return np.flatnonzero(changed)

    def _same(self) -> NDArray[np.bool_]:
        """Say which rows of the former graph have the same neighbours and weights now."""
        before, graph, key = self.before, self.graph, np.uint64(secrets.randbits(64))
        weighted = before.weighted or graph.weighted
        with ThreadPoolExecutor(1) as pool:
            former = pool.submit(_digests, before, self.place, key, weighted=weighted)
            new, old = _digests(graph, np.arange(graph.nodes), key, weighted=weighted), former.result()
        same: NDArray[np.bool_] = (old == new[self.place]) & (before.degrees == graph.degrees[self.place])
        return same

    def new_first(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return rows with those of new nodes first: what they push cancels some of what their neighbours would."""
        new = np.ones(self.graph.nodes, dtype=np.bool_)
        new[self.place] = False
        return np.concatenate([rows[new[rows]], rows[~new[rows]]])

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
    if growth.graph.degrees[rows].sum() > max(FEW_VISITS, len(growth.graph.indices)) / _SHARE:
        raise ChangeTooLarge
    problem = Problem(growth.graph, features, walk)
    matrix: Matrix = np.zeros((growth.graph.nodes, former.shape[1]), dtype=former.dtype)
    largest = _carry(growth, former, problem, matrix)
    ripple = Ripple(problem, growth.new_first(rows), largest)
    blocks = list(problem.blocks(LANES))
    shares = [blocks[first::threads] for first in range(min(threads, len(blocks)))]
    with ThreadPoolExecutor(max(1, len(shares))) as pool:
        done = [block for part in pool.map(lambda share: ripple.apply(matrix, share), shares) for block in part]
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


def _digests(graph: Graph, names: NDArray[np.int64], key: np.uint64, *, weighted: bool) -> NDArray[np.uint64]:
    from privge.graph._kernels import digest_rows

    digests = np.empty(graph.nodes, dtype=np.uint64)
    weights = graph.weights if graph.weights is not None else np.ones(len(graph.indices) if weighted else 0)
    bits = weights.view(np.uint64) if weighted else None
    digest_rows(graph.indptr, graph.indices, bits, names.astype(np.int32), key, digests)
    return digests
