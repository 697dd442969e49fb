"""`LinkPredictor`: the paper's head for pairs of nodes, on the Hadamard product of their vectors."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from privge.embedding.embedding import Embedding
from privge.graph import Graph, GraphData, as_graph
from privge.graph.inputs import as_ordered_graph
from privge.graph.pairs import NodePairs, are_edges, draw_negatives
from privge.propagation import Matrix
from privge.tasks.by_id import PairsOfNodes, in_order_of, matrix_of, pairs_in
from privge.tasks.head import Head
from privge.tasks.metrics import auc
from privge.tasks.scaling import ScaledRows, Scaling, check_matrix, rows_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from privge.tasks.network import Training


Start: TypeAlias = Literal["inner product", "random"]


@dataclass(kw_only=True, eq=False, repr=False)
class LinkPredictor(Head):
    """Score pairs of nodes: the higher, the more likely they are joined.

    The Hadamard product of two scaled vectors goes through a perceptron with one output; with one layer that is
    logistic regression. The loss is the pairwise one of the paper, ``(1 - (s_positive - s_negative))^2``, averaged
    over all pairs of a positive and a negative of the batch. Every epoch draws its own positives and fresh
    negatives. Only the products of one batch exist at a time. The validation score is the AUC.
    Parameters that are not described here are those of `Head`.

    Parameters
    ----------
    budget
        Positive pairs in an epoch: all training pairs, or a fresh sample of so many.
    start
        ``inner product``: training starts from the inner product of the two scaled vectors, already a good score,
        and hidden layers start as zero beside it. ``random``: random weights and nothing else, the paper's.
    """

    hidden: int = 64
    layers: int = 1
    dropout: float = 0.0
    learning_rate: float = 0.03
    weight_decay: float = 0.0
    batch: int = 512
    epochs: int = 10
    patience: int = 2
    budget: int = 10_000
    start: Start = "inner product"

    counts: ClassVar[tuple[str, ...]] = ("batch", "budget")

    def fit(
        self,
        vectors: Matrix | Embedding,
        graph: GraphData,
        train: PairsOfNodes,
        *,
        validation: tuple[PairsOfNodes, PairsOfNodes],
    ) -> Self:
        """Train on pairs; the scale is taken from all vectors.

        Parameters
        ----------
        vectors
            An embedding, or a matrix with one row for each node, propagated over ``graph`` and nothing else.
        graph
            The training edges: negatives are drawn outside of them.
        train
            Edges of ``graph``: pairs of ids with an embedding (``split.by_id.train``), of rows with a matrix.
        validation
            Pairs that are joined, though not in ``graph``, and pairs that are not. They choose among epochs and, with
            ``rows`` and ``inner product``, the first weight of the common column; they never enter a gradient.
        """
        training = self._training()
        graph = as_graph(graph) if isinstance(vectors, Embedding) else as_ordered_graph(graph)
        vectors = in_order_of(graph.ids, vectors)
        matrix = matrix_of(vectors)
        check_matrix(matrix)
        if len(matrix) != graph.nodes:
            raise ValueError(f"the matrix has {len(matrix)} rows for {graph.nodes} nodes")
        joined, known, apart = (_pairs(vectors, pairs) for pairs in (train, *validation))
        _check_joined(graph, joined, known)
        self.scaling_ = Scaling.fit(matrix, self.scaling)
        scaled = self.scaling_.rows(matrix, np.arange(len(matrix)))
        generator = np.random.default_rng([self.seed, 4])
        self._train(
            training,
            lambda: self._network(scaled, graph, joined, (known, apart), generator),
            lambda: self._losses(scaled, graph, joined, generator),
            lambda: auc(*(self._scores(scaled, pairs) for pairs in (known, apart))),
        )
        return self

    def decision_function(self, vectors: Matrix | Embedding, pairs: PairsOfNodes) -> NDArray[np.float64]:
        """Return the score of each pair, in their order: pairs of ids with an embedding, of rows with a matrix."""
        self._check_fitted()
        from privge.tasks.network import inference

        matrix = matrix_of(vectors)
        check_matrix(matrix, self.scaling_.width)
        ends = _pairs(vectors, pairs)
        rows, places = np.unique(ends, return_inverse=True)
        with inference(self.threads):
            return self._scores(self.scaling_.rows(matrix, rows), places.reshape(ends.shape))

    def score(self, vectors: Matrix | Embedding, pairs: PairsOfNodes, negatives: PairsOfNodes) -> float:
        """Return the AUC of pairs that are joined against pairs that are not."""
        return auc(*(self.decision_function(vectors, group) for group in (pairs, negatives)))

    def _training(self) -> "Training":
        if self.start not in get_args(Start):
            raise ValueError(f"start must be one of {', '.join(get_args(Start))}, got {self.start!r}")
        return super()._training()

    def _network(
        self,
        scaled: ScaledRows,
        graph: Graph,
        train: NodePairs,
        validation: tuple[NodePairs, NodePairs],
        generator: np.random.Generator,
    ) -> "torch.nn.Module":
        from privge.tasks.network import PairScorer

        if self.start == "random":
            return self._perceptron(outputs=1)
        weights = np.ones(scaled.shape[1], dtype=np.float32)
        if self.scaling_.common is not None:
            weights[-1] = _common_weight(scaled, validation)
        positives = train[generator.permutation(len(train))[: self.batch]]
        negatives = draw_negatives(graph, len(positives), generator)
        # Not by ``@``: the matrix product of float32 once warned of an invalid value where every entry was finite.
        gain = _gain(*(np.einsum("ij,j->i", _products(scaled, pairs), weights) for pairs in (positives, negatives)))
        return PairScorer(weights, gain, self._perceptron(outputs=1) if self.layers > 1 else None)

    def _losses(
        self, scaled: ScaledRows, graph: Graph, train: NodePairs, generator: np.random.Generator
    ) -> "Iterator[torch.Tensor]":
        from privge.tasks.network import tensor

        positives = train[generator.permutation(len(train))[: self.budget]]
        negatives = draw_negatives(graph, len(positives), generator)
        for part in np.array_split(np.arange(len(positives)), -(-len(positives) // self.batch)):
            both = np.concatenate([positives[part], negatives[part]])
            scores = self.network_(tensor(_products(scaled, both), self.device)).squeeze(1)
            yield pairwise_loss(scores[: len(part)], scores[len(part) :])

    def _scores(self, scaled: ScaledRows, pairs: NodePairs) -> NDArray[np.float64]:
        from privge.tasks.network import tensor

        parts = [
            self.network_(tensor(_products(scaled, block), self.device)).squeeze(1).cpu().numpy()
            for block in _blocks(pairs, scaled)
        ]
        return np.concatenate(parts).astype(np.float64)


def pairwise_loss(positives: "torch.Tensor", negatives: "torch.Tensor") -> "torch.Tensor":
    """Return the mean of ``(1 - (p - n))^2`` over every positive score p and every negative score n.

    Expanded into means and variances, so that the products of all pairs are never formed.
    """
    gap = positives.mean() - negatives.mean()
    return (1 - gap) ** 2 + positives.var(correction=0) + negatives.var(correction=0)


def _products(scaled: ScaledRows, pairs: NodePairs) -> ScaledRows:
    from privge.tasks._kernels import multiply_rows

    products = np.empty((len(pairs), scaled.shape[1]), dtype=np.float32)
    multiply_rows(scaled, pairs, products)
    return products


def _blocks(pairs: NodePairs, matrix: Matrix) -> list[NodePairs]:
    """Cut the pairs so that the products of one part are of moderate size."""
    step = rows_at_once(matrix)
    return [pairs[start : start + step] for start in range(0, len(pairs), step)]


def _common_weight(scaled: ScaledRows, validation: tuple[NodePairs, NodePairs]) -> float:
    """Return the weight of the last column, the common one, that ranks the validation pairs best.

    The common component knows degrees. Where links follow degrees it is worth as much as all other columns
    together, elsewhere it does harm; five weights from 0 to the number of columns are tried.
    """
    width = scaled.shape[1]
    sums, common = [], []
    for pairs in validation:
        sums.append(np.concatenate([_products(scaled, block).sum(axis=1) for block in _blocks(pairs, scaled)]))
        common.append(scaled[pairs[:, 0], -1] * scaled[pairs[:, 1], -1])
    weights = [0.0, *(float(width**power) for power in (0.25, 0.5, 0.75, 1.0))]
    scores = [auc(*(s + (weight - 1) * c for s, c in zip(sums, common, strict=True))) for weight in weights]
    return weights[int(np.argmax(scores))]


def _gain(positives: NDArray[np.floating], negatives: NDArray[np.floating]) -> float:
    """Return the factor of all scores that makes the pairwise loss least."""
    gap = float(positives.mean() - negatives.mean())
    variance = float(positives.var() + negatives.var())
    if gap <= 0:  # worse than chance: training has to turn it round
        return 1 / math.sqrt(max(variance, 1e-12))
    return gap / (gap**2 + variance)


def _check_joined(graph: Graph, train: NodePairs, validation: NodePairs) -> None:
    """Refuse pairs that cannot have come from this graph: rows that were taken for ids would train on nonsense."""
    absent = int((~are_edges(graph, train)).sum())
    if absent:
        raise ValueError(
            f"{absent:,} of {len(train):,} training pairs are not edges of the graph; a split goes by rows with a "
            "matrix (embedding.matrix) and by ids with an embedding (split.by_id)"
        )
    if are_edges(graph, validation).any():
        raise ValueError("validation pairs are edges of the graph: fit and propagate on training edges only")


def _pairs(vectors: Matrix | Embedding, given: PairsOfNodes) -> NodePairs:
    """Return pairs as rows, or say what is wrong with them."""
    pairs, nodes = pairs_in(vectors, given), len(vectors)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0:
        raise ValueError(f"pairs must be an array of m x 2 rows, m at least 1, got shape {pairs.shape}")
    if pairs.min() < 0 or pairs.max() >= nodes:
        raise ValueError(f"pairs must name rows from 0 to {nodes - 1}")
    return pairs
