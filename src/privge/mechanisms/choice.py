"""m-ary randomised response: one of ``m`` values, the own one more likely than each of the others.

Input level and output code are both one of ``m`` values. The own value has weight ``high``, each other one ``low``::

    low = ceil(W / (rho + m - 1))          high = W - (m - 1) low

with ``rho`` a rational below ``exp(epsilon)`` and ``W = 2**53``, so every row sums to ``W`` and nothing is spare.

*Privacy.* Every column holds ``high`` once and ``low`` elsewhere. From ``low (rho + m - 1) >= W`` follows
``high = W - (m - 1) low <= low rho``, so no ratio exceeds ``exp(epsilon)``.

*Mean.* Let ``p = high / W`` and ``q = low / W``. Read as a choice, column ``c`` of a report is 1 if its code is ``c``,
with mean ``q + (p - q) [level = c]``: the curator takes ``q`` away and divides by ``p - q``. Read as a number, code
``t`` stands for its own input; these sum to 0, so the mean is exactly ``(p - q) x``.
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
from privge.mechanisms.law import Law, check_weights
from privge.mechanisms.mechanism import check_levels
from privge.random import TOTAL


@dataclass(frozen=True)
class Choice(Law):
    """Exact integer law of one of ``levels`` values: weight ``high`` on the own one, the same less on each other.

    Parameters
    ----------
    levels
        Number of values, ``m``, at least 2.
    low
        Weight of each value that is not the own one, at least 1. What is left of ``W`` is the weight of the own one.
    """

    name = "choice"
    label = "Choice"
    colour = "#7c3aed"
    rescaled = True
    ordered = False

    levels: int
    low: int

    def __post_init__(self) -> None:
        check_levels(self.levels)
        check_weights(self.low, self.high)

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        rho = exp_below(Fraction(epsilon))
        low = math.ceil(TOTAL / (rho + check_levels(levels) - 1))
        if low * levels > TOTAL:
            raise ValueError(f"epsilon {float(epsilon):.3g} is too small for a choice of {levels} values")
        return cls(levels, low)

    @classmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        # Of infinitely many values the own one is never met: what is left is uniform on [-1, 1].
        return ContinuousLimit(gain=0.0, constant=1 / 3, slope=0.0)

    @property
    def high(self) -> int:
        """Weight of the own value."""
        return TOTAL - (self.levels - 1) * self.low

    @property
    def outputs(self) -> int:
        return self.levels

    def weights(self, level: int) -> NDArray[np.int64]:
        row = np.full(self.levels, self.low, dtype=np.int64)
        row[level] = self.high
        return row

    def code(self, level: int, word: int) -> int:
        position = (word - self.high) // self.low  # among the other values
        return (level, position + (position >= level))[word >= self.high]

    def _codes(self, levels: Levels, words: Words) -> Codes:
        position = (words - self.high) // self.low
        return np.where(words < self.high, levels, position + (position >= levels)).astype(np.uint16)

    @property
    def worst_ratio(self) -> Fraction:
        return Fraction(self.high, self.low)

    @property
    def gain(self) -> Fraction:
        return Fraction(self.high - self.low, TOTAL)

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        x, m = self._input(level), self.levels
        squares = Fraction(m * (m + 1), 3 * (m - 1))  # the sum of the squares of all inputs
        return self.gain * x, self.gain * x**2 + Fraction(self.low, TOTAL) * squares

    def exact_values(self) -> list[Fraction]:
        return [self._input(code) for code in range(self.levels)]
