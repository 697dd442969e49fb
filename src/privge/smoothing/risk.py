"""Stein's unbiased estimate of what a smoother gains over the mean.

``Y = X + N`` with clean rows ``X`` and independent noise of known variance. The mean row ``m`` is the estimate that
needs no graph. A smoother ``H`` and a factor ``c`` estimate ``X`` by ``Z = m + c H (Y - m)``. Its squared error minus
that of the mean, summed over the rows that were observed, is

    ``c^2 |W|^2 - 2 c <W, X - m>``    with ``W = H (Y - m)``.

Everything but ``X`` is known, and ``<W, X - m>`` has the mean of ``<W, Y - m> - t``, where ``t`` is the trace of
``H C V``: ``V`` holds the variances of the rows and ``C`` takes the mean away. So the gain of a factor is known
without bias, the best factor is ``c = (<W, Y - m> - t) / |W|^2``, and with it the gain is ``c^2 |W|^2``, if c > 0. No
label and no clean value is read.

*Evidence.* If rows were all alike and there were noise alone, ``<W, Y - m> - t`` would have mean 0 and a variance of
about ``2 v |W|^2``, with v the variance of an entry. The gain is believed if that many standard deviations above 0
are more than chance gives the best of a few dozen candidates (`EVIDENT`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation import Matrix
from privge.smoothing.noise import Noise
from privge.smoothing.smoother import Smoother

EVIDENT = 3.0
"""Standard deviations from which on a gain is believed."""

_COLUMNS = 64  # smoothed at once


@dataclass(frozen=True, slots=True)
class Risk:
    """What a smoother is expected to gain over the mean.

    Parameters
    ----------
    smoother
        Which one.
    factor
        What ``H (Y - m)`` is best multiplied by; 0 if nothing is gained.
    gain
        By how much the squared error is expected to fall, in the units of the matrix squared.
    evidence
        How many standard deviations of the estimate lie between nothing and it.
    """

    smoother: Smoother
    factor: float
    gain: float
    evidence: float


@dataclass(frozen=True, eq=False)
class Observations:
    """Noisy rows, which of them were observed, and what is known of their noise.

    Parameters
    ----------
    rows
        One row for each node; those that were not observed are empty.
    observed
        Which were.
    noise
        Their noise.
    """

    rows: scipy.sparse.csr_array
    observed: NDArray[np.bool_]
    noise: Noise

    @cached_property
    def mean(self) -> Floats:
        """The mean of the observed rows."""
        mean: Floats = np.asarray(self.rows.sum(axis=0), dtype=np.float64).ravel() / max(1, self.observed.sum())
        return mean

    @cached_property
    def spread(self) -> float:
        """The squared distance of the clean rows from their mean, summed: what there is to gain. Unbiased."""
        energy = float(np.square(self.rows.data.astype(np.float64)).sum())
        about_mean = energy - self.observed.sum() * float(self.mean @ self.mean)
        return float(about_mean - self._variances.sum() * (1 - 1 / max(1, int(self.observed.sum()))))

    def blocks(self) -> Iterator[tuple[slice, scipy.sparse.csr_array]]:
        """Yield some columns at a time."""
        by_column = self.rows.tocsc()
        for first in range(0, self.rows.shape[1], _COLUMNS):
            columns = slice(first, min(first + _COLUMNS, self.rows.shape[1]))
            yield columns, scipy.sparse.csr_array(by_column[:, columns])

    def smoothed(self, smoother: Smoother) -> Iterator[tuple[slice, Matrix, Matrix]]:
        """Yield columns of ``Y - m``, with 0 in rows that were not observed, and of ``H (Y - m)``."""
        reached = self._reached(smoother)
        for columns, block in self.blocks():
            mean = self.mean[columns]
            centred = block.toarray() - np.outer(self.observed, mean)
            yield columns, centred, smoother.apply(block) - np.outer(reached, mean)

    def risk(self, smoother: Smoother) -> Risk:
        """Return what a smoother is expected to gain over the mean, by Stein's estimate."""
        agreement = size = 0.0
        for _, centred, smooth in self.smoothed(smoother):
            own = smooth[self.observed]
            agreement += float(np.einsum("ij,ij->", own, centred[self.observed], dtype=np.float64))
            size += float(np.einsum("ij,ij->", own, own, dtype=np.float64))
        if size == 0:
            return Risk(smoother, 0.0, 0.0, 0.0)
        overlap, error = self._overlap(smoother)
        known = agreement - overlap
        factor = max(0.0, known / size)
        evidence = known / max(math.hypot(math.sqrt(2 * self.noise.entry * size), error), 1e-300)
        return Risk(smoother, factor, factor**2 * size, evidence)

    def _overlap(self, smoother: Smoother) -> tuple[float, float]:
        """Return the trace of ``H C V`` and its standard error: how much of its own noise a row keeps."""
        variances = self._variances
        trace = smoother.trace(variances)
        return trace.value - float(variances @ self._reached(smoother)) / max(1, int(self.observed.sum())), trace.error

    def _reached(self, smoother: Smoother) -> Floats:
        """Return ``H`` times a column of 1 for each observed row."""
        column = scipy.sparse.csr_array(self.observed.astype(np.float64)[:, None])
        reached: Floats = np.asarray(smoother.apply(column), dtype=np.float64)[:, 0]
        return reached

    @property
    def _variances(self) -> Floats:
        return np.where(self.observed, self.noise.rows, 0.0)
