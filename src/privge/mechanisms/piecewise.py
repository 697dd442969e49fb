"""Piecewise mechanism (Wang et al. 2019).

It is exactly the window law (``window.py`` states the weights and proves epsilon) with a window
``exp(-epsilon/2)`` times as wide as the input range, its outputs rescaled so that the mean equals the input.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.window import WindowLaw


@dataclass(frozen=True)
class Piecewise(WindowLaw):
    """Window law with the piecewise mechanism's width; raw decoding is already unbiased."""

    name = "piecewise"
    label = "Piecewise"
    colour = "#7c3aed"
    rescaled = True
    epsilon_per_feature = 2.5

    @staticmethod
    def width(epsilon: float) -> float:
        return math.exp(-epsilon / 2)

    @classmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        # The paper's p = (e^eps - e^{eps/2}) / (2 e^{eps/2} + 2), with u = e^{-eps/2} against overflow:
        # Var = x^2 / (1/u - 1) + (1/u + 3) / (3 (1/u - 1)^2).
        u = math.exp(-epsilon / 2)
        rest = -math.expm1(-epsilon / 2)  # 1 - u
        return ContinuousLimit(gain=1.0, constant=u * (1 + 3 * u) / (3 * rest**2), slope=1 + u / rest)

    @property
    def _scale(self) -> Fraction:
        # A grid too fine for its epsilon has gain 0; then no scale makes it unbiased.
        return 1 / self._window_gain if self._window_gain else Fraction(1)
