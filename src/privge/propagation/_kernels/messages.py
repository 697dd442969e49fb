"""How far rows are from what others know of them, in steps that fit in a byte."""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import LANES
from privge.propagation._kernels.rows import distance_row


@njit(cache=True, nogil=True, error_model="numpy")
def farthest(rows, others):
    """Return the largest ``|rows - others|`` over as many rows as ``others`` has; a NaN is kept."""
    largest = np.zeros((1, LANES), rows.dtype)
    for v in range(others.shape[0]):
        distance_row(rows, others, v, largest)
    return largest.max()


@njit(cache=True, nogil=True, error_model="numpy")
def count_steps(wanted, known, step, steps):
    """Write how many steps it is from ``known`` to ``wanted``, rounded; all are flat."""
    for i in range(steps.size):
        steps[i] = np.int8(np.rint((wanted[i] - known[i]) / step))


@njit(cache=True, nogil=True, error_model="numpy")
def add_steps(known, steps, step, following):
    """Write ``known + step * steps``; all are flat. Whoever adds the same steps to the same rows has the same bits."""
    for i in range(steps.size):
        following[i] = known[i] + step * np.float32(steps[i])
