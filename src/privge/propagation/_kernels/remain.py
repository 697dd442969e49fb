"""What a float32 solution leaves of its right-hand side, computed in float64, for one block of 16 columns."""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import LANES
from privge.propagation._kernels.rows import remain_row


@njit(cache=True, nogil=True, error_model="numpy")
def remain(indptr, indices, shares, factors, right, y, unit, left):
    """Write ``right + unit * (factors * sum of neighbours in y - y)`` to ``left`` and return its largest size.

    ``y`` is float32, and its first rows are those of ``right``; all else is float64, and ``unit`` is a power of two.
    """
    largest = np.zeros((1, LANES), np.float64)
    for v in range(indptr.size - 1):
        remain_row(y, indices, shares, indptr[v], indptr[v + 1], right, v, factors[v], unit, left, largest)
    return largest.max()
