"""Which nodes and pairs are for training, for choosing and for judging. Drawn uniformly, as in the paper."""

from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph import Graph, GraphData, as_graph
from privge.ids import Ids, as_texts
from privge.tasks.labels import Labels, LabelsById, LabelsByRow, by_id, is_by_id

Rows: TypeAlias = NDArray[np.int64]
NodePairs: TypeAlias = NDArray[np.int64]
"""``m x 2`` rows of nodes, the smaller first."""

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
    train_graph = _subgraph(graph, train)
    return EdgeSplit(train_graph, train, validation, test, negatives[: len(validation)], negatives[len(validation) :])


def edge_pairs(graph: Graph) -> NodePairs:
    """Return each edge once as a pair of rows, the smaller first."""
    rows = np.repeat(np.arange(graph.nodes), graph.degrees)
    once = rows < graph.indices
    return np.column_stack([rows[once], graph.indices[once].astype(np.int64)])


def are_edges(graph: Graph, pairs: NodePairs) -> NDArray[np.bool_]:
    """Say which pairs are joined in the graph."""
    return _among(_edge_keys(graph), _keys(graph, pairs))


def distinct_negatives(graph: Graph, count: int, generator: np.random.Generator) -> NodePairs:
    """Draw pairs of different nodes that are not joined, each at most once, uniformly.

    Parameters
    ----------
    graph
        No edge of this graph is drawn.
    count
        How many.
    generator
        The source of randomness.
    """
    nodes = graph.nodes
    free = nodes * (nodes - 1) // 2 - graph.edges
    if count > free // 2:
        raise BadData(f"{count} distinct pairs that are not joined were asked for; there are {free}, too few to draw")
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        pairs = draw_negatives(graph, count - len(found), generator)
        keys = np.concatenate([found, pairs[:, 0] * nodes + pairs[:, 1]])
        _, first = np.unique(keys, return_index=True)
        found = keys[np.sort(first)]
    return np.column_stack(np.divmod(found, nodes))


def draw_negatives(graph: Graph, count: int, generator: np.random.Generator) -> NodePairs:
    """Draw pairs of different nodes that are not joined, uniformly and with replacement, the smaller first."""
    if graph.nodes < 2 or graph.edges == graph.nodes * (graph.nodes - 1) // 2:
        raise BadData("every two nodes are joined: there is no negative pair to draw")
    parts: list[NodePairs] = []
    while (missing := count - sum(map(len, parts))) > 0:
        pairs = np.sort(generator.integers(0, graph.nodes, size=(missing + 16, 2)), axis=1)
        good = (pairs[:, 0] != pairs[:, 1]) & ~are_edges(graph, pairs)
        parts.append(pairs[good][:missing])
    return np.concatenate(parts) if parts else np.empty((0, 2), dtype=np.int64)


def _among(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    if len(ordered) == 0:
        return np.zeros(len(wanted), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[places] == wanted
    return found


def _subgraph(graph: Graph, pairs: NodePairs) -> Graph:
    """Return the graph of all nodes with only these edges, which keep their weights."""
    kept = np.concatenate([_keys(graph, pairs), _keys(graph, pairs[:, ::-1])])
    stays = _among(np.sort(kept), _edge_keys(graph))
    indptr = np.concatenate([[0], np.cumsum(stays)])[graph.indptr]
    return Graph.with_rows(
        graph.ids, indptr, graph.indices[stays], None if graph.weights is None else graph.weights[stays]
    )


def _edge_keys(graph: Graph) -> NDArray[np.int64]:
    """Return a number for each entry of the adjacency; sorted, as the rows are."""
    return np.repeat(np.arange(graph.nodes), graph.degrees) * graph.nodes + graph.indices


def _keys(graph: Graph, pairs: NodePairs) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = pairs[:, 0] * graph.nodes + pairs[:, 1]
    return keys


def _divide(items: NDArray[np.int64], shares: Shares) -> list[NDArray[np.int64]]:
    if len(shares) != 3 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares must be three numbers above 0 that sum to 1, got {shares!r}")
    ends = np.rint(np.cumsum(shares[:2]) * len(items)).astype(np.int64)
    parts = np.split(items, ends)
    if min(map(len, parts)) == 0:
        raise BadData(f"{len(items)} items are too few to divide by {shares}")
    return parts
