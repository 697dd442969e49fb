"""Chebyshev iteration: for graphs whose rows are spread over machines, where in-place order is impossible.

The eigenvalues of ``(1-alpha) P`` lie in ``[-(1-alpha), 1-alpha]``, for every graph and every r, so the optimal
weights are known in advance. Each step is one product with the whole adjacency and leaves ``rho / (1 + sqrt(1 -
rho^2))`` of the error, ``rho = 1-alpha``; a sweep of over-relaxation leaves, at best, the square of that.

*Certificate.* With ``next = start + (1-alpha) P y`` and ``change = max |next - y|``, ``next`` is within
``((1-alpha) change + rounding) / alpha`` of the solution, as for a Gauss-Seidel sweep. All is float64. Weights cost 20
roundings more a row (see `privge.propagation.relaxation`).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge._typing import Floats, Progress
from privge.propagation.problem import Certificate, Matrix, Problem

_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class Chebyshev:
    """Chebyshev semi-iteration on blocks of columns."""

    name: ClassVar[str] = "chebyshev"

    def solve(
        self, problem: Problem, out: Matrix, *, threads: int = 1, progress: Progress | None = None
    ) -> Certificate:
        """Write Z into ``out``; scipy's product uses one thread, whatever ``threads`` says."""
        graph = problem.graph
        entries = np.repeat(problem.factors, graph.degrees)
        if graph.weights is not None:
            entries *= graph.weights
        step = scipy.sparse.csr_array((entries, graph.indices, graph.indptr), shape=(graph.nodes, graph.nodes))
        parts = []
        for columns in problem.blocks(_COLUMNS):
            start = problem.alpha * problem.by_column[:, columns].toarray()
            y, certificate = _iterate(problem, step, start)
            parts.append(certificate.plus(problem.write(out, columns, y)))
            if progress is not None:
                progress(columns.stop, problem.columns)
        return Certificate.worst(parts)


def _iterate(problem: Problem, step: scipy.sparse.csr_array, start: Floats) -> tuple[Floats, Certificate]:
    keep = 1 - problem.alpha
    roundings = problem.largest_degree + (28 if problem.graph.weighted else 8)
    before, y, omega, sweeps, best = start, start + step @ start, 2.0, 1, np.inf
    while True:
        following = start + step @ y
        sweeps += 1
        change = float(np.abs(following - y).max(initial=0.0))
        rounding = roundings * 2**-53 * float(np.abs(following).max(initial=0.0))
        error = (keep * change + rounding) / problem.alpha * problem.largest_scale
        if error <= problem.tolerance or (change == 0 or (error >= best and sweeps > 40 / problem.alpha)):
            return following, Certificate(error, sweeps, "float64")
        best = min(best, error)
        omega = 1 / (1 - keep**2 * omega / 4)
        before, y = y, omega * (following - before) + before
