"""The compiled kernels against plain scipy and numpy."""

import numpy as np
import pytest
import scipy.sparse

from privge.graph import Graph
from privge.graph._kernels import reorder
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation._kernels.relax import sweep


def plain_sweep(adjacency, weights, start, y, omega):
    """Relax row by row, in numpy."""
    largest = 0.0
    for v in range(adjacency.shape[0]):
        neighbours = adjacency.indices[adjacency.indptr[v] : adjacency.indptr[v + 1]]
        change = omega * (start[v] + weights[v] * y[neighbours].sum(axis=0) - y[v])
        y[v] += change
        largest = max(largest, np.abs(change).max())
    return largest, np.abs(y).max()


def problem(kind, nodes=200, seed=0):
    generator = np.random.default_rng(seed)
    edges = generator.integers(0, nodes, (5 * nodes, 2))
    edges[:150, 0] = 3  # one node with far more than 16 neighbours
    graph = Graph.from_edges(edges, nodes=np.arange(nodes))
    indptr, indices = reorder(graph.indptr, graph.indices, np.arange(nodes), AHEAD)
    weights = (0.9 / np.maximum(graph.degrees, 1)).astype(kind)
    start, y = (generator.normal(size=(nodes, LANES)).astype(kind) for _ in range(2))
    return graph, indptr, indices, weights, start, y


@pytest.mark.parametrize("omega", [1.0, 1.4])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_sweep_equals_plain_numpy(kind, omega):
    graph, indptr, indices, weights, start, y = problem(kind)
    expected = y.astype(np.float64)
    change, size = plain_sweep(graph.to_scipy(), weights.astype(float), start.astype(float), expected, omega)
    found = sweep(indptr, indices, None, weights, start, y, kind(omega))
    # Errors feed into later rows with weight below 1; 28 units of roundoff a row, amplified by 1 / (1 - 0.9).
    tolerance = 28 * np.finfo(kind).eps * size * 10
    assert np.abs(y - expected).max() <= tolerance
    assert found == pytest.approx((change, size), abs=2 * tolerance)


def test_a_sweep_with_nan_never_looks_converged():
    _, indptr, indices, weights, start, y = problem(np.float32)
    start[7, 3] = np.nan
    change, _ = sweep(indptr, indices, None, weights, start, y, np.float32(1))
    assert not change <= 1e30


def test_reordering_is_a_permutation_of_the_matrix():
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 50, (200, 2)), nodes=np.arange(50))
    order = generator.permutation(50)
    indptr, indices = reorder(graph.indptr, graph.indices, order, 5)
    assert (indices[-5:] == 0).all()
    matrix = scipy.sparse.csr_array((np.ones(len(indices) - 5), indices[:-5], indptr), shape=(50, 50))
    assert (matrix != graph.to_scipy()[order][:, order]).nnz == 0
