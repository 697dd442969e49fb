"""A graph and all that looks at pairs of it: who could be recommended to whom, and what is known of each pair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs
from privge.recommendation.links import LinkScores
from privge.recommendation.logit import ListwiseLogit
from privge.recommendation.neighbourhood import Candidates, Marks, Neighbourhood, Places
from privge.structure import PairChannel

BY_VECTORS = 50
"""Candidates by vectors, for each person."""

_POPULAR = 200  # people with the most friends, for those who are near nobody
_LEAST_RANK, _LEAST_SHARE = 1e-7, 1e-4  # below logarithms: where a walk did not come

PAGERANK, ALLOCATION, DEGREE = 0, 1, 2
"""The first columns: logarithms of personalized PageRank, of resource allocation, and of the candidate's degree."""


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """What is looked at.

    Parameters
    ----------
    channel
        What it says of pairs; None if it has too few edges to learn from.
    links
        What vectors say of pairs; None if there are none, or if they are not used.
    """

    neighbourhood: Neighbourhood
    channel: PairChannel | None
    links: LinkScores | None = None

    @property
    def prior(self) -> Floats:
        """Weights of the columns of the structure that rank by personalized PageRank: by where a walk arrives."""
        width = 3 if self.channel is None else 4 + self.channel.width
        prior = np.zeros(width)
        prior[[PAGERANK, DEGREE]] = 1.0, 0.5
        return prior

    def candidates(self, people: Rows, least: int) -> Candidates:
        """Find whom people could be recommended; popular people are added for whoever has fewer than ``least``."""
        given = None if self.links is None else self.links.nearest(people, BY_VECTORS)
        found = self.neighbourhood.candidates(people, given)
        short = np.flatnonzero(found.there.sum(axis=1) < least)
        if not len(short):
            return found
        popular = np.broadcast_to(self._popular(), (len(short), len(self._popular())))
        more = popular if given is None else np.hstack([given[short], popular])
        return found.replaced(short, self.neighbourhood.candidates(people[short], np.ascontiguousarray(more)))

    def columns(self, candidates: Candidates, wanted: Marks | None = None) -> NDArray[np.float32]:
        """Return a line for each candidate that is there, or only for those wanted: the structure's, and of vectors."""
        wanted = candidates.there if wanted is None else wanted
        pairs = candidates.pairs_at(wanted)
        near = candidates.nearness[wanted]
        degrees = np.log1p(self.neighbourhood.graph.degrees[pairs[:, 1]])
        columns = [np.log(near[:, 1] + _LEAST_RANK), np.log(near[:, 0] + _LEAST_SHARE), degrees]
        if self.channel is not None:
            seen, odds = self.channel.described(pairs)
            columns += [seen, odds]
        if self.links is not None:
            columns.append(self.links.of_pairs(pairs))
        return np.column_stack(columns).astype(np.float32)

    def scores(self, candidates: Candidates, columns: NDArray[np.float32], logit: ListwiseLogit) -> Floats:
        """Return the score of each candidate, in the shape of candidates.

        Of people without a friend the graph knows nothing: theirs are ranked by vectors, or if there are none, by how
        many friends candidates have.
        """
        values = logit.scores(columns)
        lonely = self.neighbourhood.graph.degrees[candidates.people] == 0
        theirs = np.repeat(lonely, candidates.there.sum(axis=1))
        values[theirs] = columns[theirs, DEGREE if self.links is None else -1]
        return candidates.spread(values)

    def of_pairs(self, pairs: NodePairs) -> NDArray[np.float32]:
        """Return the columns of pairs, whoever the candidates of their first ends are."""
        asked = self.neighbourhood.candidates(pairs[:, 0], pairs[:, 1:].astype(np.int32), most=0, anybody=True)
        return self.columns(asked)

    def _popular(self) -> Places:
        """Return the people with the most friends who are not gone."""
        degrees = np.where(self.neighbourhood.excluded.gone, -1, self.neighbourhood.graph.degrees)
        order = np.argsort(-degrees, kind="stable")[:_POPULAR]
        return order[degrees[order] >= 0].astype(np.int32)
