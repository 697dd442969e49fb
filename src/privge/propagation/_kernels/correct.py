"""Adding a correction to a finished result: few rows of a column, or all rows of some columns."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_to_column(matrix, number, rows, values, scale):
    """Add values to some rows of a column; return the largest of ``|sum| / scale`` there."""
    largest = 0.0
    for i in range(rows.size):
        v = np.int64(rows[i])
        z = np.float64(matrix[v, number]) + values[i]
        matrix[v, number] = z
        largest = max(largest, abs(z) / scale[v])
    return largest


@njit(cache=True, nogil=True)
def add_to_columns(matrix, numbers, columns, scale, first, last):
    """Add columns to those with some numbers, in the rows from ``first`` to ``last``; return as above.

    Row by row: columns one after the other would fetch every row of the matrix anew for each of them.
    """
    largest = 0.0
    for v in range(first, last):
        size = 0.0
        for i in range(numbers.size):
            z = np.float64(matrix[v, numbers[i]]) + np.float64(columns[v, i])
            matrix[v, numbers[i]] = z
            size = max(size, abs(z))
        largest = max(largest, size / scale[v])
    return largest
