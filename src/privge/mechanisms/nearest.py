"""The law of a direction: one of ``M`` public directions, those nearest to the own profile more likely than the others.

A person has a profile, and ``M`` public directions that anybody can compute (`privge.mechanisms.directions`). The
directions are ranked by their inner product with the profile, the nearest first, ties by the lowest index. The first
``near`` of them have weight ``high`` each, the others ``low``; what is left of ``W = 2**53``, the *spare*, goes to
direction 0, whatever the profile.

*Privacy.* The directions do not depend on the profile. In every column a weight is ``high + s`` or ``low + s``, where
``s >= 0`` is the same for all profiles, and ``high <= low * rho`` with a rational ``rho <= exp(epsilon)``. So no ratio
exceeds ``high / low <= exp(epsilon)``, for any two profiles whatever, of any length and any number of coordinates.

*The same work.* A word selects the *rank* by a row of weights that nobody's profile changes; then the direction of that
rank is found by comparing every pair of directions, all at once, so that no branch follows a single comparison.

*Mean.* For Gaussian directions the part of a direction along the profile says its rank, and the rest is independent of
it. So the reported direction has the mean ``gain`` times the unit profile, where ``gain`` is the sum over the ranks of
weight / W times the mean of that order statistic of ``M`` normal numbers; the spare has mean 0. At right angles to the
profile the reported direction has variance 1 in every coordinate, so that the unbiased estimate, the direction divided
by the gain, has variance ``1 / gain**2`` there; `Nearest.along` is the variance along the profile.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Floats, Words
from privge.mechanisms.exponential import exp_below, log_above
from privge.mechanisms.law import Parameters, check_weights, stated_integers
from privge.random import TOTAL

DEFAULT_DIRECTIONS = 64
MAX_DIRECTIONS = 1024
"""Most directions: a device compares every pair of them."""


@dataclasses.dataclass(frozen=True)
class Nearest:
    """Exact integer law: weight ``high`` on the ``near`` nearest of the directions, ``low`` on the others.

    Parameters
    ----------
    directions
        Number of public directions, ``M``, at least 2.
    near
        How many of them count as near, at least 1 and below ``directions``.
    high, low
        Weight of a near direction and of another one, ``high >= low >= 1``.
    """

    name: ClassVar[str] = "nearest"

    directions: int
    near: int
    high: int
    low: int

    def __post_init__(self) -> None:
        if not 2 <= self.directions <= MAX_DIRECTIONS:
            raise ValueError(f"directions must be between 2 and {MAX_DIRECTIONS}, got {self.directions}")
        if not 1 <= self.near < self.directions:
            raise ValueError(f"near must be between 1 and directions - 1, got {self.near}")
        check_weights(self.low, self.high)
        if self._spare < 0:
            raise ValueError(f"weights must not exceed 2**53 together, they do by {-self._spare}")

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, directions: int = DEFAULT_DIRECTIONS) -> Self:
        """Build the law of largest gain, so of least variance, whose worst ratio is at most ``exp(epsilon)``."""
        if not 2 <= directions <= MAX_DIRECTIONS:
            raise ValueError(f"directions must be between 2 and {MAX_DIRECTIONS}, got {directions}")
        rho = exp_below(Fraction(epsilon))
        laws = [cls._with_near(near, rho, directions) for near in range(1, directions)]
        return max(laws, key=lambda law: law.gain)

    @classmethod
    def _with_near(cls, near: int, rho: Fraction, directions: int) -> Self:
        others = directions - near
        low = max(1, math.floor(TOTAL / (near * rho + others)))
        high = min(math.floor(low * rho), (TOTAL - others * low) // near)
        return cls(directions, near, high, low)

    @property
    def outputs(self) -> int:
        """Number of output codes: one for each direction."""
        return self.directions

    @property
    def worst_ratio(self) -> Fraction:
        """Exact largest quotient of two weights in one column; a column without the spare has it."""
        return Fraction(self.high, self.low)

    @property
    def realised_epsilon(self) -> float:
        """``ln(worst_ratio)``, rounded up."""
        return log_above(self.worst_ratio)

    def weights(self, near: Sequence[int]) -> NDArray[np.int64]:
        """Return the weight of every code for a profile whose nearest directions are these."""
        row = np.full(self.directions, self.low, dtype=np.int64)
        row[list(near)] = self.high
        row[0] += self._spare
        return row

    def code(self, scores: Sequence[int] | NDArray[np.int64], word: int) -> int:
        """Return the direction that a word selects. Defines the sampler, and is what a device runs.

        Arrays are compared, not numbers of Python: for these the interpreter branches at every comparison, on two
        scores that are private. A whole row has no branches, whatever it holds.

        Parameters
        ----------
        scores
            Inner product of the profile with each direction: integers below 2**53.
        word
            Uniform on ``[0, 2**53)``.
        """
        near = self.near * self.high  # words that select a near direction; and those that select any, by its rank:
        ranked = near + (self.directions - self.near) * self.low
        rank = (word // self.high, self.near + (word - near) // self.low, 0)[(word >= near) + (word >= ranked)]
        every, place = np.asanyarray(scores, dtype=np.int64), np.arange(self.directions)
        mine = every[:, None]
        before = ((every > mine) | ((every == mine) & (place < place[:, None]))).sum(axis=1)
        chosen = int((place * (before == rank)).sum())
        return chosen * (word < ranked)  # the spare is direction 0

    def codes(self, scores: NDArray[np.int64], words: Words) -> Codes:
        """Do the same as `code` for many people: a row of scores and a word for each. For simulations."""
        if scores.shape != (words.size, self.directions):
            raise ValueError(f"there must be {self.directions} scores for each word, got {scores.shape}")
        near = self.near * self.high
        ranked = near + (self.directions - self.near) * self.low
        rank = np.where(words < near, words // self.high, self.near + (words - near) // self.low)
        order = np.argsort(-scores, axis=1, kind="stable")
        chosen = np.take_along_axis(order, np.minimum(rank, self.directions - 1)[:, None], axis=1)[:, 0]
        return np.where(words < ranked, chosen, 0).astype(np.uint16)

    @property
    def gain(self) -> float:
        """How much of the unit profile the mean of the reported direction has, for Gaussian directions; 0 if none."""
        if self.high == self.low:  # the order statistics sum to 0, and floats of them to nearly so
            return 0.0
        return float(self._rank_weights @ order_moments(self.directions)[0])

    @property
    def noise(self) -> float:
        """Variance of the unbiased estimate in every coordinate at right angles to the profile."""
        return math.inf if self.gain == 0 else 1 / self.gain**2

    @property
    def along(self) -> float:
        """Variance of the unbiased estimate along the profile; between these, a coordinate has its share of both."""
        second = float(self._rank_weights @ order_moments(self.directions)[1]) + self._spare / TOTAL
        return second * self.noise - 1

    def parameters(self) -> Parameters:
        """Return the integers that define this law, as a campaign document carries them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> Self:
        """Rebuild a law from `parameters`; the constructor checks that the integers are a law."""
        return cls(**stated_integers(cls, parameters))  # type: ignore[arg-type]

    @property
    def _rank_weights(self) -> Floats:
        others = self.directions - self.near
        return np.repeat([self.high / TOTAL, self.low / TOTAL], [self.near, others])

    @property
    def _spare(self) -> int:
        return TOTAL - self.near * self.high - (self.directions - self.near) * self.low


@cache
def order_moments(count: int) -> tuple[Floats, Floats]:
    """Return mean and second moment of each of ``count`` normal numbers in falling order, by the trapezoidal rule.

    The integrands are smooth and vanish at both ends, so that the rule is as exact as floats are.
    """
    x = np.linspace(-12, 12, 2401)
    below = np.log([math.erfc(-value / math.sqrt(2)) / 2 for value in x.tolist()])
    rank = np.arange(count)[:, None]
    ways = [math.lgamma(count + 1) - math.lgamma(count - r) - math.lgamma(r + 1) for r in range(count)]
    log_density = np.array(ways)[:, None] + (count - 1 - rank) * below + rank * below[::-1] - x**2 / 2
    density = np.exp(log_density) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    return density @ x, density @ x**2
