"""What the paper states, as it states it, beside what is right: its lemma, its half-width, its three theorems.

``docs/theory.md`` explains the differences; tests pin each of them.
"""

import math
from dataclasses import dataclass

from privge.analysis.tails import bernstein
from privge.analysis.worst_case import limit_for
from privge.mechanisms import ContinuousLimit
from privge.mechanisms.square_wave import half_width


def lemma(epsilon: float, k: int, dimensions: int) -> ContinuousLimit:
    """Return the lemma on bias and variance of HDS with the right constant C, which is the ``gain``.

    ``C = k b (e^(epsilon/k) - 1) / (d (b e^(epsilon/k) + 1))``, and the variance at x is
    ``k (b^3 e^(epsilon/k) + 3 b^2 + 3 b + 1) / (3 d (b e^(epsilon/k) + 1)) + (C - C^2) x^2``.

    Parameters
    ----------
    epsilon
        Privacy budget of the whole report.
    k
        Coordinates that a person reports.
    dimensions
        Coordinates that a person has, d.
    """
    return limit_for("hds", epsilon, k, dimensions)


def stated_gain(epsilon: float, k: int, dimensions: int) -> float:
    """Return C as the paper prints it, with the denominator ``d b e^(epsilon/k) + 1``. It is too large.

    Parameters
    ----------
    epsilon
        As of `lemma`.
    k
        As of `lemma`.
    dimensions
        As of `lemma`.
    """
    b, shrink = half_width(epsilon / k), math.exp(-epsilon / k)
    return k * b * -math.expm1(-epsilon / k) / (dimensions * b + shrink)


def stated_half_width(epsilon: float) -> float:
    """Return b as the paper's formula gives it in floats: it cancels for small epsilon, and overflows for large."""
    grown = math.exp(epsilon)
    return (epsilon * grown - grown + 1) / (grown * (grown - epsilon - 1))


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem of the paper: the largest error of an entry of a node, with probability 1 - delta.

    Parameters
    ----------
    order, stated
        What is stated, and what that is without its unknown constant.
    proved
        What the proof gives with its own constants, for a row of Pi that sums to 1 and may be a single 1.
    always
        What the error of such a row cannot exceed anyway.
    """

    mechanism: str
    order: str
    stated: float
    proved: float
    always: float

    @property
    def says_something(self) -> bool:
        """Whether the proof gives less than what holds anyway."""
        return self.proved < self.always


def theorems(epsilon: float, k: int, dimensions: int, delta: float = 0.05) -> tuple[Theorem, ...]:
    """Return the paper's theorems for HDS, Laplace, Piecewise and Multi-bit, as numbers.

    Parameters
    ----------
    epsilon
        Privacy budget of the whole report.
    k
        Coordinates that a person reports; for Laplace the paper takes all.
    dimensions
        Coordinates that a person has, d.
    delta
        How often the largest error of a node may be larger.
    """
    logarithm = math.log(dimensions / delta)
    grows = dimensions * logarithm / epsilon
    half = math.tanh(epsilon / (4 * k))  # (e^(epsilon/2k) - 1) / (e^(epsilon/2k) + 1)
    return (
        _of_hds(epsilon, k, dimensions, delta),
        Theorem("laplace", "O(d log(d/delta) / epsilon)", grows, _of_laplace(epsilon, dimensions, delta), math.inf),
        _unbiased("piecewise", epsilon, k, dimensions, delta, largest=1 / half),
        _unbiased("multibit", epsilon, k, dimensions, delta, largest=1 / math.tanh(epsilon / (2 * k))),
    )


def _of_hds(epsilon: float, k: int, dimensions: int, delta: float) -> Theorem:
    limit, b = lemma(epsilon, k, dimensions), half_width(epsilon / k)
    reach = 2 * (b + 1)
    random = float(bernstein(limit.worst_case_variance(), reach / 3, delta / dimensions))
    return Theorem("hds", "O(log(d/delta))", math.log(dimensions / delta), random + 1 - limit.gain, 2 + b)


def _of_laplace(epsilon: float, dimensions: int, delta: float) -> float:
    """Return the proof's bound for a row that is a single 1: sub-exponential noise with the parameter 4 d / epsilon."""
    logarithm = math.log(2 * dimensions / delta)
    scale = 4 * dimensions / epsilon
    return scale * (math.sqrt(2 * logarithm) if logarithm <= 0.5 else 2 * logarithm)


def _unbiased(mechanism: str, epsilon: float, k: int, dimensions: int, delta: float, *, largest: float) -> Theorem:
    limit = limit_for(mechanism, epsilon, k, dimensions)
    reach = dimensions / k * (largest + 1)  # the proof's 2 d e^(eps/2k) / (k (e^(eps/2k) - 1)), for Piecewise
    proved = float(bernstein(limit.worst_case_variance(), reach / 3, delta / dimensions))
    stated = dimensions * math.log(dimensions / delta) / epsilon
    return Theorem(mechanism, "O(d log(d/delta) / epsilon)", stated, proved, dimensions / k * largest + 1)
