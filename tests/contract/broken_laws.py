"""Laws with one defect each, and the honest one they are made of; a contract must refuse all but that."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privge.mechanisms import Law, MultiBit
from privge.random import TOTAL


@dataclass(frozen=True)
class Response(Law):
    """Randomised response: one of two answers, the true one more often. As somebody else would write it."""

    name = "response"
    rescaled = True
    levels: int
    truth: int

    @classmethod
    def for_epsilon(cls, epsilon, levels):
        return cls(levels, MultiBit.for_epsilon(epsilon, 2).weights(1).tolist()[1])

    @classmethod
    def continuous_limit(cls, epsilon):
        return MultiBit.continuous_limit(epsilon)

    @property
    def outputs(self):
        return 2

    def weights(self, level):
        high = (2 * level >= self.levels) * (2 * self.truth - TOTAL) + TOTAL - self.truth
        return np.array([TOTAL - high, high], dtype=np.int64)

    @property
    def worst_ratio(self):
        return Fraction(self.truth, TOTAL - self.truth)

    @property
    def gain(self):
        return self.moments(self.levels - 1)[0]

    def exact_values(self):
        return [Fraction(-1), Fraction(1)]


@dataclass(frozen=True)
class Greedy(Response):
    """Spends 1.2 times its budget."""

    @classmethod
    def for_epsilon(cls, epsilon, levels):
        return super().for_epsilon(Fraction(6, 5) * epsilon, levels)


@dataclass(frozen=True)
class Modest(Response):
    """Says that its worst ratio is smaller than it is."""

    @property
    def worst_ratio(self):
        return Fraction(1)


@dataclass(frozen=True)
class Short(Response):
    """Loses a word in every row."""

    def weights(self, level):
        return super().weights(level) - np.array([1, 0])


@dataclass(frozen=True)
class Certain(Response):
    """Never says one of its answers to one of its inputs."""

    def weights(self, level):
        return np.array([TOTAL, 0]) if level == 0 else super().weights(level)


@dataclass(frozen=True)
class Skewed(Response):
    """Has a mean that is not that of its weights."""

    def moments(self, level):
        mean, second = super().moments(level)
        return mean / 2, second


@dataclass(frozen=True)
class Branching(Response):
    """Does more work for some values than for others."""

    def weights(self, level):
        if level == 0:
            return np.array([self.truth, TOTAL - self.truth])
        return super().weights(level)


@dataclass(frozen=True)
class Sampling(Response):
    """Draws by a sampler of its own, which follows other weights."""

    def code(self, level, word):  # noqa: ARG002 (the defect)
        return int(2 * level >= self.levels)


@dataclass(frozen=True)
class Forgetful(Response):
    """Is read back from a document as another law."""

    @classmethod
    def from_parameters(cls, parameters):
        return cls(parameters["levels"], TOTAL // 2)


@dataclass
class Mutable(Law):
    """Can be changed after a campaign has checked it."""

    name = "response"
    rescaled = True
    levels: int
    truth: int

    for_epsilon, continuous_limit = Response.for_epsilon, Response.continuous_limit
    outputs, weights, worst_ratio, gain = Response.outputs, Response.weights, Response.worst_ratio, Response.gain
    exact_values = Response.exact_values
