"""One Chebyshev step over the rows of a shard, for one block of 16 columns, out of place."""

import math

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import CHUNK, LANES, add_rows, add_shares


@njit(cache=True, nogil=True, error_model="numpy")
def accelerate(indptr, indices, shares, factors, start, y, before, omega, out, rows):
    """Write ``before + omega (following - before)`` with ``following = start + factors * sum of neighbours in y``.

    For rows ``rows[0]`` to before ``rows[1]`` of the shard, which do not depend on each other. In the sum a neighbour
    counts by its share, or once if ``shares`` is None: each case is compiled by itself. The first rows of ``y`` are the
    shard's own, the others those that it needs of other shards. With ``omega = 1`` ``before`` is not read and ``out``
    is ``following``. Returns the largest ``|following - y|`` and ``|following|``.
    """
    part = np.empty(LANES, y.dtype)
    total = np.empty(LANES, np.float64)
    changes, sizes = np.zeros(LANES, y.dtype), np.zeros(LANES, y.dtype)
    for v in range(rows[0], rows[1]):
        # The sum of neighbours is written out as in `sweep`: as a function of its own it made a sweep a third slower,
        # and half if numba puts it here (`inline="always"`; the bits are the same).
        first, last = indptr[v], indptr[v + 1]
        part[:] = 0
        if shares is None:
            add_rows(y, indices, first, min(first + CHUNK, last), part)
        else:
            add_shares(y, indices, shares, first, min(first + CHUNK, last), part)
        if last - first > CHUNK:
            total[:] = part
            for e in range(first + CHUNK, last, CHUNK):
                part[:] = 0
                if shares is None:
                    add_rows(y, indices, e, min(e + CHUNK, last), part)
                else:
                    add_shares(y, indices, shares, e, min(e + CHUNK, last), part)
                total += part
            part[:] = total
        factor = factors[v]
        for lane in range(LANES):
            following = start[v, lane] + factor * part[lane]
            change, size = abs(following - y[v, lane]), abs(following)
            # A NaN is taken and then kept: a broken computation can never look converged.
            changes[lane] = change if change > changes[lane] or math.isnan(change) else changes[lane]
            sizes[lane] = size if size > sizes[lane] or math.isnan(size) else sizes[lane]
            out[v, lane] = following if omega == 1 else before[v, lane] + omega * (following - before[v, lane])
    return changes.max(), sizes.max()
