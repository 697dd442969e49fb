"""What every mechanism answers, in one dimension (`Law`) or in many (`Sampled`).

Private values are normalised by public bounds to ``x`` in ``[-1, 1]``, and rounded to the nearest of
``levels`` equally spaced *input levels*. All statements about means and variances are exact
statements about the integer law at that level; floats appear only when an answer is handed out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np

from privge._typing import ArrayLike, Codes, Decoding, Floats, Levels
from privge.random import Source

CHUNK = 16_384
"""Values treated at once, so that temporaries stay in the cache: twice as fast as whole arrays."""

MAX_LEVELS = 4097
"""Largest grid: every output code of every law then fits 16 bits."""


class Mechanism(ABC):
    """The protocol: sample, decode, mean, variance, gain, bias, realised epsilon, output range."""

    levels: int

    @property
    @abstractmethod
    def gain(self) -> Fraction:
        """Raw mean at ``x = 1``; at other inputs it is ``gain * x`` (for Laplace, up to its clamped tails)."""

    @property
    @abstractmethod
    def realised_epsilon(self) -> float:
        """Upper bound, tight to one float, of the privacy loss of the exact integer law."""

    @abstractmethod
    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        """Return the exact raw mean and raw second moment at an input level."""

    @abstractmethod
    def exact_values(self) -> list[Fraction]:
        """Return the raw decoded value of every output code."""

    @abstractmethod
    def sample(self, levels: Levels, source: Source) -> Codes:
        """Draw one output code for each input level, with one word each."""

    def level(self, x: ArrayLike) -> Levels:
        """Round normalised values to the nearest input level; outside ``[-1, 1]`` they are clipped.

        Rounding happens before the integer law and so cannot weaken it. NaN is refused.
        """
        values, steps = np.asarray(x, dtype=np.float64), self.levels - 1
        levels = np.empty(values.size, dtype=np.int64)
        for start in range(0, values.size, CHUNK):
            part = values.ravel()[start : start + CHUNK] + 1
            part *= steps / 2
            np.clip(part, 0, steps, out=part)
            if np.isnan(part.sum()):
                raise ValueError("a value is missing (NaN); replace it by a policy before the law")
            levels[start : start + part.size] = np.rint(part, out=part)
        return levels.reshape(values.shape)

    def decode(self, codes: Codes, decoding: Decoding = "raw") -> Floats:
        """Return the value of each output code."""
        return (self.values * float(self._factor(decoding)))[codes]

    def mean(self, x: ArrayLike, decoding: Decoding = "raw") -> Floats:
        """Return the exact mean of the decoded output for input ``x``."""
        factor = self._factor(decoding)
        return self._at_levels(x, lambda level: factor * self.moments(level)[0])

    def variance(self, x: ArrayLike, decoding: Decoding = "raw") -> Floats:
        """Return the exact variance of the decoded output for input ``x``."""
        factor = self._factor(decoding)
        return self._at_levels(x, lambda level: factor**2 * self._variance(level))

    def bias(self, x: ArrayLike, decoding: Decoding = "raw") -> Floats:
        """Return mean minus input, at the input level of ``x``."""
        factor = self._factor(decoding)
        return self._at_levels(x, lambda level: factor * self.moments(level)[0] - self._input(level))

    def worst_case_variance(self, decoding: Decoding = "raw") -> float:
        """Return the largest variance over all inputs."""
        return float(self.variance(self.inputs, decoding).max())

    @property
    def inputs(self) -> Floats:
        """The normalised value of each input level."""
        return np.linspace(-1, 1, self.levels)

    @cached_property
    def values(self) -> Floats:
        """The raw decoded value of each output code, as floats."""
        return np.array([float(value) for value in self.exact_values()])

    @property
    def output_range(self) -> tuple[float, float]:
        """Smallest and largest raw decoded value."""
        return float(self.values.min()), float(self.values.max())

    def _factor(self, decoding: Decoding) -> Fraction:
        if decoding == "raw":
            return Fraction(1)
        if decoding != "unbiased":
            raise ValueError(f"decoding must be 'raw' or 'unbiased', got {decoding!r}")
        if self.gain == 0:
            raise ValueError("the output does not depend on the input (gain 0): it has no unbiased decoding")
        return 1 / self.gain

    def _variance(self, level: int) -> Fraction:
        mean, second = self.moments(level)
        return second - mean**2

    def _input(self, level: int) -> Fraction:
        return Fraction(2 * level, self.levels - 1) - 1

    def _at_levels(self, x: ArrayLike, answer: Callable[[int], Fraction]) -> Floats:
        unique, positions = np.unique(self.level(x), return_inverse=True)
        answers = np.array([float(answer(int(level))) for level in unique])
        return answers[positions].reshape(np.shape(x))


def check_levels(levels: int) -> int:
    """Return ``levels`` if a grid of that size is allowed."""
    if isinstance(levels, bool) or not isinstance(levels, int | np.integer):
        raise TypeError(f"levels must be an integer, got {type(levels).__name__}")
    if not 2 <= levels <= MAX_LEVELS:
        raise ValueError(f"levels must be between 2 and {MAX_LEVELS}, got {levels}")
    return int(levels)


DEFAULT_LEVELS: int = 1025
"""1,024 steps: finer than the noise of any useful epsilon, and 0 is itself a level."""
