"""What one coordinate of a report is at its worst over all inputs: from the integers of a law, and in its limit.

The coordinate ``y`` of an input ``x`` in [-1, 1] has mean ``E y``. Its *bias* is ``E y - x``, its *error* the mean of
``(y - x)^2``, which is variance plus squared bias. Where k of d coordinates are reported, the draw of the indices is
part of all of these: a coordinate that was not drawn is 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Decoding, Floats
from privge.mechanisms import DEFAULT_LEVELS, ContinuousLimit, Sampled, law_for, laws
from privge.random import TOTAL

_LEVELS = 128  # input levels whose weights are read at once


@dataclass(frozen=True, slots=True)
class WorstCase:
    """One coordinate at its worst.

    Parameters
    ----------
    gain
        What the mean at input 1 is.
    bias
        Largest distance of the mean from the input.
    variance
        Largest variance.
    error
        Largest mean squared error.
    """

    gain: float
    bias: float
    variance: float
    error: float

    @classmethod
    def of_limit(cls, limit: ContinuousLimit, decoding: Decoding = "raw") -> "WorstCase":
        """Return the worst case on an infinitely fine grid; everything is linear in the square of the input."""
        bias = float(limit.bias(1.0, decoding))
        return WorstCase(1 + bias, abs(bias), limit.worst_case_variance(decoding), limit.worst_case_mse(decoding))


@dataclass(frozen=True, slots=True)
class Coordinate(WorstCase):
    """One coordinate at its worst, and how far it can be from its own mean.

    Parameters
    ----------
    gain, bias, variance, error
        As of `WorstCase`.
    rounding
        Largest distance of an input from the nearest input level, to which it is rounded before.
    largest
        Largest magnitude of the decoded value.
    reach
        Largest distance of the decoded value from its own mean.
    scale
        How fast its moments grow: ``E|y - E y|^m <= m!/2 variance scale^(m-2)`` for all m from 3 on.
    """

    rounding: float
    largest: float
    reach: float
    scale: float

    @classmethod
    def of(cls, mechanism: Sampled, decoding: Decoding = "raw") -> Self:
        """Read every weight of the law: sums of exact probabilities, in float64."""
        rows = [_Rows.read(mechanism, decoding, levels) for levels in _parts(mechanism.levels)]
        means, variances = (np.concatenate([getattr(each, name) for each in rows]) for name in ("means", "variances"))
        bias = means - mechanism.inputs
        variance, reach = float(variances.max()), max(each.reach for each in rows)
        scale = max(each.scale(variance, reach) for each in rows) if variance else 0.0
        return cls(
            gain=float(means[-1]),
            bias=float(np.abs(bias).max()),
            variance=variance,
            error=float((variances + bias**2).max()),
            rounding=1 / (mechanism.levels - 1),
            largest=max(float(np.abs(each.values).max()) for each in rows),
            reach=reach,
            scale=scale,
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """Some input levels: the chance of each output for each of them, and how far each output is from the mean."""

    values: Floats
    chances: Floats
    means: Floats
    distances: Floats

    @classmethod
    def read(cls, mechanism: Sampled, decoding: Decoding, levels: range) -> Self:
        rate = mechanism.k / mechanism.dimensions
        values = mechanism.decode(np.arange(mechanism.law.outputs, dtype=np.uint16), decoding)
        chances = rate * np.array([mechanism.law.weights(level) for level in levels]) / TOTAL
        if rate < 1:  # a coordinate that is not drawn decodes to 0
            values, chances = np.append(values, 0.0), np.pad(chances, ((0, 0), (0, 1)), constant_values=1 - rate)
        means = chances @ values
        return cls(values, chances, means, np.where(chances > 0, np.abs(values - means[:, None]), 0.0))

    @property
    def variances(self) -> Floats:
        variances: Floats = np.einsum("ij,ij,ij->i", self.chances, self.distances, self.distances)
        return variances

    @property
    def reach(self) -> float:
        return float(self.distances.max())

    def scale(self, variance: float, reach: float) -> float:
        """Return the least scale; moments beyond those that are computed cannot need a larger one.

        With ``t = E(distance / reach)^m <= variance / reach^2``, moment m needs ``reach (2 t reach^2 / (m! variance))``
        to the power of ``1 / (m - 2)``, at most ``reach (2 / m!)^(1 / (m - 2))``, which falls with m.
        """
        shares = self.distances / reach
        power, needed, m, factorial = self.chances * shares**2, 0.0, 2, 2.0
        while True:
            m, power = m + 1, power * shares
            factorial *= m
            if m > 170 or needed >= (2 / factorial) ** (1 / (m - 2)):
                return reach * max(needed, (2 / factorial) ** (1 / (m - 2)) if m > 170 else 0.0)
            moment = float(power.sum(axis=1).max())
            needed = max(needed, (2 * moment * reach**2 / (factorial * variance)) ** (1 / (m - 2)))


def _parts(levels: int) -> Iterator[range]:
    return (range(first, min(first + _LEVELS, levels)) for first in range(0, levels, _LEVELS))


def sampled_for(
    mechanism: str, epsilon: float, k: int = 1, dimensions: int = 1, *, levels: int = DEFAULT_LEVELS
) -> Sampled:
    """Return the exact mechanism that reports k of d coordinates within epsilon.

    Parameters
    ----------
    mechanism
        A name of `privge.mechanisms.laws`.
    epsilon
        Privacy budget of the whole report.
    k
        Coordinates that a person reports.
    dimensions
        Coordinates that a person has, d.
    levels
        Input levels of the grid.
    """
    return Sampled(law_for(mechanism, epsilon, k, levels), k, dimensions)


def limit_for(mechanism: str, epsilon: float, k: int = 1, dimensions: int = 1) -> ContinuousLimit:
    """Return one coordinate of the same mechanism on an infinitely fine grid: the paper's formulas, corrected.

    Parameters
    ----------
    mechanism, epsilon, k, dimensions
        As of `sampled_for`.
    """
    if not 1 <= k <= dimensions:
        raise ValueError(f"k must be between 1 and dimensions = {dimensions}, got {k}")
    law = laws()[mechanism]
    return law.continuous_limit(epsilon / k).sampled(k, dimensions, rescaled=law.rescaled)
