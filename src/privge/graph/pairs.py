"""Pairs of nodes: the edges of a graph, pairs that are not edges, and the graph that some edges leave."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph.graph import Graph

NodePairs: TypeAlias = NDArray[np.int64]
"""``m x 2`` rows of nodes, the smaller first."""


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


def with_edges(graph: Graph, pairs: NodePairs) -> Graph:
    """Return the graph of all nodes with only these of its edges, which keep their weights."""
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
