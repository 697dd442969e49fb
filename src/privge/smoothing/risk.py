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
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation import Matrix
from privge.smoothing.noise import Noise
from privge.smoothing.smoother import Smoother, Trace

EVIDENT = 3.0
"""Standard deviations from which on a gain is believed."""

_COLUMNS = 64  # smoothed at once


@dataclass(frozen=True, slots=True)
class Risk:
    """What a smoother is expected to gain over the mean.

    Parameters
    ----------
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


class Smooth(NamedTuple):
    """Some columns of the noisy rows about their mean, of the smoothed ones, and what ``H`` makes of a constant."""

    columns: slice
    centred: Matrix
    smooth: Matrix
    reached: Floats


@dataclass(frozen=True, eq=False)
class Observations:
    """Noisy rows, which of them were observed, and what is known of their noise.

    Nothing is learnt from rows that were not observed.

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

    @cached_property
    def blocks(self) -> list[tuple[slice, scipy.sparse.csr_array]]:
        """Some columns at a time."""
        by_column, width = self.rows.tocsc(), self.rows.shape[1]
        parts = [slice(first, min(first + _COLUMNS, width)) for first in range(0, width, _COLUMNS)]
        return [(columns, scipy.sparse.csr_array(by_column[:, columns])) for columns in parts]

    def smoothed(self, smoother: Smoother) -> Iterator[Smooth]:
        """Yield columns of ``Y - m``, with 0 in rows that were not observed, and of ``H (Y - m)``."""
        reached = np.zeros(len(self.observed))
        for columns, block in self.blocks:
            first = columns.start == 0
            whole = smoother.apply(self._with_ones(block) if first else block)
            if first:
                reached = np.asarray(whole[:, -1] / self._largest, dtype=np.float64)
            own, mean = whole[:, : block.shape[1]], self.mean[columns]
            centred = block.toarray()
            centred[self._seen] -= mean.astype(centred.dtype)
            yield Smooth(columns, centred, own - np.outer(reached, mean), reached)

    def risk(self, smoother: Smoother) -> Risk:
        """Return what a smoother is expected to gain over the mean, by Stein's estimate."""
        agreement = size = 0.0
        reached = np.zeros(len(self.observed))
        for part in self.smoothed(smoother):
            own, reached = part.smooth[self._seen], part.reached
            agreement += float(np.einsum("ij,ij->", own, part.centred[self._seen], dtype=np.float64))
            size += float(np.einsum("ij,ij->", own, own, dtype=np.float64))
        if size == 0:
            return Risk(smoother, 0.0, 0.0, 0.0)
        overlap = self.overlap(smoother, reached)
        known = agreement - overlap.value
        factor = max(0.0, known / size)
        evidence = known / max(math.hypot(math.sqrt(2 * self.noise.entry * size), overlap.error), 1e-300)
        return Risk(smoother, factor, factor**2 * size, evidence)

    def overlap(self, smoother: Smoother, reached: Floats) -> Trace:
        """Return the trace of ``H C V``, how much of its own noise a row keeps; ``reached`` is ``H`` times ones."""
        trace = smoother.trace(self._variances)
        of_mean = float(self._variances @ reached) / max(1, int(self.observed.sum()))
        return Trace(trace.value - of_mean, trace.error)

    def _with_ones(self, block: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """Put a column beside others that is the same for all observed rows, and as large as anything."""
        ones = scipy.sparse.csr_array(self._largest * self.observed[:, None])
        return scipy.sparse.csr_array(scipy.sparse.hstack([block, ones], format="csr"))

    @cached_property
    def _seen(self) -> NDArray[np.bool_] | slice:
        """The observed rows; all of them are a slice, which needs no copy."""
        return slice(None) if self.observed.all() else self.observed

    @cached_property
    def _largest(self) -> float:
        return float(np.abs(self.rows.data).max(initial=0.0)) or 1.0

    @property
    def _variances(self) -> Floats:
        return np.where(self.observed, self.noise.rows, 0.0)
