"""Whether a finished result is of the features that somebody says it is of.

A certificate ``c`` is the bound of a residual (`privge.propagation.problem`): ``start + (1-alpha) P y - y`` is in every
row at most ``alpha c / max(D)^r``, and what storing the result added, ``2 - alpha`` roundings of the largest ``|y|``.
So whoever has the graph can ask the result itself, row by row, for its features: other ones that differ by more than
about ``2 c D^r / max(D)^r`` are found out for certain, and closer ones are as good as those.
"""

import numpy as np
from numpy.typing import NDArray

from privge.propagation.problem import Matrix, Problem, rounding

_ENTRIES = 1 << 22  # of features that are dense at a time


def other_rows(problem: Problem, matrix: Matrix, rows: NDArray[np.int64], certificate: float) -> int:
    """Count the rows in which a result with a certificate is of other features than those of the problem."""
    from privge.propagation._kernels.former import residuals

    graph, alpha, scale = problem.graph, problem.alpha, problem.scale
    height, found = max(1, _ENTRIES // max(1, problem.columns)), 0
    promised = alpha * certificate / problem.largest_scale
    for first in range(0, len(rows), height):
        some = rows[first : first + height]
        start = alpha * problem.features[some].toarray().astype(np.float64) / scale[some, None]
        largest = np.empty(len(some))
        edges, factors = (graph.indptr, graph.indices, graph.weights), problem.factors
        size = residuals(*edges, factors, scale, matrix, some, start, largest)
        size = max(float(size), float(np.abs(start).max(initial=0.0)))
        computed = (problem.largest_degree + 64) * 2**-53 * size
        found += int((~(largest <= promised + 2 * rounding(matrix.dtype, size) + computed)).sum())
    return found
