"""What is known of the noise in a matrix: its variance, by rows and by columns."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import ArrayLike, Floats


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise with mean 0 that is independent between rows; between the columns of one row it need not be.

    Parameters
    ----------
    rows
        The variance of each row, summed over its columns; an unbiased estimate of it serves as well.
    entry
        The variance of a typical entry, of which the uncertainty of a predicted gain is made: the sum of the squared
        variances of the columns over their sum.
    """

    rows: Floats
    entry: float

    @classmethod
    def of(cls, variance: ArrayLike, shape: tuple[int, int]) -> Self:
        """Take a variance that NumPy can stretch to the matrix: a number, one a column, or one a row as a column."""
        given = np.asarray(variance, dtype=np.float64)
        if not (np.isfinite(given).all() and (given >= 0).all()):
            raise ValueError("variance must be made of finite numbers of at least 0")
        try:
            whole = np.broadcast_to(given, shape)
        except ValueError as error:
            raise ValueError(f"a variance of shape {given.shape} does not fit a matrix of shape {shape}") from error
        columns = whole.mean(axis=0)
        total = columns.sum()
        return cls(whole.sum(axis=1), float(np.square(columns).sum() / total) if total else 0.0)
