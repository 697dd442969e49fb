"""`Lead`: by how much a score finds more held-out friends than a baseline does, and whether that can be told."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from privge.graph.pairs import NodePairs
from privge.recommendation.ranking import Found

_NORMAL = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Lead:
    """By how many points hits@10 of one score are above those of another, paired by query.

    ``error`` is the standard error. Both directions of an edge count as one observation, because who is found from one
    end is often found from the other. Half an observation for either side is added, as Agresti and Min do for paired
    shares (Statistics in Medicine 24, 2005): otherwise, without a single hit, the interval would have no width.
    """

    points: float
    error: float

    @classmethod
    def of(cls, score: Found, other: Found, pairs: NodePairs) -> Self:
        """Compare two scores on the same queries."""
        differences = score.hits - other.hits
        mean = float(differences.mean())
        edges = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)[1].ravel()
        sums = np.bincount(edges, weights=differences - mean)
        return cls(100 * mean, 100 * float(np.sqrt(sums @ sums + 1)) / len(differences))

    @property
    def interval(self) -> tuple[float, float]:
        """The two ends of its 95 % interval."""
        return self.points - _NORMAL * self.error, self.points + _NORMAL * self.error

    @property
    def told(self) -> bool:
        """Whether the score is better, beyond chance."""
        return self.interval[0] > 0

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.points:+.1f} points of hits@10 ({low:+.1f} to {high:+.1f})"
