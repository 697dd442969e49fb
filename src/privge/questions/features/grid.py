"""A number to a level of a public grid: equal steps between two bounds, or how many public thresholds it reaches.

A bounded number is clipped, taken as its share of the way from ``low`` to ``high``, and rounded to the nearest step,
halves to the even one. With ``sqrt`` the number and both bounds are replaced by their square roots before, which every
machine rounds alike. This is the last place where a float decides anything.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.mechanisms import DEFAULT_LEVELS, MAX_LEVELS
from privge.questions.stated import integer, listed, number, one_of, truth

MISSING = ("midpoint", "low", "high")
"""What a missing number counts as: the middle level, the least or the largest one."""


class OnGrid(NamedTuple):
    """Levels of numbers, and which of them lay outside the bounds or were missing."""

    levels: NDArray[np.int64]
    outside: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def check_grid(feature: Any) -> None:  # noqa: ANN401 (a frozen dataclass with bounds, levels, thresholds, sqrt, missing)
    """Check bounds or thresholds of a feature, and put its number of levels into it."""
    given = listed("thresholds", feature.thresholds, 0, MAX_LEVELS - 1)
    thresholds = tuple(number("thresholds", each) for each in given)
    if any(later <= earlier for earlier, later in pairwise(thresholds)):
        raise BadData("thresholds must increase")
    bounded = feature.low is not None or feature.high is not None
    if bounded == bool(thresholds):
        raise BadData("either low and high or thresholds must be stated: they are public, and never computed from data")
    levels = feature.levels
    if thresholds:
        if levels not in (0, len(thresholds) + 1):
            raise BadData(f"levels must be one more than the {len(thresholds)} thresholds, got {levels!r}")
        levels = len(thresholds) + 1
    else:
        _check_bounds(feature)
        levels = DEFAULT_LEVELS if levels == 0 else integer("levels", levels, 2, MAX_LEVELS)
    truth("sqrt", feature.sqrt)
    one_of("missing", feature.missing, MISSING)
    object.__setattr__(feature, "thresholds", thresholds)
    object.__setattr__(feature, "levels", levels)


def _check_bounds(feature: Any) -> None:  # noqa: ANN401 (as above)
    low, high = number("low", feature.low), number("high", feature.high)
    if feature.sqrt and low < 0:
        raise BadData(f"low must be at least 0 where the square root is taken, got {low:g}")
    least, most = (math.sqrt(low), math.sqrt(high)) if feature.sqrt and low < high else (low, high)
    if most / 2 - least / 2 <= 0:  # also two bounds with the same root: there would be no steps between them
        raise BadData(f"low must be below high, got {low:g} and {high:g}")
    object.__setattr__(feature, "low", low)
    object.__setattr__(feature, "high", high)


def levels_on_grid(feature: Any, values: Floats) -> OnGrid:  # noqa: ANN401 (as above)
    """Return the level of each number by the grid of a feature."""
    absent = np.isnan(values)
    stand_in = missing_level(feature)
    if feature.thresholds:
        levels = np.zeros(values.shape, dtype=np.int64)
        for threshold in feature.thresholds:
            levels += values >= threshold
        return OnGrid(np.where(absent, stand_in, levels), np.zeros_like(absent), absent)
    low, high = feature.low, feature.high
    outside = (values < low) | (values > high)
    inside = np.clip(np.where(absent, low, values), low, high)
    if feature.sqrt:
        inside, low, high = np.sqrt(inside), math.sqrt(low), math.sqrt(high)
    share = (inside / 2 - low / 2) / (high / 2 - low / 2)  # halved, so that no range overflows
    levels = np.rint(share * (feature.levels - 1)).astype(np.int64)
    return OnGrid(np.where(absent, stand_in, levels), outside, absent)


def missing_level(feature: Any) -> int:  # noqa: ANN401 (as above)
    """Return the level of a missing number."""
    last: int = feature.levels - 1
    return {"low": 0, "high": last, "midpoint": last // 2}[feature.missing]


def grid_words(feature: Any) -> str:  # noqa: ANN401 (as above)
    """Say in words what the grid is, and what becomes of a value that does not fit."""
    missing = {"low": "the least", "high": "the largest", "midpoint": "the middle one"}[feature.missing]
    if feature.thresholds:
        return f"how many of {_few(feature.thresholds)} it reaches; missing: {missing}"
    root = "the square root of a number" if feature.sqrt else "a number"
    steps = f"{feature.levels:,} levels"
    return (
        f"{root} from {feature.low:.12g} to {feature.high:.12g}, {steps}; outside: the nearer bound; missing: {missing}"
    )


def _few(thresholds: Sequence[float]) -> str:
    shown = ", ".join(f"{each:g}" for each in thresholds[:6])
    return f"the thresholds {shown}" + (f" and {len(thresholds) - 6} more" if len(thresholds) > 6 else "")
