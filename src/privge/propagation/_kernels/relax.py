"""Relaxation sweeps over one block of 16 columns, in place, and what they begin and end with."""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import LANES
from privge.propagation._kernels.rows import add_row, measure_row, relax_row


@njit(cache=True, nogil=True, error_model="numpy")
def weighted_mean(weights, rows):
    """Return the sum of ``weights[v] * rows[v]`` by that of the weights, column by column; 0 without weights."""
    whole = weights.sum()
    total = np.zeros(LANES, np.float64)
    for v in range(weights.size):
        if weights[v] > 0:
            add_row(rows, v, weights[v] / whole, total)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(indptr, indices, shares, factors, start, y, omega):
    """Relax every row once: ``y[v] += omega * (start[v] + factors[v] * sum of neighbours - y[v])``.

    In the sum a neighbour counts by its share, or once if ``shares`` is None: each case is compiled by itself. Returns
    the largest change and the largest ``|y|``.
    """
    largest = np.zeros((2, LANES), y.dtype)
    for v in range(indptr.size - 1):
        relax_row(y, indices, shares, indptr[v], indptr[v + 1], start, v, factors[v], omega, largest)
    return largest[0].max(), largest[1].max()


@njit(cache=True, nogil=True, error_model="numpy")
def measure(indptr, indices, shares, factors, start, y):
    """Return the largest ``|start[v] + factors[v] * sum of neighbours - y[v]|`` and ``|y|``, computed in float64."""
    largest = np.zeros((2, LANES), np.float64)
    for v in range(indptr.size - 1):
        measure_row(y, indices, shares, indptr[v], indptr[v + 1], start, v, factors[v], largest)
    return largest[0].max(), largest[1].max()


@njit(cache=True, nogil=True)
def write_shares(indptr, weights, strengths, shares):
    """Write the share of each entry: its weight by the strength of its row."""
    for v in range(indptr.size - 1):
        for e in range(indptr[v], indptr[v + 1]):
            shares[e] = weights[e] / strengths[v]


@njit(cache=True, nogil=True)
def write_rows(y, correction, unit, place, scale, out, first, width):
    """Write ``scale[v] * y[place[v]]`` to ``width`` columns of ``out`` from ``first`` on; return the largest size.

    ``unit * correction`` is added to ``y`` before, unless it is None: each case is compiled by itself.
    """
    largest = 0.0
    for v in range(place.size):
        row, factor = place[v], scale[v]
        for lane in range(width):
            whole = np.float64(y[row, lane])
            if correction is not None:
                whole += unit * np.float64(correction[row, lane])
            z = factor * whole
            out[v, first + lane] = z
            largest = max(largest, abs(z))
    return largest
