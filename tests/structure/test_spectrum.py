import numpy as np
import pytest
import scipy.sparse.linalg

from privge import Graph
from privge.datasets import social_network
from privge.structure import spectrum
from privge.structure.spectrum import leading


def matrix_of(graph):
    adjacency = graph.to_scipy().toarray().astype(np.float64)
    strengths = adjacency.sum(axis=1)
    scale = 1 / np.sqrt(strengths + strengths.mean())
    return adjacency * scale[:, None] * scale


@pytest.fixture(scope="module")
def graph():
    return social_network(people=1500, communities=5, degree=10, homophily=0.9, seed=3).graph


@pytest.fixture(scope="module")
def weighted(graph):
    weights = np.random.default_rng(0).uniform(1, 100, graph.edges)
    return Graph.from_edges(graph.to_edges(), nodes=graph.ids, weights=weights)


@pytest.mark.parametrize("kind", ["graph", "weighted"])
@pytest.mark.parametrize("dense", [False, True])
def test_values_are_the_largest_and_vectors_are_theirs(kind, dense, request, monkeypatch):
    graph = request.getfixturevalue(kind)
    monkeypatch.setattr(spectrum, "DENSE", 10_000 if dense else 0)
    values, vectors = leading(graph, 20, 0, tolerance=1e-3, passes=40)
    matrix = matrix_of(graph)
    expected = scipy.sparse.linalg.eigsh(matrix, k=20, which="LA", return_eigenvectors=False)[::-1]
    errors = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert errors.max() < 2e-3  # the tolerance, and float32
    assert np.abs(values - expected).max() < 2e-3  # a value is as near to one of the matrix as the error is large
    assert np.abs(vectors.T @ vectors - np.eye(20)).max() < 1e-4


def test_an_operator_without_the_diagonal_scaling_would_be_noticed(graph):
    matrix = graph.to_scipy().toarray() / graph.degrees.max()
    values, vectors = leading(graph, 20, 0, tolerance=1e-3, passes=40)
    assert np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() > 0.1


def test_the_result_is_the_same_on_any_number_of_threads(graph, monkeypatch):
    monkeypatch.setattr(spectrum, "DENSE", 0)
    results = [leading(graph, 20, 0, threads=threads)[1] for threads in (1, 2, 3)]
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_the_unit_of_weights_does_not_matter(weighted, monkeypatch):
    monkeypatch.setattr(spectrum, "DENSE", 0)
    scaled = Graph.with_rows(weighted.ids, weighted.indptr, weighted.indices, weighted.weights * 1024)
    assert np.allclose(leading(weighted, 5, 0)[0], leading(scaled, 5, 0)[0], atol=1e-6)


def test_there_are_no_more_vectors_than_nodes():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    values, vectors = leading(graph, 8, 0)
    assert values.shape == (3,)
    assert vectors.shape == (3, 3)
    assert leading(Graph.from_edges([], nodes=[0, 1]), 8, 0)[1].shape == (2, 0)
