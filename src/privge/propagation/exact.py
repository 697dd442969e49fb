"""A sparse direct solve, for tests and small graphs; its certificate is the residual it leaves."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge._typing import Progress
from privge.propagation.problem import Certificate, Matrix, Problem

_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class Exact:
    """A direct solve.

    ``D - (1-alpha) A`` is factored once, and then solved for every column.
    """

    name: ClassVar[str] = "exact"

    def solve(
        self, problem: Problem, out: Matrix, *, threads: int = 1, progress: Progress | None = None
    ) -> Certificate:
        """Write Z into ``out``."""
        from scipy.sparse.linalg import splu  # slow to load, and no other engine needs it

        graph, keep = problem.graph, 1 - problem.alpha
        strengths = np.where(graph.strengths > 0, graph.strengths, 1.0)
        matrix = scipy.sparse.diags_array(strengths) - keep * graph.to_scipy().astype(np.float64)
        roundings = 8 * (1 + problem.largest_degree) + (16 if graph.weighted else 0)
        factors = splu(matrix.tocsc())
        parts = []
        for columns in problem.blocks(_COLUMNS):
            right = problem.alpha * problem.by_column[:, columns].toarray() * strengths[:, None]
            y = factors.solve(right)
            residual = float((np.abs(right - matrix @ y) / strengths[:, None]).max(initial=0.0))
            rounding = roundings * 2**-53 * float(np.abs(y).max(initial=0.0))
            error = (residual + rounding) / problem.alpha * problem.largest_scale
            parts.append(Certificate(error, 1, "float64").plus(problem.write(out, columns, y)))
            if progress is not None:
                progress(columns.stop, problem.columns)
        return Certificate.worst(parts)
