"""The window law, which the square wave and the piecewise mechanism share.

With ``N = levels - 1`` steps and a window of ``L`` outputs, there are ``N + L`` output codes. Input
level ``i`` gives weight ``high`` to each code of its window ``[i, i + L)`` and ``low`` to each of the
``N`` others. What is left of ``W = 2**53``, the *spare*, goes to the middle code (or in halves to the
two middle codes), whatever the input.

*Privacy.* In every column a weight is ``high + s`` or ``low + s``, where ``s >= 0`` is the same for all
inputs. Since ``high >= low``, ``(high + s) / (low + s) <= high / low``, and ``high <= low * rho`` with a
rational ``rho <= exp(epsilon)``. So no ratio exceeds ``exp(epsilon)``.

*Mean.* Code ``t`` stands for ``(2t - (N+L-1)) / N``, so the window of level ``i`` is centred at its own
input ``x = 2i/N - 1``. The constant part ``low`` and the spare are symmetric about 0, so the mean is
exactly ``L (high - low) / W * x``.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Levels, Words
from privge.mechanisms.exponential import exp_below
from privge.mechanisms.law import Law, check_weights, middle_codes, with_spare
from privge.mechanisms.mechanism import check_levels
from privge.random import TOTAL


@dataclass(frozen=True)
class WindowLaw(Law):
    """Exact integer law: weight ``high`` on a window of outputs, ``low`` elsewhere.

    Parameters
    ----------
    levels
        Number of input levels on the public grid, at least 2.
    window
        Number of outputs in the high-probability window, at least 1.
    high, low
        Weight of an output inside and outside the window, ``high >= low >= 1``.
    """

    levels: int
    window: int
    high: int
    low: int

    def __post_init__(self) -> None:
        check_levels(self.levels)
        if not 1 <= self.window <= self._steps:
            raise ValueError(f"window must be between 1 and levels - 1, got {self.window}")
        check_weights(self.low, self.high)
        if self._spare < 0 or (self.outputs % 2 == 0 and self._spare % 2):
            raise ValueError(f"weights must leave a spare that the middle outputs can share, got {self._spare}")

    @staticmethod
    @abstractmethod
    def width(epsilon: float) -> float:
        """Return how many times as wide as the input range the window is."""

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        """Build the law of largest gain whose window has its width."""
        steps = check_levels(levels) - 1
        window = min(steps, max(1, round(cls.width(float(epsilon)) * steps)))
        rho = exp_below(Fraction(epsilon))
        least = math.floor(TOTAL / (window * rho + steps))
        # One more unit of `low` gives up a sliver of epsilon but may leave less spare: this matters
        # when `low` is a handful of units, that is for epsilon above 25.
        pairs = [(cls._high(low, rho, steps, window), low) for low in (least, least + 1)]
        high, low = max(((high, low) for high, low in pairs if high >= low >= 1), key=lambda pair: pair[0] - pair[1])
        return cls(levels, window, high, low)

    @staticmethod
    def _high(low: int, rho: Fraction, steps: int, window: int) -> int:
        """Return the largest weight inside the window that rho and the words allow."""
        high = min(math.floor(low * rho), (TOTAL - steps * low) // window)
        odd = window % 2 and steps % 2 and (high + low) % 2  # two middle outputs must halve the spare
        return high - 1 if odd else high

    @property
    def outputs(self) -> int:
        return self._steps + self.window

    def weights(self, level: int) -> NDArray[np.int64]:
        row = np.full(self.outputs, self.low, dtype=np.int64)
        row[level : level + self.window] = self.high
        return with_spare(row, self._spare)

    def code(self, level: int, word: int) -> int:
        inside = self.high * self.window  # words that select a window output
        chosen = inside + self.low * self._steps  # and those that select another one; the rest falls to the spare
        position = (word - inside) // self.low
        each = (level + word // self.high, position + self.window * (position >= level), *middle_codes(self.outputs))
        return each[(word >= inside) + (word >= chosen) + (word >= chosen + self._spare // 2)]

    def _codes(self, levels: Levels, words: Words) -> Codes:
        from privge.mechanisms import _kernels

        out = np.empty(levels.shape, dtype=np.uint16)
        lower, upper = middle_codes(self.outputs)
        _kernels.window_codes(
            levels.ravel(),
            words.ravel(),
            out.ravel(),
            self._steps,
            self.window,
            self.high,
            self.low,
            lower,
            upper,
        )
        return out

    @property
    def worst_ratio(self) -> Fraction:
        # Column 0 is in the window of input 0 and outside that of the last input.
        return Fraction(int(self.weights(0)[0]), int(self.weights(self._steps)[0]))

    @property
    def gain(self) -> Fraction:
        return self._scale * self._window_gain

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        x = self._input(level)
        outputs, window, square = self.outputs, self.window, Fraction(1, self._steps**2)
        everywhere = self.low * _sum_of_squares(outputs) * square
        in_window = (self.high - self.low) * (window * x**2 + _sum_of_squares(window) * square)
        middle = self._spare * square if outputs % 2 == 0 else Fraction(0)
        second = self._scale**2 * (everywhere + in_window + middle) / TOTAL
        return self.gain * x, second

    def exact_values(self) -> list[Fraction]:
        last = self.outputs - 1
        return [self._scale * Fraction(2 * code - last, self._steps) for code in range(self.outputs)]

    @property
    def _scale(self) -> Fraction:
        """Factor from grid positions to raw values; the piecewise mechanism overrides it."""
        return Fraction(1)

    @property
    def _window_gain(self) -> Fraction:
        return Fraction(self.window * (self.high - self.low), TOTAL)

    @property
    def _steps(self) -> int:
        return self.levels - 1

    @property
    def _spare(self) -> int:
        return TOTAL - self.window * self.high - self._steps * self.low


def _sum_of_squares(count: int) -> int:
    """Return the sum of squares of ``count`` numbers spaced by 2 and centred at 0."""
    return count * (count**2 - 1) // 3
