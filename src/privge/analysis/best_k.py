"""How many coordinates a person should report. It depends on what the reports are for."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from privge.analysis.worst_case import limit_for
from privge.mechanisms import ContinuousLimit

Purpose: TypeAlias = Literal["estimate", "as in the paper"]

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
"""*estimate*: means, sums, anything that adds up reports: the variance of the unbiased estimate counts.
*as in the paper*: raw values beside the true ones, coordinate by coordinate: the mean squared error, bias included."""


@dataclass(frozen=True, slots=True)
class BestK:
    """The best number of coordinates for a purpose.

    Parameters
    ----------
    k
        The number.
    value
        What is smallest there, at the worst input: a variance or a mean squared error.
    """

    k: int
    value: float


def best_k(mechanism: str, epsilon: float, dimensions: int, purpose: Purpose = "estimate") -> BestK:
    """Return the k with the smallest variance or error of one coordinate at its worst, on an infinitely fine grid.

    Parameters
    ----------
    mechanism, epsilon, dimensions
        As of `privge.analysis.sampled_for`.
    purpose
        One of `PURPOSES`.
    """
    if purpose not in PURPOSES:
        raise ValueError(f"purpose must be one of {', '.join(map(repr, PURPOSES))}, got {purpose!r}")
    values = {k: _value(limit_for(mechanism, epsilon, k, dimensions), purpose) for k in range(1, dimensions + 1)}
    best = min(values, key=values.__getitem__)
    return BestK(best, values[best])


def _value(limit: ContinuousLimit, purpose: Purpose) -> float:
    return limit.worst_case_variance("unbiased") if purpose == "estimate" else limit.worst_case_mse()
