"""Relaxation sweeps over one block of 16 columns, in place."""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import CHUNK, LANES, add_rows, add_shares, relax_row


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(indptr, indices, shares, factors, start, y, omega):
    """Relax every row once: ``y[v] += omega * (start[v] + factors[v] * sum of neighbours - y[v])``.

    In the sum a neighbour counts by its share, or once if ``shares`` is None: each case is compiled by itself. Returns
    the largest change and the largest ``|y|``.
    """
    part = np.empty(LANES, y.dtype)
    total = np.empty(LANES, np.float64)
    largest = np.zeros((2, LANES), y.dtype)
    for v in range(indptr.size - 1):
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
        relax_row(y, start, v, part, factors[v], omega, largest)
    return largest[0].max(), largest[1].max()


@njit(cache=True, nogil=True)
def write_shares(indptr, weights, strengths, shares):
    """Write the share of each entry: its weight by the strength of its row."""
    for v in range(indptr.size - 1):
        for e in range(indptr[v], indptr[v + 1]):
            shares[e] = weights[e] / strengths[v]


@njit(cache=True, nogil=True)
def write_rows(y, place, scale, out, first, width):
    """Write ``scale[v] * y[place[v]]`` to ``width`` columns of ``out`` from ``first`` on; return the largest size."""
    largest = 0.0
    for v in range(place.size):
        row, factor = place[v], scale[v]
        for lane in range(width):
            z = factor * np.float64(y[row, lane])
            out[v, first + lane] = z
            largest = max(largest, abs(z))
    return largest
