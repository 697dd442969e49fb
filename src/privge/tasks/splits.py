"""Which nodes and pairs are for training, for choosing and for judging. Drawn uniformly, as in the paper."""

from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph import Graph, GraphData, as_graph
from privge.graph.labelled import Rows
from privge.graph.labels import Labels, LabelsById, LabelsByRow, by_id, is_by_id
from privge.graph.pairs import NodePairs, distinct_negatives, edge_pairs, with_edges
from privge.ids import Ids, as_texts

Shares: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """Nodes, by row or by id: disjoint, each sorted. Unlabelled nodes are in none."""

    train: Rows | Ids
    validation: Rows | Ids
    test: Rows | Ids


@dataclass(frozen=True, eq=False)
class EdgeSplit:
    """Pairs for link prediction, and the graph that propagation may see.

    Parameters
    ----------
    train_graph
        Every node, but only the training edges, with their weights. Embed on this graph and on no other.
    train, validation, test
        Pairs that are joined: disjoint, together all edges.
    validation_negatives, test_negatives
        As many pairs that are not joined in the full graph: distinct and disjoint.
    """

    train_graph: Graph
    train: NodePairs
    validation: NodePairs
    test: NodePairs
    validation_negatives: NodePairs
    test_negatives: NodePairs

    @property
    def by_id(self) -> Self:
        """The same split with the ids of the nodes in place of their rows, as a head takes it with an embedding."""
        ids = self.train_graph.ids
        return replace(self, **{name: ids[getattr(self, name)] for name in _GROUPS})


_GROUPS = ("train", "validation", "test", "validation_negatives", "test_negatives")


def split_nodes(labels: LabelsByRow | LabelsById, *, seed: int, shares: Shares = (0.5, 0.25, 0.25)) -> NodeSplit:
    """Divide the labelled nodes at random.

    Parameters
    ----------
    labels
        The class of each node, or of each id: a mapping, a Series, or a pair of ids and classes. A negative number,
        None or NaN means unlabelled. Nothing else about the labels is used.
    seed
        The same seed gives the same split of the same nodes.
    shares
        Of training, validation and test nodes.

    Returns
    -------
    NodeSplit
        Of ids, if labels are given by id, and of rows if not.
    """
    if is_by_id(labels):
        ids, found = by_id(labels)
        ids = ids[found.known]
        ids = ids[np.argsort(as_texts(ids), kind="stable")]  # the order in which labels are given does not matter
        return NodeSplit(*(ids[np.sort(part)] for part in _shuffled(np.arange(len(ids)), seed, shares)))
    return NodeSplit(*(np.sort(part) for part in _shuffled(Labels.of(labels).known, seed, shares)))


def _shuffled(rows: Rows, seed: int, shares: Shares) -> list[Rows]:
    return _divide(np.random.default_rng([seed, 0]).permutation(rows), shares)


def split_edges(graph: GraphData, *, seed: int, shares: Shares = (0.85, 0.05, 0.10)) -> EdgeSplit:
    """Divide the edges at random and draw as many pairs that are not edges for validation and test.

    Parameters
    ----------
    graph
        The full graph.
    seed
        The same seed gives the same split.
    shares
        Of training, validation and test edges.

    Returns
    -------
    EdgeSplit
        Of rows, for a head that gets a matrix. With an `Embedding` heads go by ids: take its ``by_id``.
    """
    graph = as_graph(graph)
    generator = np.random.default_rng([seed, 1])
    edges = edge_pairs(graph)
    train, validation, test = _divide(generator.permutation(edges), shares)
    negatives = distinct_negatives(graph, len(validation) + len(test), generator)
    train_graph = with_edges(graph, train)
    return EdgeSplit(train_graph, train, validation, test, negatives[: len(validation)], negatives[len(validation) :])


def _divide(items: NDArray[np.int64], shares: Shares) -> list[NDArray[np.int64]]:
    if len(shares) != 3 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares must be three numbers above 0 that sum to 1, got {shares!r}")
    ends = np.rint(np.cumsum(shares[:2]) * len(items)).astype(np.int64)
    parts = np.split(items, ends)
    if min(map(len, parts)) == 0:
        raise BadData(f"{len(items)} items are too few to divide by {shares}")
    return parts
