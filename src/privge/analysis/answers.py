"""Answers that are not numbers: what one of m values and the direction of a profile are worth, exactly and in a limit.

*One of m.* Decoded without bias, the column of the own value has mean 1 and each other one mean 0 (``docs/laws.md``).
The limit is that of infinitely fine weights: ``p = e^epsilon / (e^epsilon + m - 1)`` for the own value and
``q = p / e^epsilon`` for each other one.

*A direction.* The limit is that of infinitely many public directions, of which those above a threshold t along the
profile are likelier by e^epsilon: the mean of the reported one is
``(e^epsilon - 1) f(t) / (1 + (e^epsilon - 1) Q(t))`` with f and Q the density and the upper tail of a normal number, at
the t that makes it largest.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from scipy.optimize import minimize_scalar
from scipy.stats import norm

from privge.mechanisms import Choice, Nearest
from privge.random import TOTAL


@dataclass(frozen=True, slots=True)
class ChoiceError:
    """One of m values, decoded without bias into m columns.

    Parameters
    ----------
    gain
        By how much the own value is likelier than each of the others.
    own, other
        Variance of the column of the own value, and of that of each other value.
    """

    gain: float
    own: float
    other: float

    @classmethod
    def exact(cls, epsilon: float, values: int) -> Self:
        """Return what the integers of the law say."""
        law = Choice.for_epsilon(epsilon, values)
        return cls._of(Fraction(law.high, TOTAL), Fraction(law.low, TOTAL))

    @classmethod
    def limit(cls, epsilon: float, values: int) -> Self:
        """Return the formula."""
        q = 1 / (math.exp(epsilon) + values - 1)
        return cls._of(1 - (values - 1) * q, q)

    @classmethod
    def _of(cls, p: Fraction | float, q: Fraction | float) -> Self:
        gain = p - q
        return cls(float(gain), float(p * (1 - p) / gain**2), float(q * (1 - q) / gain**2))


@dataclass(frozen=True, slots=True)
class DirectionError:
    """The direction of a whole profile, one of many public ones.

    Parameters
    ----------
    gain, variance
        Length of the mean reported direction; and variance of each coordinate at right angles to the profile, decoded
        without bias.
    """

    gain: float
    variance: float

    @classmethod
    def exact(cls, epsilon: float) -> Self:
        """Return what the integers of the law say."""
        law = Nearest.for_epsilon(epsilon)
        return cls(law.gain, law.noise)

    @classmethod
    def limit(cls, epsilon: float) -> Self:
        """Return what no number of directions can exceed."""
        more = math.expm1(epsilon)
        found = minimize_scalar(lambda t: -more * norm.pdf(t) / (1 + more * norm.sf(t)), bounds=(0, 40))
        gain = float(-found.fun)
        return cls(gain, 1 / gain**2)
