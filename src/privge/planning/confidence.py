"""Confidence of 95 %, for every interval of a plan."""

from scipy.special import betaincinv

NORMAL = 1.96
"""Standard errors on either side of an estimate."""


def share_limits(found: float, people: int) -> tuple[float, float]:
    """Return between what a share lies that was found among so many people (Clopper and Pearson)."""
    count, tail = round(found * people), 0.025
    low = 0.0 if count == 0 else float(betaincinv(count, people - count + 1, tail))
    high = 1.0 if count == people else float(betaincinv(count + 1, people - count, 1 - tail))
    return low, high
