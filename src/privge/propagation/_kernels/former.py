"""How well a finished result solves some rows of its system: what tells whether features are those that it is of."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def residuals(indptr, indices, weights, factors, scale, matrix, rows, start, largest):
    """Write the largest ``|start + (1-alpha) P y - y|`` of each of some rows, in float64; return the largest ``|y|``.

    That is of these rows and their neighbours. ``matrix`` is ``Z = D^r y``, ``scale`` is ``D^r``, and ``start`` has a
    row for each of ``rows``. A neighbour counts by its weight, or all count alike if ``weights`` is None.
    """
    size = 0.0
    total = np.empty(matrix.shape[1])
    for i in range(rows.size):
        v = rows[i]
        total[:] = 0
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            share = factors[v] / scale[u] if weights is None else factors[v] * weights[e] / scale[u]
            for j in range(matrix.shape[1]):
                z = np.float64(matrix[u, j])
                total[j] += share * z
                size = max(size, abs(z) / scale[u])
        worst = 0.0
        for j in range(matrix.shape[1]):
            y = np.float64(matrix[v, j]) / scale[v]
            size = max(size, abs(y))
            worst = max(worst, abs(start[i, j] + total[j] - y))
        largest[i] = worst
    return size
