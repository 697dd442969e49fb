"""From repeats to numbers and words: a mean with its spread, a paired difference with its interval.

One repeat has neither spread nor interval, and no repeat has no mean: inside they are NaN, but whatever is printed says
so in words, and documents get None. Every ± and every interval of the experiments is written here.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

NOT_RUN = "not run"
"""What stands in place of a number of which there is no repeat."""

NO_SPREAD = "one repeat, no spread"
"""Why a number has no ±."""

FEW = 5
"""Repeats below which an interval says little."""

_MOST = 100.0  # points by which two percentages can differ


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation over repeats; NaN where there are too few."""

    mean: float
    std: float
    repeats: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Summarise the values of one cell."""
        array = np.array(list(values), dtype=np.float64)
        mean = float(array.mean()) if array.size else math.nan
        return cls(mean, float(array.std(ddof=1)) if array.size > 1 else math.nan, array.size)

    def __str__(self) -> str:
        """Return the number for a table, such as ``84.4 ± 1.4``; one repeat has no ±."""
        if not self.repeats:
            return NOT_RUN
        return f"{self.mean:.1f}" + (f" ± {self.std:.1f}" if self.repeats > 1 else "")

    @property
    def said(self) -> str:
        """The number for a sentence, which says why there is no ±."""
        return f"{self} ({NO_SPREAD})" if self.repeats == 1 else str(self)


@dataclass(frozen=True, slots=True)
class Lift:
    """Mean paired difference with its 95 % interval (Student's t over repeats); NaN where there are too few.

    Both are points of percentages, which differ by at most 100: no interval goes beyond what is possible. Few repeats
    that happen to differ by the same, as counts of few test nodes do, have a deviation of zero: that is no interval.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, differences: Iterable[float]) -> "Lift":
        """Summarise differences of the same repeats."""
        spread = Spread.of(differences)
        if spread.repeats < 2 or (spread.repeats < FEW and spread.std == 0 != spread.mean):
            return cls(spread.mean, math.nan, math.nan)
        from scipy.stats import t

        # Splits overlap between repeats, so the interval is somewhat too narrow; the report says so.
        half = float(t.ppf(0.975, spread.repeats - 1)) * spread.std / math.sqrt(spread.repeats)
        return cls(spread.mean, max(spread.mean - half, -_MOST), min(spread.mean + half, _MOST))

    def __str__(self) -> str:
        """Return the difference for a table, such as ``+0.4 (-0.3 to +1.0)``."""
        return self._written("{0} ({1} to {2})", alone="{0} (no interval)")

    @property
    def said(self) -> str:
        """The difference for a sentence."""
        return self._written("{0} points (95 %: {1} to {2})", alone="{0} points (no interval)")

    def _written(self, words: str, *, alone: str) -> str:
        """Return words with mean and interval, to a second decimal where that is narrow; or those for too few."""
        if math.isnan(self.mean):
            return NOT_RUN
        decimals = 2 if self.high - self.low < 0.2 else 1
        numbers = [f"{value:+.{decimals}f}" for value in (self.mean, self.low, self.high)]
        return (alone if math.isnan(self.low) else words).format(*numbers)

    def concluded(self, above: str, below: str, neither: str) -> str:
        """Return the difference with the words that its interval supports; nothing follows without one."""
        if math.isnan(self.low):
            return self.said
        return f"{self.said}; {above if self.low > 0 else below if self.high < 0 else neither}"


def percent(share: float | None) -> float | None:
    """Return a share in percent, as results hold it; None where nobody was counted."""
    return None if share is None else round(100 * share, 4)


def plain(value: object) -> object:
    """Return a value for a document: numbers rounded, None for what is not finite."""
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else None
    return value
