"""What another package may bring: a mechanism, an engine and a dataset, none of which privge knows."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge.datasets import Description
from privge.datasets.contents import Contents
from privge.mechanisms import ContinuousLimit, Law
from privge.mechanisms.exponential import exp_below
from privge.propagation import Certificate
from privge.random import TOTAL


@dataclass(frozen=True)
class RandomisedResponse(Law):
    """One of two answers: the half of the range that the value lies in is told with weight ``truth``."""

    name = "mine"
    rescaled = True
    levels: int
    truth: int

    @classmethod
    def for_epsilon(cls, epsilon, levels):
        rho = exp_below(Fraction(epsilon))
        return cls(levels, min(math.floor(TOTAL * rho / (rho + 1)), TOTAL - 1))

    @classmethod
    def continuous_limit(cls, epsilon):
        return ContinuousLimit(gain=math.tanh(epsilon / 2), constant=1.0, slope=0.0)

    @property
    def outputs(self):
        return 2

    def weights(self, level):
        upper = TOTAL - self.truth + (2 * level >= self.levels) * (2 * self.truth - TOTAL)
        return np.array([TOTAL - upper, upper], dtype=np.int64)

    @property
    def worst_ratio(self):
        return Fraction(self.truth, TOTAL - self.truth)

    @property
    def gain(self):
        return Fraction(2 * self.truth - TOTAL, TOTAL)

    def exact_values(self):
        return [Fraction(-1), Fraction(1)]


@dataclass(frozen=True)
class Boastful(RandomisedResponse):
    """Claims a privacy that its weights do not have."""

    name = "boastful"
    worst_ratio = Fraction(1)


@dataclass(frozen=True)
class Endless(RandomisedResponse):
    """Has more weights than anybody can read."""

    name = "endless"
    outputs = 2**16


@dataclass(frozen=True)
class TwoLevels(RandomisedResponse):
    """A yes or no."""

    name = "two"

    def __post_init__(self):
        if self.levels != 2:
            raise ValueError(f"a yes or no has 2 levels, got {self.levels}")


@dataclass(frozen=True)
class Quoted(RandomisedResponse):
    """Its annotations are text, as ``from __future__ import annotations`` makes them."""

    name = "quoted"
    levels: "int"
    truth: "int"


@dataclass(frozen=True)
class Forgetful(RandomisedResponse):
    """Does not write down all that it is made of."""

    name = "forgetful"
    doubled: int = 0

    @classmethod
    def for_epsilon(cls, epsilon, levels):
        return cls(levels, RandomisedResponse.for_epsilon(epsilon, levels).truth, 1)

    @classmethod
    def from_parameters(cls, parameters):
        return cls(parameters["levels"], parameters["truth"])


@dataclass
class Changeable(RandomisedResponse.__base__):
    """Can be changed after it was checked."""

    name = "changeable"
    for_epsilon = continuous_limit = outputs = weights = worst_ratio = gain = exact_values = None


@dataclass(frozen=True)
class PowerIteration:
    """The series, term by term."""

    name: ClassVar[str] = "mine"

    def solve(self, problem, out, *, threads=1, progress=None):  # noqa: ARG002 (what an engine takes)
        step = scipy.sparse.diags_array(problem.factors) @ problem.graph.to_scipy().astype(np.float64)
        start = problem.alpha * problem.by_column.toarray()
        y, sweeps, error = start, 0, math.inf
        while error > problem.tolerance and sweeps < 10_000:
            following = start + step @ y
            change = np.abs(following - y).max(initial=0.0)
            rounding = (2 * problem.largest_degree + 6) * 2.0**-53 * np.abs(following).max(initial=0.0)
            y, sweeps = following, sweeps + 1
            error = ((1 - problem.alpha) * change + rounding) / problem.alpha * problem.largest_scale
            if change <= rounding:
                break
        stored = problem.write(out, slice(0, problem.columns), y)
        if progress is not None:
            progress(problem.columns, problem.columns)
        return Certificate(float(error) + stored, sweeps, "float64")


def read_village(_files):
    return Contents(
        links=np.array([[0, 1], [1, 2], [2, 3]]),
        features=scipy.sparse.csr_array(np.eye(4)),
        labels=np.array([0, 0, 1, 1]),
        classes=("left bank", "right bank"),
    )


village = Description(
    name="village", title="A village on a river", licence="CC0-1.0", homepage="", files=(), read=read_village
)
no_dataset = "a word"
