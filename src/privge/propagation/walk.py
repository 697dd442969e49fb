"""The walk: the two parameters of the paper, and how exactly its result shall be known."""

import math
from dataclasses import dataclass

DEFAULT_ALPHA = 0.1
DEFAULT_R = 0.5
DEFAULT_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class Walk:
    """What is computed, whatever the graph and the features.

    Parameters
    ----------
    alpha
        The paper's decay factor, in (0, 1): near 1 stays local, near 0 reaches far.
    r
        The paper's convolution coefficient, in [0, 1].
    tolerance
        Largest error allowed in any entry; an engine certifies it or fails.
    """

    alpha: float = DEFAULT_ALPHA
    r: float = DEFAULT_R
    tolerance: float = DEFAULT_TOLERANCE

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, both excluded, got {self.alpha!r}")
        if not 0 <= self.r <= 1:
            raise ValueError(f"r must lie between 0 and 1, got {self.r!r}")
        if not (math.isfinite(self.tolerance) and self.tolerance > 0):
            raise ValueError(f"tolerance must be a finite number above 0, got {self.tolerance!r}")
