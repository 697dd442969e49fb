"""Whether answers are as sure as they are right for people with few friends, too, by labels held out."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.classification.estimates import Share

GROUPS = (("0", 0, 0), ("1 to 2", 1, 2), ("3 to 10", 3, 10), ("more", 11, None))
"""What groups of nodes are called, and their fewest and most friends."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure answers are and how right, for labelled nodes with so many friends.

    Parameters
    ----------
    friends
        How many, in words.
    confidence
        Mean probability of their answers.
    accuracy
        Share of right ones.
    """

    friends: str
    confidence: float
    accuracy: Share

    @property
    def boasting(self) -> bool:
        """Whether the confidence lies above the interval of the accuracy."""
        return self.confidence > self.accuracy.interval[1]

    @property
    def doubting(self) -> bool:
        """Whether the confidence lies below the interval of the accuracy."""
        return self.confidence < self.accuracy.interval[0]


def by_friends(probabilities: Floats, targets: Rows, friends: Rows) -> Iterator[Sureness]:
    """Yield each group in which there is a labelled node.

    Parameters
    ----------
    probabilities
        Of labelled nodes, each by what did not see its label.
    targets
        Their classes.
    friends
        How many friends each of them has.
    """
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == targets
    for name, fewest, most in GROUPS:
        mine = (friends >= fewest) & (friends <= (np.inf if most is None else most))
        if mine.any():
            yield Sureness(name, float(confidence[mine].mean()), Share(int(right[mine].sum()), int(mine.sum())))
