"""Each smoother is a matrix of the graph: what it does, its diagonal, and that nothing else enters."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import privge as pg
from privge.smoothing import Clusters, PageRank, Shrinkage, Spectral, candidates_for, spectrum_of
from privge.smoothing import pagerank as pagerank_module
from privge.smoothing.clusters import clusters_of
from privge.testing.series import exact_embedding


def test_what_only_some_smoothers_and_engines_need_is_loaded_by_them():
    """A tenth of a second each, which every command that reads a graph would wait for."""
    code = "import sys, privge.cli.sources; print(*{'scipy.cluster', 'scipy.linalg'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def two_groups(people=120, seed=0):
    """Two groups with many friends inside and few outside, and one person without any."""
    generator = np.random.default_rng(seed)
    group = np.arange(people) % 2
    near = generator.random((people, people)) < np.where(group[:, None] == group, 0.15, 0.01)
    near[-1] = near[:, -1] = False
    return pg.Graph.from_scipy(scipy.sparse.csr_array(np.triu(near, 1) | np.triu(near, 1).T)), group


def matrix_of(smoother, nodes):
    return np.asarray(smoother.apply(scipy.sparse.csr_array(np.eye(nodes))))


def everybody(graph):
    return np.ones(graph.nodes, dtype=np.bool_)


SMOOTHERS = {
    "pagerank": lambda graph: PageRank.family(graph, [0.15], [0.3])[0],
    "spectral": lambda graph: Spectral(spectrum_of(graph, 5)),
    "clusters": lambda graph: Clusters(clusters_of(spectrum_of(graph, 4), 4), everybody(graph)),
    "shrinkage": lambda _graph: Shrinkage(),
}


@pytest.mark.parametrize("name", SMOOTHERS)
def test_the_trace_is_that_of_the_matrix(name):
    graph, _ = two_groups()
    smoother = SMOOTHERS[name](graph)
    weights = np.random.default_rng(1).random(graph.nodes)
    found = smoother.trace(weights)
    assert found.value == pytest.approx(weights @ np.diag(matrix_of(smoother, graph.nodes)), abs=2e-4 * graph.nodes)
    assert (found.error, smoother.name) == (0.0, name)


def test_pagerank_is_the_papers_propagation():
    graph, _ = two_groups()
    rows = scipy.sparse.csr_array(np.random.default_rng(2).normal(size=(graph.nodes, 3)))
    smoother = PageRank.family(graph, [0.2], [0.7])[0]
    assert np.abs(smoother.apply(rows) - exact_embedding(graph, rows, 0.2, 0.7)).max() < 1e-3
    assert smoother.parameters == {"alpha": 0.2, "r": 0.7}


def test_probes_find_the_diagonal_within_their_stated_error(monkeypatch):
    """With 200 seeds' worth of probes in one: the exact trace lies within five standard errors, and not at 0."""
    graph, _ = two_groups()
    smoother = PageRank.family(graph, [0.1], [0.5], probes=200)[0]
    weights = np.random.default_rng(3).random(graph.nodes)
    exact = smoother.trace(weights)
    monkeypatch.setattr(pagerank_module, "SMALL", 0)
    probed = smoother.trace(weights)
    assert exact.error == 0 < probed.error < 0.05 * exact.value
    assert abs(probed.value - exact.value) < 5 * probed.error


def test_probes_of_another_graph_miss_the_diagonal(monkeypatch):
    graph, _ = two_groups()
    other, _ = two_groups(seed=7)
    exact = PageRank.family(other, [0.02], [0.5])[0].trace(np.ones(graph.nodes))
    monkeypatch.setattr(pagerank_module, "SMALL", 0)
    probed = PageRank.family(graph, [0.1], [0.5], probes=200)[0].trace(np.ones(graph.nodes))
    assert abs(probed.value - exact.value) > 5 * probed.error


def test_a_projection_changes_nothing_the_second_time():
    graph, _ = two_groups()
    projection = matrix_of(Spectral(spectrum_of(graph, 6)), graph.nodes)
    assert np.abs(projection @ projection - projection).max() < 1e-9
    assert np.linalg.matrix_rank(projection) == 6


def test_clusters_find_groups_that_the_graph_shows():
    graph, group = two_groups()
    found = clusters_of(spectrum_of(graph, 2), 2)[:-1]  # the last person has no friends
    agreement = (found == group[:-1]).mean()
    assert max(agreement, 1 - agreement) > 0.9


def test_the_same_graph_gives_the_same_clusters():
    graph, _ = two_groups()
    first, second = (clusters_of(spectrum_of(graph, 8), 8) for _ in range(2))
    assert (first == second).all()


def test_a_cluster_mean_counts_only_those_who_were_observed():
    observed = np.array([True, True, False, False])
    rows = scipy.sparse.csr_array(np.array([[2.0], [4.0], [0.0], [0.0]]))
    smoother = Clusters(np.array([0, 0, 0, 1]), observed)
    assert smoother.apply(rows).ravel().tolist() == [3.0, 3.0, 3.0, 0.0]
    assert smoother.trace(np.ones(4)).value == 1.0


def test_candidates_are_of_the_families_that_are_asked_for():
    graph, _ = two_groups()
    assert {each.name for each in candidates_for(graph, 3)} == set(SMOOTHERS)
    assert {each.name for each in candidates_for(graph, 3, families=["pagerank"])} == {"pagerank"}
    with pytest.raises(ValueError, match="a smoother is one of pagerank, spectral, clusters, shrinkage, got lasso"):
        candidates_for(graph, 3, families=["lasso"])


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (2, 1), (3, 1), (5, 1), (100, 0), (100, 1)])
def test_tiny_and_empty_graphs_have_candidates_too(nodes, edges):
    graph = pg.Graph.from_edges([(0, 1)][:edges], nodes=np.arange(nodes))
    rows = scipy.sparse.csr_array(np.ones((nodes, 2)))
    assert all(each.apply(rows).shape == (nodes, 2) for each in candidates_for(graph, 2))
