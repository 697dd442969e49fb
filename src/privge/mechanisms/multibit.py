"""Multi-bit mechanism (Sajadmanesh and Gatica-Perez 2021) in one dimension: one random bit.

Rounding ``x`` at random to -1 or +1 and then flipping the sign at random is, as a law on ``N + 1`` input
levels, a probability of +1 that is linear in the level ``i``::

    weight of +1:   low + slope * i          weight of -1:   low + slope * (N - i)

with ``2 low + slope * N = W = 2**53``, so every row sums to ``W``.

*Privacy.* Over all inputs, either column lies between ``low`` and ``low + slope * N``. The slope is the
largest integer for which ``(low + slope N) / low <= rho``, a rational below ``exp(epsilon)``.

*Mean.* ``(slope * N / W) * x`` for outputs -1 and +1, exactly; the curator divides by this gain, so the
raw values are ``-1/gain`` and ``+1/gain``, as in the paper.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Levels, Words
from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.exponential import exp_below
from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import check_levels
from privge.random import TOTAL, WORD_BITS

_BEYOND_SMALL = 1024


@dataclass(frozen=True)
class MultiBit(Law):
    """Two-point law: the weight of output +1 grows by ``slope`` with each input level.

    Parameters
    ----------
    levels
        Number of input levels on the public grid, at least 2 for its two ends.
    slope
        Weight that moves from output -1 to output +1 with each level.
    """

    name = "multibit"
    label = "Multi-bit"
    colour = "#2563eb"
    rescaled = True
    epsilon_per_feature = 2.18

    levels: int
    slope: int

    def __post_init__(self) -> None:
        check_levels(self.levels)
        swing = self.slope * (self.levels - 1)
        if not (0 <= swing <= TOTAL - 2 and swing % 2 == 0):
            raise ValueError(f"slope times steps must be even, from 0 to 2**53 - 2, got {swing}")

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        steps = check_levels(levels) - 1
        rho = exp_below(Fraction(epsilon))
        # (W + swing) / (W - swing) <= rho  <=>  swing <= W (rho - 1) / (rho + 1)
        swing = min(math.floor(TOTAL * (rho - 1) / (rho + 1)), TOTAL - 2)
        slope = swing // steps
        if steps * slope % 2:
            slope -= 1
        return cls(levels, slope)

    @classmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        return ContinuousLimit(gain=1.0, constant=1 / math.tanh(epsilon / 2) ** 2, slope=0.0)

    @property
    def outputs(self) -> int:
        return 2

    def weights(self, level: int) -> NDArray[np.int64]:
        plus = self._low + self.slope * level
        return np.array([TOTAL - plus, plus], dtype=np.int64)

    def code(self, level: int, word: int) -> int:
        # The sum below is at least 2 W where the word is below the weight of +1, and at least W and below 3 W always:
        # the comparison is a carry, without a branch. And no factor is an integer that Python has a shorter way for, as
        # it has for 0, or keeps ready, as those up to 256.
        above = TOTAL + self._low - self.slope * _BEYOND_SMALL + self.slope * (level + _BEYOND_SMALL)
        return (above + (TOTAL - 1 - word) >> WORD_BITS) - 1

    def _codes(self, levels: Levels, words: Words) -> Codes:
        return (words < self._low + self.slope * levels).astype(np.uint16)

    @property
    def worst_ratio(self) -> Fraction:
        return Fraction(TOTAL - self._low, self._low)

    @property
    def gain(self) -> Fraction:
        return Fraction(1) if self.slope else Fraction(0)

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        return self.gain * self._input(level), self._scale**2

    def exact_values(self) -> list[Fraction]:
        return [-self._scale, self._scale]

    @property
    def _low(self) -> int:
        return (TOTAL - self.slope * (self.levels - 1)) // 2

    @property
    def _scale(self) -> Fraction:
        # A grid too fine for its epsilon has slope 0; then no scale makes it unbiased.
        return Fraction(TOTAL, self.slope * (self.levels - 1)) if self.slope else Fraction(1)
