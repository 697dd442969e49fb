"""Corrections: propagate a small change of the features and add it to a finished result.

The certificate of the sum is the sum of the certificates, and what rounding the sums adds. All of them bound residuals,
rounding too (`privge.propagation.problem.storing`), so that a later change of the graph can build on the sum.
"""

import math
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation._kernels.gather import LANES
from privge.propagation.problem import Certificate, Matrix, Problem, output_kind, storing
from privge.propagation.push import UNLIMITED, Column, Push, TooManyVisits, Worker
from privge.propagation.sor import Sor
from privge.propagation.system import pays_to_reorder
from privge.propagation.walk import Walk

_PILOT = 2  # columns pushed before the two ways are compared
_TYPICAL_SWEEPS = 8  # of a relaxation that begins gently
_FEW_VISITS = 1 << 16  # that any column of the pilot may take
_LINES = 2  # that a visit of push takes the time of: it reads and writes, in no order


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

    Relaxation passes every edge about 8 times for each block of 16 columns. ``engine`` forces ``push`` or ``sor``.
    """
    start = time.perf_counter()
    problem = Problem(graph, change, walk)
    touched = np.flatnonzero(np.diff(problem.by_column.indptr))
    relaxation = -(-len(touched) // LANES) * _TYPICAL_SWEEPS * len(graph.indices) / _LINES
    pushed, forecast = None, math.inf
    if engine != "sor":
        pushed, forecast = _push(problem, touched, threads or 1, float(UNLIMITED) if engine == "push" else relaxation)
    if pushed is not None:
        certificate = Certificate(Push().error(problem), forecast / max(1, len(graph.indices)), "float64")
        correction, name = Correction(problem, pushed, touched, None), "push"
    else:
        dense, certificate = _relaxed(Problem(graph, scipy.sparse.csr_array(change[:, touched]), walk), threads or 1)
        correction, name = Correction(problem, [], touched, dense), "sor"
    if not certificate.error <= walk.tolerance:
        raise ToleranceNotReached(f"{name} certifies {certificate.error:.3g}, not the tolerance {walk.tolerance:.3g}")
    return correction, ChangeRun(name, certificate, time.perf_counter() - start, forecast, relaxation)


def _push(problem: Problem, touched: NDArray[np.int64], threads: int, most: float) -> tuple[list[Column] | None, float]:
    """Push all touched columns, unless it is forecast to take more than ``most`` visits of edges; give the forecast.

    Those with most mass are a pilot. The mass of a column is the sum of its entries by strength, of which every push
    takes a part away; none may take far more visits than its mass has a share of ``most``.
    """
    shares = _shares(problem, touched)
    by_mass = np.argsort(-shares, kind="stable")
    touched, shares = touched[by_mass], shares[by_mass]
    limits = np.clip(2 * most * shares, _FEW_VISITS, UNLIMITED).astype(np.int64)
    try:
        workers = [Worker(problem, Push().threshold(problem)) for _ in range(threads)]
        columns = _push_columns(workers, touched[:_PILOT], limits[:_PILOT])
        forecast = sum(column.visits for column in columns) / (shares[:_PILOT].sum() or 1.0)
        if forecast > most:
            return None, forecast
        columns += _push_columns(workers, touched[_PILOT:], limits[_PILOT:])
    except (TooManyVisits, ToleranceNotReached):
        if most == UNLIMITED:
            raise
        return None, math.inf
    return sorted(columns, key=lambda column: column.number), forecast


def _shares(problem: Problem, touched: NDArray[np.int64]) -> Floats:
    """Return the share of each touched column in the mass of all."""
    strengths = problem.graph.strengths / (problem.graph.largest_strength or 1.0)
    sizes = abs(problem.by_column)
    sizes.data /= float(sizes.data.max(initial=0.0)) or 1.0  # so that no sum overflows
    masses = (sizes.T @ strengths)[touched]
    shares: Floats = masses / (masses.sum() or 1.0)
    return shares


def _push_columns(workers: list[Worker], numbers: NDArray[np.int64], limits: NDArray[np.int64]) -> list[Column]:
    """Push columns, each by the worker that is free first; some may not take more visits than a limit."""
    waiting = iter(list(zip(numbers.tolist(), limits.tolist(), strict=True)))

    def work(worker: Worker) -> list[Column]:
        try:
            return [worker.column(number, most=limit) for number, limit in waiting]
        except TooManyVisits:
            deque(waiting, maxlen=0)  # nobody needs the others any more
            raise

    with ThreadPoolExecutor(len(workers)) as pool:
        return [column for share in pool.map(work, workers) for column in share]


def _relaxed(problem: Problem, threads: int) -> tuple[Matrix, Certificate]:
    """Relax all columns of a change."""
    kind = output_kind(problem.tolerance, problem.largest)
    dense: Matrix = np.empty((problem.graph.nodes, problem.columns), dtype=kind)
    pays = pays_to_reorder(problem.graph.nodes, problem.columns // (2 * LANES))  # half as many sweeps
    engine = Sor(reorder=pays, gentle=True)
    return dense, engine.solve(problem.for_output(dense.dtype), dense, threads=threads)
