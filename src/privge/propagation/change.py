"""Corrections: propagate a small change of the features and add it to a finished result.

The certificate of the sum is the sum of the certificates, and what rounding the sums adds. All of them bound residuals,
rounding too (`privge.propagation.problem.storing`), so that a later change of the graph can build on the sum.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation._kernels.gather import LANES
from privge.propagation.problem import Certificate, Matrix, Problem, output_kind, storing
from privge.propagation.push import Column, Push, Worker
from privge.propagation.sor import Sor
from privge.propagation.walk import Walk

_PILOT = 4  # columns pushed before the two ways are compared
_TYPICAL_SWEEPS = 25


@dataclass(frozen=True, eq=False, slots=True)
class Correction:
    """What to add to a result: sparse columns from push, in order, or dense ones from relaxation."""

    problem: Problem
    columns: list[Column]
    numbers: NDArray[np.int64]
    dense: Matrix | None

    def add_to(self, matrix: Matrix, *, threads: int = 1) -> float:
        """Add the correction in place; return what rounding the sums may cost.

        Threads share out neighbouring columns, or rows: two that write to one cache line would wait for each other.
        """
        whole = (self.problem.graph.nodes, self.problem.columns)
        if matrix.shape != whole:  # compiled code would write beside it
            raise ValueError(f"the correction is for a matrix of shape {whole}, not {matrix.shape}")
        add = self._add_columns if self.dense is None else self._add_rows
        items = len(self.columns) if self.dense is None else len(matrix)
        ends = np.linspace(0, items, threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            largest = max(pool.map(lambda share: add(matrix, *share), pairwise(ends)))
        return storing(matrix.dtype, self.problem.alpha, largest, self.problem.largest_scale)

    def _add_columns(self, matrix: Matrix, first: int, last: int) -> float:
        """Add some of the sparse columns; return the largest ``|y|`` written."""
        from privge.propagation._kernels.correct import add_to_column

        scale, some = self.problem.scale, self.columns[first:last]
        return max((float(add_to_column(matrix, c.number, c.rows, c.values, scale)) for c in some), default=0.0)

    def _add_rows(self, matrix: Matrix, first: int, last: int) -> float:
        """Add some rows of the dense columns; return the largest ``|y|`` written."""
        from privge.propagation._kernels.correct import add_to_columns

        return float(add_to_columns(matrix, self.numbers, self.dense, self.problem.scale, first, last))


@dataclass(frozen=True, slots=True)
class ChangeRun:
    """Which way a change was propagated, with its guarantee and its cost."""

    engine: str
    certificate: Certificate
    seconds: float
    pushes_forecast: float
    relaxation_forecast: float


def propagate_change(
    graph: Graph,
    change: scipy.sparse.csr_array,
    walk: Walk,
    *,
    threads: int | None = None,
    engine: str | None = None,
) -> tuple[Correction, ChangeRun]:
    """Propagate a sparse change by push or by relaxing the touched columns, whichever forecast is cheaper.

    The forecast of push comes from its first columns; relaxation visits every edge about 25 times for each block
    of 16 columns. An edge visit costs about the same in both. ``engine`` forces ``push`` or ``sor``.
    """
    start = time.perf_counter()
    problem = Problem(graph, change, walk)
    touched = np.flatnonzero(np.diff(problem.by_column.indptr))
    relaxation = -(-len(touched) // LANES) * _TYPICAL_SWEEPS * len(graph.indices)
    push = Push()
    workers = [] if engine == "sor" else [Worker(problem, push.threshold(problem)) for _ in range(threads or 1)]
    columns = _push(workers, touched[:_PILOT])
    forecast = sum(column.visits for column in columns) / max(1, len(columns)) * len(touched)
    if engine == "push" or (engine is None and forecast <= relaxation):
        columns += _push(workers, touched[_PILOT:])
        certificate = Certificate(push.error(problem), forecast / max(1, len(graph.indices)), "float64")
        columns.sort(key=lambda column: column.number)
        correction, name = Correction(problem, columns, touched, None), "push"
    else:
        part = Problem(graph, scipy.sparse.csr_array(change[:, touched]), walk)
        kind = output_kind(walk.tolerance, part.largest)
        dense: Matrix = np.empty((graph.nodes, len(touched)), dtype=kind)
        certificate = Sor().solve(part.for_output(dense.dtype), dense, threads=threads or 1)
        correction, name = Correction(problem, [], touched, dense), "sor"
    if not certificate.error <= walk.tolerance:
        raise ToleranceNotReached(f"{name} certifies {certificate.error:.3g}, not the tolerance {walk.tolerance:.3g}")
    return correction, ChangeRun(name, certificate, time.perf_counter() - start, forecast, relaxation)


def _push(workers: list[Worker], numbers: NDArray[np.int64]) -> list[Column]:
    """Share the columns out among the workers, one thread each."""
    with ThreadPoolExecutor(max(1, len(workers))) as pool:
        every = len(workers)
        shares = pool.map(lambda i: [workers[i].column(int(n)) for n in numbers[i::every]], range(every))
        return [column for share in shares for column in share]
