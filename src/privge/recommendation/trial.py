"""A trial on held-out edges: everything is learnt without some edges, then judged by them.

Training edges make candidates, the pair channel and vectors. Validation edges fit the weights of the score, and decide
whether vectors are used. Test edges judge, and are used for nothing else.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from privge._typing import Floats, Progress
from privge.graph import Graph
from privge.graph.pairs import NodePairs
from privge.recommendation.fusion import Gate, fused
from privge.recommendation.links import LinkScores
from privge.recommendation.logit import Lists, ListwiseLogit
from privge.recommendation.neighbourhood import Neighbourhood
from privge.recommendation.ranking import SHOWN, Queries, directed
from privge.recommendation.vectors import Signals
from privge.recommendation.view import View
from privge.structure import PairViews, pair_channel
from privge.structure.pairs import HELD_OUT
from privge.tasks.splits import EdgeSplit, split_edges

QUERIES = 2_000
"""Of the validation edges, and of the test edges, at most."""

LEAST_EDGES = 150
"""With fewer edges nothing is learnt and nothing judged: the score is personalized PageRank."""

ALTERNATIVES = 64
"""Candidates of a query that weights are fitted to; drawn uniformly, which leaves the fit consistent (McFadden)."""

_MOST_HIDDEN = 20_000  # validation edges at most, and twice as many test edges
_BLOCK = 500  # queries looked at at once


def why_not(graph: Graph) -> str | None:
    """Say why nothing can be learnt from a graph or judged by it, if that is so."""
    if graph.edges < LEAST_EDGES:
        return f"{graph.edges} edges are too few to learn from or to judge by"
    if graph.nodes * (graph.nodes - 1) // 2 < 2 * graph.edges:
        return "more than half of all pairs are joined, so there are too few others to learn from"
    return None


@dataclass(frozen=True, eq=False, slots=True)
class Trial:
    """The division of the edges, and the graph of the training edges.

    Parameters
    ----------
    whole, split, seed
        The graph with all edges, which of them are held out for what, and the seed of whatever is drawn.
    view
        What is looked at without the held-out edges; the structure alone.
    """

    whole: Graph
    split: EdgeSplit
    view: View
    seed: int

    @classmethod
    def of(cls, near: Neighbourhood, seed: int, progress: Progress | None = None) -> Self:
        """Hide edges and learn the pair channel from the others, which is most of the work."""
        graph = near.graph
        hidden = min(0.05, _MOST_HIDDEN / graph.edges)
        split = split_edges(graph, seed=seed, shares=(1 - 3 * hidden, hidden, 2 * hidden))
        known = split.train_graph
        channel = None
        if int(HELD_OUT * known.edges) >= 10:
            channel = pair_channel(
                known, views=PairViews(alphas=()), seed=seed, threads=near.threads, progress=progress
            )
        return cls(graph, split, View(replace(near, graph=known), channel), seed)

    def with_vectors(self, signals: Signals) -> View:
        """Let signals walk over the training edges, and learn links from them."""
        matrix = signals.on(self.split.train_graph, self.view.neighbourhood.threads)
        return replace(self.view, links=LinkScores.fit(matrix, self.split, self.seed))

    def fitted(self) -> ListwiseLogit:
        """Fit the score of the structure to the validation edges."""
        return ListwiseLogit.fit(self._lists(self.view), self.view.prior)

    def judged(self, view: View) -> tuple[Gate, ListwiseLogit]:
        """Fit the score of structure and vectors to the validation edges, and say whether vectors help."""
        lists = self._lists(view)
        both = fused(lists, view.prior)
        return Gate.judge(lists, view.prior, self.seed, both), both

    def test(self) -> NodePairs:
        """Return the queries that judge."""
        return directed(self.split.test, QUERIES, np.random.default_rng([self.seed, 34]))

    def _lists(self, view: View) -> Lists:
        generator = np.random.default_rng([self.seed, 33])
        pairs = directed(self.split.validation, QUERIES, generator)
        parts = []
        for first in range(0, len(pairs), _BLOCK):
            queries = self.queries(view, pairs[first : first + _BLOCK]).sampled(ALTERNATIVES, generator)
            columns = view.columns(queries.candidates, queries.allowed).astype(np.float64)
            parts.append(Lists.of(columns, queries.allowed, queries.right))
        return Lists.concatenated(parts)

    def queries(self, view: View, pairs: NodePairs) -> Queries:
        """Find the candidates of the first ends, on the training edges."""
        return Queries.of(view.candidates(pairs[:, 0], SHOWN), pairs[:, 1], self.whole)

    def area_pairs(self) -> tuple[NodePairs, NodePairs]:
        """Return test edges and pairs that are not joined, as many of each."""
        joined, apart = (
            group[np.random.default_rng([self.seed, 35]).permutation(len(group))[:QUERIES]]
            for group in (self.split.test, self.split.test_negatives)
        )
        return joined, apart

    def area_columns(self, view: View) -> tuple[Floats, Floats]:
        """Return the columns of the same pairs."""
        joined, apart = (view.of_pairs(pairs).astype(np.float64) for pairs in self.area_pairs())
        return joined, apart
