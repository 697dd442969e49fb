"""Adding a correction to a finished result: few rows of a column, or all rows of some columns."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_to_column(matrix, number, rows, values, scale):
    """Add ``scale * values`` to some rows of a column; return the largest of ``|sum| / scale`` there, as stored."""
    largest = 0.0
    for i in range(rows.size):
        v = np.int64(rows[i])
        matrix[v, number] = np.float64(matrix[v, number]) + scale[v] * values[i]
        largest = max(largest, abs(np.float64(matrix[v, number])) / scale[v])
    return largest


@njit(cache=True, nogil=True)
def add_to_columns(matrix, numbers, columns, scale, first, last):
    """Add columns to those with some numbers, in rows from ``first`` to ``last``; return the largest there, as above.

    Row by row: columns one after the other would fetch every row of the matrix anew for each of them.
    """
    largest = 0.0
    for v in range(first, last):
        size = 0.0
        for i in range(numbers.size):
            matrix[v, numbers[i]] = np.float64(matrix[v, numbers[i]]) + np.float64(columns[v, i])
            size = max(size, abs(np.float64(matrix[v, numbers[i]])))
        largest = max(largest, size / scale[v])
    return largest
