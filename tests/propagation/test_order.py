"""The order of the sweeps: every node once, the same graph, whatever its components."""

import numpy as np
import pytest

from privge.graph import Graph
from privge.propagation.system import Order

GRAPHS = {
    "one component": ([(0, 1), (1, 2), (2, 3), (1, 3), (3, 4)], 5),
    "components and isolated nodes": ([(7, 8), (1, 2), (2, 3), (2, 9), (5, 6)], 11),
    "no edges": (np.zeros((0, 2), dtype=np.int64), 4),
    "random": (np.random.default_rng(0).integers(0, 500, (900, 2)), 500),
    "a hub": ([(3, i) for i in range(100) if i != 3] + [(5, 6)], 100),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_in_order_is_the_same_graph(name, weighted):
    edges, nodes = GRAPHS[name]
    weights = np.random.default_rng(1).uniform(1, 2, len(edges)) if weighted else None
    graph = Graph.from_edges(np.array(edges), nodes=np.arange(nodes), weights=weights)
    order = Order.of(graph, reorder=True)
    assert np.array_equal(np.sort(order.place), np.arange(nodes))
    for v in range(nodes):
        given, moved = (
            slice(indptr[i], indptr[i + 1]) for indptr, i in ((graph.indptr, v), (order.indptr, order.place[v]))
        )
        neighbours = order.place[graph.indices[given]]
        ascending = np.argsort(neighbours)
        assert np.array_equal(neighbours[ascending], order.indices[moved])
        if weighted:
            assert np.array_equal(graph.weights[given][ascending], order.weights[moved])


def test_neighbours_come_close_to_each_other():
    ring = np.random.default_rng(0).permutation(1000)
    graph = Graph.from_edges(np.column_stack([ring, np.roll(ring, 1)]), nodes=np.arange(1000))
    order = Order.of(graph, reorder=True)
    rows = np.repeat(np.arange(1000), np.diff(order.indptr))
    assert np.abs(order.indices[: len(rows)] - rows).max() <= 2
