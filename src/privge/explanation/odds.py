"""Odds before and after: what the whole report can do to somebody's guess, at most."""

import math
from dataclasses import dataclass

PRIORS = (0.01, 0.1, 0.5, 0.9)
"""Guesses that are shown."""


@dataclass(frozen=True, slots=True)
class Odds:
    """A guess before, and between what it lies after seeing the report."""

    before: float
    least: float
    most: float


def odds(before: float, epsilon: float) -> Odds:
    """Return the range of a guess after the report: its odds change by a factor of at most e^epsilon, either way."""
    factor = math.exp(min(epsilon, 700.0))
    return Odds(before, before / (before + (1 - before) * factor), before * factor / (before * factor + 1 - before))
