"""The two controls that every result is compared with. Neither hides behind an epsilon.

`NoPrivacy` sends the input level itself (epsilon is infinite); `StructureOnly` sends noise that does
not depend on the input (epsilon is 0), so that a task sees nothing but a random projection of the graph. What the
graph gives without that noise is more, often much more: `privge.tasks.baselines`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Levels, Words
from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.law import Law, middle_codes, with_spare
from privge.mechanisms.mechanism import check_levels
from privge.random import TOTAL


@dataclass(frozen=True)
class _Control(Law):
    """A law whose outputs are the input levels themselves."""

    levels: int

    def __post_init__(self) -> None:
        check_levels(self.levels)

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        if epsilon != cls.fixed_epsilon:
            raise ValueError(f"the control {cls.name!r} has epsilon {cls.fixed_epsilon:g}, got {epsilon}")
        return cls(levels)

    @property
    def outputs(self) -> int:
        return self.levels

    def exact_values(self) -> list[Fraction]:
        return [self._input(code) for code in range(self.levels)]


@dataclass(frozen=True)
class NoPrivacy(_Control):
    """NOT PRIVATE: reports the rounded input. The upper control; never for real people.

    Rounding to the nearest of ``levels`` numbers is all that lies between a report and the truth.
    """

    name = "none"
    label = "no privacy"
    colour = "#26323a"
    rescaled = True
    fixed_epsilon = math.inf

    @classmethod
    def continuous_limit(cls, epsilon: float = math.inf) -> ContinuousLimit:
        return ContinuousLimit(gain=1.0, constant=0.0, slope=1.0)

    def weights(self, level: int) -> NDArray[np.int64]:
        row = np.zeros(self.levels, dtype=np.int64)
        row[level] = TOTAL
        return row

    def code(self, level: int, word: int) -> int:
        return level

    def _codes(self, levels: Levels, words: Words) -> Codes:
        return levels.astype(np.uint16)

    @property
    def worst_ratio(self) -> None:
        return None

    @property
    def gain(self) -> Fraction:
        return Fraction(1)

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        x = self._input(level)
        return x, x**2


@dataclass(frozen=True)
class StructureOnly(_Control):
    """Uniform noise on the grid, the same for every input: perfectly private, and empty.

    What ``levels`` does not divide of ``W`` goes to the middle, for every input alike.
    """

    name = "structure"
    label = "structure-only"
    colour = "#9aa5ad"
    rescaled = False
    fixed_epsilon = 0.0

    @classmethod
    def continuous_limit(cls, epsilon: float = 0.0) -> ContinuousLimit:
        return ContinuousLimit(gain=0.0, constant=1 / 3, slope=0.0)

    def weights(self, level: int) -> NDArray[np.int64]:
        row = np.full(self.levels, self._each, dtype=np.int64)
        return with_spare(row, self._spare)

    def code(self, level: int, word: int) -> int:
        code = word // self._each
        if code < self.levels:
            return code
        lower, upper = middle_codes(self.levels)
        return lower if word - self._each * self.levels < self._spare // 2 else upper

    def _codes(self, levels: Levels, words: Words) -> Codes:
        codes = words // self._each
        lower, upper = middle_codes(self.levels)
        middle = np.where(words - self._each * self.levels < self._spare // 2, lower, upper)
        return np.where(codes < self.levels, codes, middle).astype(np.uint16)

    @property
    def worst_ratio(self) -> Fraction:
        return Fraction(1)

    @property
    def gain(self) -> Fraction:
        return Fraction(0)

    @property
    def _each(self) -> int:
        return TOTAL // self.levels

    @property
    def _spare(self) -> int:
        return TOTAL - self.levels * self._each
