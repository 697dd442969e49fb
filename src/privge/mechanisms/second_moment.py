"""The second moment of a decoded value as a function of the input: ``at_middle + by_square x^2``.

Of every window law this is exact, of the two-point law with ``by_square = 0``, of Laplace up to its clamped tails.
"""

from dataclasses import dataclass

from privge._typing import Decoding
from privge.mechanisms.mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class SecondMoment:
    """The gain, and the second moment ``at_middle + by_square * x^2`` of one decoded value of an input ``x``.

    Parameters
    ----------
    gain
        The mean of the decoded value at ``x = 1``; 1 if it is decoded without bias.
    at_middle
        The second moment at ``x = 0``.
    by_square
        What it grows by to ``x = 1``.
    levels
        How many inputs there are; of two, both have ``x^2 = 1``.
    """

    gain: float
    at_middle: float
    by_square: float
    levels: int

    @classmethod
    def of(cls, mechanism: Mechanism, decoding: Decoding) -> "SecondMoment":
        """Take the moments of a mechanism at its middle and at its end."""
        scale = 1.0 if decoding == "raw" else 1 / float(mechanism.gain)
        steps = mechanism.levels - 1
        mean, end = (float(moment) for moment in mechanism.moments(steps))
        inner = float(mechanism.moments(steps // 2)[1])
        square = (2 * (steps // 2) / steps - 1) ** 2  # 0, unless the grid is even
        slope = (end - inner) / (1 - square) if steps > 1 else 0.0
        return cls(scale * mean, scale**2 * (end - slope), scale**2 * slope, mechanism.levels)

    @property
    def tells_squares(self) -> bool:
        """Whether the mean square of decoded values says the mean square of the inputs; not so of a two-point law."""
        return self.by_square > 1e-9 * self.at_middle
