"""How good answers are, by labels that they did not see: accuracy with its interval, macro-F1, calibration."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.metrics import macro_f1

BINS = 15
"""Into how many equal parts confidence is divided for the expected calibration error."""

_NORMAL = 1.959964  # of a two-sided 95 % interval


@dataclass(frozen=True, slots=True)
class Share:
    """A share: so many hits of a count.

    Its 95 % interval is that of Wilson; nothing is known of a share of nobody.
    """

    hits: int
    count: int

    @property
    def value(self) -> float:
        """The share."""
        return self.hits / self.count if self.count else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Its two ends."""
        if not self.count:
            return math.nan, math.nan
        square = _NORMAL**2 / self.count
        centre = (self.value + square / 2) / (1 + square)
        half = math.sqrt(self.value * (1 - self.value) * square + square**2 / 4) / (1 + square)
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        """Return percents, such as ``84.2 % (82.0 to 86.1)``."""
        if not self.count:
            return "nobody"
        low, high = self.interval
        return f"{100 * self.value:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


@dataclass(frozen=True, slots=True)
class Gain:
    """By how many points one answer finds more of the same nodes than another, with a 95 % interval.

    ``error`` is the standard error, paired by node.
    """

    points: float
    error: float

    @classmethod
    def of(cls, answers: Rows, others: Rows, targets: Rows) -> Self:
        """Compare two answers of the same nodes."""
        differences = 100.0 * ((answers == targets).astype(float) - (others == targets))
        return cls(float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences))))

    @property
    def interval(self) -> tuple[float, float]:
        """The two ends of its interval."""
        return self.points - _NORMAL * self.error, self.points + _NORMAL * self.error

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.points:+.1f} points ({low:+.1f} to {high:+.1f})"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What to expect of an answer.

    ``accuracy`` is the share of the nodes whose class is found, and ``macro_f1`` the mean over the classes of the F1
    score; NaN if nobody was answered.
    """

    accuracy: Share
    macro_f1: float

    @classmethod
    def of(cls, answers: Rows, targets: Rows) -> Self:
        """Judge answers by the classes of the same nodes."""
        score = macro_f1(targets, answers) if len(targets) else math.nan
        return cls(Share(int((answers == targets).sum()), len(targets)), score)


def expected_calibration_error(probabilities: Floats, targets: Rows) -> float:
    """Return how far confidence and accuracy lie apart on average, over bins of equal width.

    Parameters
    ----------
    probabilities
        Of each class (columns) for each node (rows).
    targets
        The class of each node.
    """
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == targets
    bins = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    gaps = [abs(float((confidence - right)[bins == place].sum())) for place in range(BINS)]
    return sum(gaps) / max(1, len(targets))
