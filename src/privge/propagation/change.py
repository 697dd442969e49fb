"""Corrections: propagate a small change of the features and add it to a finished result."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.graph import Graph
from privge.propagation.problem import Certificate, Matrix, Problem
from privge.propagation.push import Column, Push
from privge.propagation.sor import Sor

_PILOT = 4  # columns pushed before the two ways are compared
_TYPICAL_SWEEPS = 25


@dataclass(frozen=True, eq=False, slots=True)
class Correction:
    """What to add to a result: sparse columns from push, or dense ones from relaxation."""

    columns: list[Column]
    numbers: NDArray[np.int64]
    dense: Matrix | None

    def add_to(self, matrix: Matrix) -> None:
        """Add the correction in place."""
        for column in self.columns:
            matrix[column.rows, column.number] += column.values.astype(matrix.dtype)
        if self.dense is not None:
            for position, number in enumerate(self.numbers):
                matrix[:, number] += self.dense[:, position]


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
    *,
    alpha: float,
    r: float,
    tolerance: float,
    threads: int | None = None,
    engine: str | None = None,
) -> tuple[Correction, ChangeRun]:
    """Propagate a sparse change by push or by relaxing the touched columns, whichever forecast is cheaper.

    The forecast of push comes from its first columns; relaxation visits every edge about 25 times for each block
    of 16 columns. An edge visit costs about the same in both. ``engine`` forces ``push`` or ``sor``.
    """
    start = time.perf_counter()
    problem = Problem(graph, change, alpha, r, tolerance)
    touched = np.flatnonzero(np.diff(problem.by_column.indptr))
    relaxation = -(-len(touched) // 16) * _TYPICAL_SWEEPS * len(graph.indices)
    push = Push()
    columns = [] if engine == "sor" else list(push.columns(problem, touched[:_PILOT]))
    forecast = sum(column.visits for column in columns) / max(1, len(columns)) * len(touched)
    if engine == "push" or (engine is None and forecast <= relaxation):
        columns += _push_threaded(push, problem, touched[_PILOT:], threads or 1)
        certificate = Certificate(push.error(problem), forecast / max(1, len(graph.indices)), "float64")
        correction = Correction(columns, touched, None)
        return correction, ChangeRun("push", certificate, time.perf_counter() - start, forecast, relaxation)
    part = Problem(graph, scipy.sparse.csr_array(change[:, touched]), alpha, r, tolerance)
    dense: Matrix = np.empty((graph.nodes, len(touched)), dtype=np.float32)
    certificate = Sor().solve(part.for_output(dense.dtype), dense, threads=threads or 1)
    run = ChangeRun("sor", certificate, time.perf_counter() - start, forecast, relaxation)
    return Correction([], touched, dense), run


def _push_threaded(push: Push, problem: Problem, numbers: NDArray[np.int64], threads: int) -> list[Column]:
    with ThreadPoolExecutor(threads) as pool:
        shares = pool.map(lambda first: list(push.columns(problem, numbers[first::threads])), range(threads))
        return [column for share in shares for column in share]
