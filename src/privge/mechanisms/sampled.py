"""Many dimensions: each person reports ``k`` of ``d`` coordinates, each at epsilon / k.

*Privacy.* The ``k`` indices do not depend on the data. Given the indices, the report is ``k`` independent
draws of laws whose worst ratio is ``R``, so two inputs differ by at most ``R**k``; `Sampled.check` compares
``k ln R``, rounded up by a proven bound, with epsilon. HDS is the sampled square wave (Algorithm 2 of the paper), and
the paper's Laplace in high dimension is the case ``k = d``.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from privge._typing import Codes, Levels
from privge.errors import PrivacyViolation
from privge.mechanisms.exponential import log_above
from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import Mechanism
from privge.mechanisms.verification import trusted
from privge.random import Source


@dataclass(frozen=True)
class Sampled(Mechanism):
    """``k`` of ``dimensions`` coordinates through one law; the others decode to the midpoint 0.

    Mean, variance and bias are those of one coordinate, over the draw of the indices and of the noise.
    Raw decoding is the paper's: HDS leaves a sampled value as it is, the others multiply it by d/k.

    Parameters
    ----------
    law
        The one-dimensional law, built for epsilon / k.
    k
        Coordinates that each person reports.
    dimensions
        Coordinates that each person has, ``d``.
    """

    law: Law
    k: int
    dimensions: int

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.dimensions:
            raise ValueError(f"k must be between 1 and dimensions = {self.dimensions}, got {self.k}")
        trusted(self.law)

    def check(self, epsilon: float) -> None:
        """Refuse a mechanism whose ``k`` draws together exceed epsilon; `realised_epsilon` is a proven bound."""
        if self.realised_epsilon > epsilon:
            raise PrivacyViolation(
                f"{self.k} draws of the law spend {self.realised_epsilon:.6g}, above epsilon = {epsilon:.6g}"
            )

    @property
    def levels(self) -> int:  # type: ignore[override]
        return self.law.levels

    @property
    def gain(self) -> Fraction:
        return self._scale * self._rate * self.law.gain

    @property
    def realised_epsilon(self) -> float:
        ratio = self.law.worst_ratio
        return math.inf if ratio is None else log_above(ratio, uses=self.k)

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        mean, second = self.law.moments(level)
        return self._rate * self._scale * mean, self._rate * self._scale**2 * second

    def exact_values(self) -> list[Fraction]:
        return [self._scale * value for value in self.law.exact_values()]

    def sample(self, levels: Levels, source: Source) -> Codes:
        """Draw a code for each entry of an ``n x k`` matrix of input levels."""
        return self.law.sample(levels, source)

    @property
    def output_range(self) -> tuple[float, float]:
        low, high = super().output_range
        return (low, high) if self.k == self.dimensions else (min(low, 0.0), max(high, 0.0))

    @property
    def _rate(self) -> Fraction:
        return Fraction(self.k, self.dimensions)

    @property
    def _scale(self) -> Fraction:
        return 1 / self._rate if self.law.rescaled else Fraction(1)


def default_k(epsilon: float, dimensions: int) -> int:
    """Return ``max(1, min(d, floor(epsilon / 2.5)))``, the same rule for every mechanism.

    It is the rule of Wang et al. (2019): a coordinate is worth reporting from about 2.5 on. One rule for
    all keeps a comparison of mechanisms fair; the paper gives HDS a tuned k and its rivals a fixed one.
    """
    return dimensions if epsilon == math.inf else max(1, min(dimensions, math.floor(epsilon / 2.5)))
