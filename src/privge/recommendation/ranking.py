"""How well held-out friends are ranked, precisely.

A *query* is one direction of a held-out edge: a person and a friend whom nobody knows of. The person's candidates are
found on the graph without the held-out edges, and ranked by a score. The rank of the friend is 1 plus the candidates
with a higher score plus half of those with the same one. Other held-out friends of the person are taken out before,
because they are right answers too. A friend who is not among the candidates is a miss: no hit, reciprocal rank 0. So
what is measured is what a person would be shown.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs, are_edges
from privge.recommendation.neighbourhood import Candidates, Marks

SHOWN = 10
"""Of hits@10."""


@dataclass(frozen=True, eq=False, slots=True)
class Queries:
    """People, one held-out friend of each, and the candidates among whom the friend is looked for.

    The candidates are those in the graph without the held-out edges; all but other held-out friends are ``allowed``.
    """

    candidates: Candidates
    friends: Rows
    allowed: Marks

    @classmethod
    def of(cls, candidates: Candidates, friends: Rows, whole: Graph) -> Self:
        """Take other friends out of the competition; ``whole`` is the graph with the held-out edges."""
        allowed = candidates.there.copy()
        allowed[candidates.there] = ~are_edges(whole, candidates.pairs)
        return cls(candidates, friends, allowed | (candidates.others == friends[:, None]))

    @property
    def right(self) -> Marks:
        """Where the held-out friend stands."""
        found: Marks = self.candidates.others == self.friends[:, None]
        return found

    def sampled(self, most: int, generator: np.random.Generator) -> "Queries":
        """Return these with at most so many who compete with the held-out friend, drawn uniformly."""
        order = np.where(self.allowed, generator.random(self.allowed.shape), np.inf)
        bound = np.partition(order, min(most, order.shape[1]) - 1, axis=1)[:, min(most, order.shape[1]) - 1]
        return Queries(self.candidates, self.friends, self.allowed & ((order <= bound[:, None]) | self.right))

    def ranks(self, scores: Floats) -> Floats:
        """Return the rank of each held-out friend, infinite for one who is not among the candidates.

        Parameters
        ----------
        scores
            A line for each query, as candidates are; minus infinity for candidates that are not shown.
        """
        competing = np.where(self.allowed, scores, -np.inf)
        own = np.where(self.right, competing, -np.inf).max(axis=1, initial=-np.inf)
        higher = (competing > own[:, None]).sum(axis=1)
        same = (competing == own[:, None]).sum(axis=1) - 1
        return np.where(np.isfinite(own), 1 + higher + same / 2, np.inf)


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a score is on held-out edges.

    Parameters
    ----------
    hits
        Share of queries whose friend is among the first 10.
    reciprocal
        Mean reciprocal rank.
    area
        AUC: how often a held-out edge scores above a pair that is not joined.
    errors
        Standard errors of hits and reciprocal rank.
    """

    hits: float
    reciprocal: float
    area: float
    errors: tuple[float, float]


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """What a score finds, query by query.

    Parameters
    ----------
    hits
        1 if the friend is among the first 10, otherwise 0; or the probability of it, where it is known.
    reciprocal
        The reciprocal rank, 0 for a miss; or its expectation.
    """

    hits: Floats
    reciprocal: Floats

    @classmethod
    def of(cls, ranks: Floats) -> Self:
        """Take the rank of each friend, infinite for a miss."""
        return cls((ranks <= SHOWN).astype(np.float64), 1 / ranks)

    def quality(self, area: float) -> Quality:
        """Sum up all queries; the AUC is given."""
        root = max(1, len(self.hits)) ** 0.5
        errors = (float(self.hits.std() / root), float(self.reciprocal.std() / root))
        return Quality(float(self.hits.mean()), float(self.reciprocal.mean()), area, errors)


def directed(pairs: NodePairs, most: int, generator: np.random.Generator) -> NodePairs:
    """Return both directions of edges, at most so many, drawn at random: the person first."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    return both[generator.permutation(len(both))[:most]]


def best(scores: Floats, count: int, others: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where the highest scores of each line stand, best first; of equal ones the lower row comes first."""
    order = np.lexsort((others, -scores), axis=1)
    return order[:, :count].astype(np.int64)
