"""Decoding with a bound on what one report can say: for laws with long tails, against false reports.

A liar may send any code. The largest value that a code stands for is what a liar can add; honest noise of a law with
long tails reaches it hardly ever. Clipping moves every decoded value of one coordinate into ``[-bound, bound]``, where
inputs lie in [-1, 1], before the factor d/k of raw decoding. It is post-processing and costs no privacy.

*Bias.* Clipping a tail that is longer on one side moves the mean towards 0. `Clipped` enumerates the clipped values
with the exact weights of the law, so its `mean`, `variance` and `bias` are exact statements about it at every input;
`unbiased` decoding divides by its own gain, and is exact at the middle and at both bounds.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privge.mechanisms.law import IntegerValues
from privge.mechanisms.sampled import Sampled


@dataclass(frozen=True)
class Clipped(Sampled):
    """``k`` of ``dimensions`` coordinates through one law, each decoded to at most ``bound`` half-ranges.

    Parameters
    ----------
    law
        As for `Sampled`.
    k
        As for `Sampled`.
    dimensions
        As for `Sampled`.
    bound
        Largest magnitude of a decoded coordinate, at least 1: what an input can be.
    """

    bound: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.bound, bool) or not (math.isfinite(self.bound) and self.bound >= 1):
            raise ValueError(f"clip must be a finite number of at least 1, got {self.bound!r}")

    @property
    def gain(self) -> Fraction:
        return self.moments(self.levels - 1)[0]

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        mean, second = self._integer_values.moments(self.law.weights(level).tolist())
        return self._rate * self._scale * mean, self._rate * self._scale**2 * second

    def exact_values(self) -> list[Fraction]:
        return [self._scale * value for value in self._clipped_values]

    @property
    def _clipped_values(self) -> list[Fraction]:
        most = Fraction(self.bound)
        return [max(-most, min(most, value)) for value in self.law.exact_values()]

    @cached_property
    def _integer_values(self) -> IntegerValues:
        return IntegerValues.of(self._clipped_values)
