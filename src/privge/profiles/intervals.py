"""Confidence intervals of a mean, from the exactly known noise of the law.

*What is estimated.* The mean of ``u`` over all ``N`` people of a group who reported, as their devices rounded and
bounded it. Only ``n`` of them answered in this column: which, follows from campaign and node and not from anybody's
values, so they are a random sample without replacement of the ``N``. Their mean unbiased answer has this mean exactly,
and the variance ``V / n`` with

    ``V(m) = at_low + tilt m - bend w + f (m (1 - m) - w)``,    ``f = (N - n) / (N - 1)``,

where ``m`` is the mean itself and ``w`` the mean of ``u (1 - u)`` over the group. The first three terms are the noise.
The last one is the sampling: ``m (1 - m) - w`` is the variance of ``u`` in the group, and ``f`` is 0 if all answered.

*What is known of w.* It is 0 where values are 0 or 1. Else the mean square of the answers says it without bias. Under a
two-point law of more than two levels, and of a direction, nobody can say. Then it is taken such that V is largest, and
``f`` becomes ``max(f, -bend)``: the interval is as wide as it must be, and too wide if most people of a group answered.

*The interval* has all ``m`` with ``|mean - m| <= z sqrt(V(m) / n)``: a quadratic inequality, because V is quadratic.
Where few of a group answer through a two-point or a choice law, it is Wilson's interval of the share of a code, pulled
through the law.
An estimate that noise carried beyond the bounds counts as the bound: no mean lies beyond it, so that the interval has
all that it had within the bounds and more, covers at least as often, and is never empty or a single point.
It never uses what other groups answered: intervals that borrow strength do not cover.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.profiles.columns import Columns
from privge.profiles.tallies import Tallies


@dataclass(frozen=True, eq=False, slots=True)
class Variance:
    """``V(m) = constant + linear m + square m^2`` in each cell: the variance of one answer, sampling included."""

    constant: Floats
    linear: Floats
    square: Floats

    @classmethod
    def of(cls, columns: Columns, tallies: Tallies) -> Self:
        """Return the variance of every group and column."""
        return cls.from_parts(columns, unasked(tallies), measured_inside(columns, tallies))

    @classmethod
    def from_parts(cls, columns: Columns, f: Floats, inside: Floats) -> Self:
        """Return the variance, given the factor of the sampling and the mean of ``u (1 - u)``."""
        at_low, tilt, bend = (columns.of_noises(name) for name in ("at_low", "tilt", "bend"))
        f = np.where(columns.are_inside("unknown"), np.maximum(f, -bend), f)
        return cls(at_low - (bend + f) * inside, tilt + f, -f)

    @classmethod
    def largest(cls, columns: Columns) -> Floats:
        """Return what V is at most in each column, whatever people have and however few of a group are asked."""
        variance = cls.from_parts(columns, np.ones(len(columns)), np.zeros(len(columns)))
        return variance.at(np.clip(variance.linear / (-2 * variance.square), 0, 1))

    def at(self, mean: Floats) -> Floats:
        """Return V at a mean; never below 0."""
        return np.asarray(np.maximum(self.constant + self.linear * mean + self.square * mean**2, 0.0))


@dataclass(frozen=True, eq=False, slots=True)
class Intervals:
    """Estimates and intervals of every cell, as places between the bounds.

    Parameters
    ----------
    mean
        The unbiased estimate; noise may carry it beyond the bounds.
    low, high
        The interval, within the bounds.
    clipped
        Whether the interval reached beyond the bounds and was cut there.
    """

    mean: Floats
    low: Floats
    high: Floats
    clipped: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: Columns, tallies: Tallies, z: float) -> Self:
        """Return the intervals of all cells; a cell without an answer has none."""
        means = mean_answers(tallies)
        return cls.around(means, Variance.of(columns, tallies), tallies, z).widened(columns.of_noises("bias"))

    @classmethod
    def around(cls, mean: Floats, variance: Variance, tallies: Tallies, z: float) -> Self:
        """Solve ``n (mean - m)^2 <= z^2 V(m)`` for ``m``, the mean taken within the bounds."""
        n, near = tallies.answers, np.clip(mean, 0, 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            quadratic = n - z**2 * variance.square
            half = n * near + z**2 * variance.linear / 2
            rest = n * near**2 - z**2 * variance.constant
            root = np.sqrt(np.maximum(half**2 - quadratic * rest, 0.0))
            low, high = (half - root) / quadratic, (half + root) / quadratic
        return cls(mean, low, high, np.zeros(mean.shape, dtype=np.bool_))

    def widened(self, by: Floats) -> Self:
        """Return the intervals with a bound of the bias added, cut at the bounds: nobody's value lies beyond them."""
        low, high = self.low - by, self.high + by
        cut = (low < 0) | (high > 1)
        return replace(self, low=np.clip(low, 0, 1), high=np.clip(high, 0, 1), clipped=cut)


def mean_answers(tallies: Tallies) -> Floats:
    """Return the mean unbiased answer of each cell; NaN where nobody answered."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(tallies.answers > 0, tallies.sums / tallies.answers, np.nan))


def unasked(tallies: Tallies) -> Floats:
    """Return ``(N - n) / (N - 1)`` of each cell, by which the variance of a sample without replacement is smaller."""
    people = tallies.people[:, None]
    return np.asarray((people - tallies.answers) / np.maximum(people - 1, 1), dtype=np.float64)


def measured_inside(columns: Columns, tallies: Tallies) -> Floats:
    """Return the mean of ``u (1 - u)`` of each cell, from the mean square of the answers; 0 where that says nothing.

    The mean square of answers is ``at_low + (tilt + 1) m - (bend + 1) w``. What noise makes impossible is cut at 0 and
    1/4.
    """
    at_low, tilt, bend = (columns.of_noises(name) for name in ("at_low", "tilt", "bend"))
    measured = columns.are_inside("measured")
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = tallies.squares / tallies.answers
        inside = (at_low + (tilt + 1) * mean_answers(tallies) - squares) / np.where(measured, bend + 1, 1)
    return np.asarray(np.where(measured & np.isfinite(inside), np.clip(inside, 0.0, 0.25), 0.0))


def expected_half_width(columns: Columns, answers: Floats | NDArray[np.int64], z: float) -> Floats:
    """Return how far an interval reaches to either side at most, before any answer is seen; infinite without answers.

    For a two-point law and z = 1.96 it is ``.98 / (tanh(epsilon / 2) sqrt(answers))``.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(z * np.sqrt(Variance.largest(columns) / answers) + columns.of_noises("bias"))
