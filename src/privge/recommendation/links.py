"""What vectors say of pairs: the link predictor, for pairs and as a search for the best partners of a person."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs
from privge.propagation import Matrix
from privge.recommendation.index import VectorIndex
from privge.recommendation.neighbourhood import Places
from privge.tasks.links import LinkPredictor
from privge.tasks.scaling import ScaledRows, rows_at_once
from privge.tasks.splits import EdgeSplit


@dataclass(frozen=True, eq=False, slots=True)
class LinkScores:
    """A link predictor on the vectors of a graph.

    Parameters
    ----------
    head
        What was learnt: a weighted inner product of two scaled vectors.
    index
        The scaled vectors, one for each node.
    """

    head: LinkPredictor
    index: VectorIndex

    @classmethod
    def fit(cls, matrix: Matrix, split: EdgeSplit, seed: int) -> Self:
        """Learn from the training edges; the validation edges choose the epoch."""
        head = LinkPredictor(seed=seed, threads=1)
        validation = (split.validation, split.validation_negatives)
        head.fit(matrix, split.train_graph, split.train, validation=validation)
        return cls(head, _index(head, matrix))

    def on(self, matrix: Matrix) -> "LinkScores":
        """Return the same head on other vectors."""
        return LinkScores(self.head, _index(self.head, matrix))

    @property
    def weights(self) -> ScaledRows:
        """The weight of each column in the inner product."""
        network = self.head.network_
        weights: ScaledRows = (network.gain * network.weights).detach().numpy()  # type: ignore[operator]
        return weights

    def of_pairs(self, pairs: NodePairs) -> Floats:
        """Return the score of each pair of rows."""
        weights, vectors, scores = self.weights, self.index.vectors, np.empty(len(pairs))
        step = rows_at_once(vectors)
        for first in range(0, len(pairs), step):
            some = pairs[first : first + step]
            scores[first : first + step] = np.einsum("ij,ij->i", vectors[some[:, 0]] * weights, vectors[some[:, 1]])
        return scores

    def nearest(self, people: Rows, count: int) -> Places:
        """Return, for each person, the rows of the highest scores: by an index, or by looking at everybody."""
        return self.index.nearest(self.index.vectors[people] * self.weights, count)


def _index(head: LinkPredictor, matrix: Matrix) -> VectorIndex:
    return VectorIndex.of(head.scaling_.rows(matrix, np.arange(len(matrix))))
