"""The paper's formulas for an infinitely fine grid, with its errors corrected (``docs/paper.md``)."""

from dataclasses import dataclass

import numpy as np

from privge._typing import ArrayLike, Decoding, Floats


@dataclass(frozen=True, slots=True)
class ContinuousLimit:
    """A mechanism on an infinitely fine grid.

    The raw output has mean ``gain * x`` and second moment ``constant + slope * x**2``; every mechanism of the paper
    has this form.
    """

    gain: float
    constant: float
    slope: float

    def variance(self, x: ArrayLike, decoding: Decoding = "raw") -> Floats:
        """Return the variance of the decoded output for input ``x``."""
        square = np.asarray(x, dtype=np.float64) ** 2
        raw: Floats = self.constant + (self.slope - self.gain**2) * square
        return raw if decoding == "raw" else raw / self.gain**2

    def worst_case_variance(self, decoding: Decoding = "raw") -> float:
        """Return the largest variance over ``[-1, 1]`` (it is linear in ``x**2``)."""
        return float(self.variance([0.0, 1.0], decoding).max())

    def bias(self, x: ArrayLike, decoding: Decoding = "raw") -> Floats:
        """Return mean minus input."""
        lost = self.gain - 1 if decoding == "raw" else 0.0
        return lost * np.asarray(x, dtype=np.float64)

    def worst_case_mse(self, decoding: Decoding = "raw") -> float:
        """Return the largest mean squared error, bias included."""
        ends = [0.0, 1.0]
        return float((self.variance(ends, decoding) + self.bias(ends, decoding) ** 2).max())

    def sampled(self, k: int, dimensions: int, *, rescaled: bool) -> "ContinuousLimit":
        """Return the law of one coordinate when ``k`` of ``dimensions`` are reported."""
        rate = k / dimensions
        scale = 1 / rate if rescaled else 1.0
        second = rate * scale**2
        return ContinuousLimit(rate * scale * self.gain, second * self.constant, second * self.slope)
