"""Local-privacy mechanisms as exact integer laws. One file a mechanism; `LAWS` finds it by name."""

import math
from fractions import Fraction

from privge.mechanisms.law import Law
from privge.mechanisms.mechanism import DEFAULT_LEVELS
from privge.mechanisms.verification import OWN

LAWS: dict[str, type[Law]] = {law.name: law for law in OWN}
"""Every law by the name that campaigns and the command line use."""


def law_for(mechanism: str, epsilon: float, k: int = 1, levels: int = DEFAULT_LEVELS) -> Law:
    """Build the one-dimensional law that spends exactly a ``k``-th of epsilon, without rounding it."""
    if mechanism not in LAWS:
        raise ValueError(f"mechanism must be one of {', '.join(LAWS)}, got {mechanism!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    kind = LAWS[mechanism]
    if kind.fixed_epsilon is not None:
        return kind.for_epsilon(epsilon, levels)
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be a finite number above 0, got {epsilon!r}")
    return kind.for_epsilon(Fraction(epsilon) / k, levels)
