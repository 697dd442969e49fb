"""How far apart classes lie: the squared distance of their mean rows, unbiased, from clean rows or from noisy reports.

Means of few rows differ by chance, and those of noisy reports by much. What chance adds is known from how rows vary
within a class, and is taken off; so the estimate is right on the average, and may be below 0 where there is nothing.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats

_GROUPS = 8


@dataclass(frozen=True, eq=False, slots=True)
class Separation:
    """Of two classes, on the average over pairs.

    The squared difference of means is in ``energies``, for each column, and ``error`` is the standard error of their
    sum. ``within`` is the variance of rows of one class, for each column: of clean rows and noise together.
    """

    energies: Floats
    error: float
    within: Floats

    @property
    def energy(self) -> float:
        """The squared distance."""
        return float(self.energies.sum())

    def scatter(self, noise: float = 0.0) -> float:
        """Return how clean rows of a class vary in the columns that tell classes apart, where so much is noise."""
        weights = np.maximum(self.energies, 0.0)
        mean = float(self.within.mean()) if not weights.any() else float(weights @ self.within / weights.sum())
        return max(0.0, mean - noise)

    @classmethod
    def of(cls, rows: NDArray[np.floating] | scipy.sparse.csr_array, labels: NDArray[np.int64]) -> Self:
        """Estimate it.

        Parameters
        ----------
        rows
            One for each person: clean values, or unbiased decoded reports.
        labels
            Their classes.
        """
        places, classes = np.unique(labels, return_inverse=True)
        groups = np.random.default_rng(46).permutation(len(labels)) % _GROUPS
        held = scipy.sparse.csr_array(rows, dtype=np.float64)
        cells = classes * _GROUPS + groups
        ones = scipy.sparse.csr_array(
            (np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(len(places) * _GROUPS, len(cells))
        )
        shape = (len(places), _GROUPS, held.shape[1])
        counts = np.bincount(cells, minlength=shape[0] * _GROUPS).reshape(shape[:2]).astype(np.float64)
        sums, squares = ((ones @ part).toarray().reshape(shape) for part in (held, held.power(2)))
        energies, within = _energies(counts.sum(axis=1), sums.sum(axis=1), squares.sum(axis=1))
        kept = np.ones((_GROUPS, _GROUPS)) - np.eye(_GROUPS)
        left_out = [_energies(counts @ keep, np.tensordot(sums, keep, (1, 0)), np.tensordot(squares, keep, (1, 0)))[0]
                    .sum() for keep in kept]  # fmt: skip
        return cls(energies, float(((_GROUPS - 1) * np.var(left_out)) ** 0.5), within)


def _energies(counts: Floats, sums: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the unbiased squared differences, and the variance within classes, by column."""
    used = counts > 1
    counts, sums, squares = counts[used], sums[used], squares[used]
    if len(counts) < 2:
        return np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
    means, shares = sums / counts[:, None], counts / counts.sum()
    variances = (squares - counts[:, None] * np.square(means)) / (counts[:, None] - 1)
    between = shares @ np.square(means - shares @ means)
    chance = (shares * (1 - shares) / counts) @ variances
    scale = 2 / (1 - float(np.square(shares).sum()))  # from the distance to the mean to that of two different classes
    return scale * (between - chance), shares @ variances
