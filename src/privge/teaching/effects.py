"""What the profiles of each class have in common, from noisy reports of whole profiles.

Two estimates are linear in the reports, so the variance of their noise is known exactly:

*marginal*
    The mean of the reports of each class, minus the mean of all. Labelled people count with their class, the others
    with their public probabilities. Right where a class explains a profile and the graph adds nothing.
*partial*
    The slope of the reports on what the label says beyond the public prior (the label minus its probability), of
    labelled people alone. Right where people of one neighbourhood resemble each other whatever their class, but
    noisier.

They are put together as ``marginal + share * (partial - marginal)``. How far the two differ beyond their known noise
decides the share, as James and Stein would; then `privge.teaching.shrinkage` shrinks the result coordinate by
coordinate.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.teaching.shrinkage import shrinkage

_CHUNK = 4096  # reports that are decoded at once
_ALIKE = 1e-20  # sum of squares below which coefficients differ by rounding alone
Blocks = Iterator[tuple[slice, NDArray[np.floating]]]
"""Which people, and their profiles or estimates of them."""


@dataclass(frozen=True, eq=False, slots=True)
class Teachers:
    """What is public about those who teach.

    Parameters
    ----------
    prior
        Probabilities of their classes, without their own labels.
    labels
        Their classes; -1 where it is not known.
    """

    prior: Floats
    labels: NDArray[np.int64]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Whose class is known."""
        return self.labels >= 0

    @property
    def expected(self) -> Floats:
        """Probabilities of classes: 1 for a known one."""
        return np.where(self.labelled[:, None], self._truth, self.prior)

    @property
    def surprise(self) -> Floats:
        """What a known label says beyond the prior; 0 of people without one."""
        return np.where(self.labelled[:, None], self._truth - self.prior, 0.0)

    @property
    def _truth(self) -> NDArray[np.bool_]:
        truth: NDArray[np.bool_] = np.arange(self.prior.shape[1]) == self.labels[:, None]
        return truth


@dataclass(frozen=True, eq=False, slots=True)
class Effects:
    """Effects of classes on profiles of length 1.

    An effect is how far the mean profile of a class lies from that of everybody.

    Parameters
    ----------
    values
        One row for each class, one column for each coordinate; shrunk.
    mean
        Of all profiles.
    share
        Of the partial estimate.
    kept
        The share of the estimates' energy that shrinking kept: near 0, the reports taught nothing.
    """

    values: Floats
    mean: Floats
    share: float
    kept: float


def class_effects(blocks: Blocks, teachers: Teachers, noise: Floats, live: NDArray[np.bool_]) -> Effects:
    """Estimate effects from profiles that come in blocks.

    Parameters
    ----------
    blocks
        Unbiased estimates of profiles of length 1.
    teachers
        What is public about the same people, in the same order.
    noise
        The variance of each coordinate that was added for privacy; 0 for clean profiles.
    live
        Which coordinates a profile can have at all.
    """
    if not teachers.labelled.any():
        raise BadData("nobody who teaches has a label: there is nothing to learn classes from")
    marginal = _centred(_over(teachers.expected, teachers.expected.sum(axis=0)))
    if np.square(marginal).sum() < _ALIKE:
        raise BadData("all who teach are of one class, as far as anybody knows: there are no two to tell apart")
    partial = _centred(_over(teachers.surprise, np.square(teachers.surprise).sum(axis=0)))
    people, classes = marginal.shape
    sums = np.zeros((2 * classes + 1, len(noise)))
    coefficients = np.hstack([marginal, partial, np.full((people, 1), 1 / people)])
    for rows, profiles in blocks:
        sums += coefficients[rows].T @ profiles
    sums, total = sums[:, live], noise[live].mean() + 1 / live.sum()  # people differ, too: by 1 in all coordinates
    share = _share(sums[:classes], sums[classes:-1], marginal, partial, total)
    mixed = marginal + share * (partial - marginal)
    raw = sums[:classes] + share * (sums[classes:-1] - sums[:classes])
    mean = sums[-1]
    factors = shrinkage(raw, total * np.square(mixed).sum(axis=0), _frequencies(mean, total / people))
    values, whole_mean = np.zeros((classes, len(noise))), np.zeros(len(noise))
    values[:, live], whole_mean[live] = raw * factors, mean
    return Effects(values, whole_mean, share, float(np.square(raw * factors).sum() / max(np.square(raw).sum(), 1e-300)))


def _share(first: Floats, second: Floats, marginal: Floats, partial: Floats, variance: float) -> float:
    """Return the share of the second estimate that makes the mean squared error smallest.

    What the first misses is taken as how far the two differ beyond the noise, but at most as what the first shows
    itself: where the second is very noisy, chance would make it look larger than any effect can be.
    """
    scale = first.shape[1] * variance
    noise = scale * np.square(partial - marginal).sum()
    shown = max(float(np.square(first).sum() - scale * np.square(marginal).sum()), 0.0)
    missed = float(np.clip(np.square(second - first).sum() - noise, 0.0, shown))
    return float(missed / (missed + noise))


def _frequencies(mean: Floats, variance: float) -> Floats | None:
    """Return the means of coordinates that are never negative, as far as noise allows to say; None for others."""
    error = variance**0.5
    return np.maximum(mean, error) if (mean > -2 * error).mean() > 0.97 else None


def _over(values: Floats, sums: Floats) -> Floats:
    """Divide by sums; what has the sum 0 stays 0, such as of a class that no teacher could be of."""
    return np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)


def _centred(coefficients: Floats) -> Floats:
    centred: Floats = coefficients - coefficients.mean(axis=0)
    return centred
