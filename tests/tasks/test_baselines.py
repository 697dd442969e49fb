from dataclasses import replace

import numpy as np
import pytest

from privge import Graph
from privge.structure import pagerank
from privge.tasks import accuracy, auc, best_label_propagation, best_ppr_scores, ppr_scores, propagate_labels
from privge.tasks import baselines as module


def dense_ppr(graph, alpha, r):
    adjacency = graph.to_scipy().toarray().astype(np.float64)
    degree = np.maximum(1, adjacency.sum(axis=1))
    walk = degree[:, None] ** (r - 1) * adjacency * degree[None, :] ** -r
    return alpha * np.linalg.inv(np.eye(len(adjacency)) - (1 - alpha) * walk)


def test_label_propagation_is_the_dense_computation(network):
    labels, train = network.labels, network.nodes.train
    known = np.zeros((400, 4))
    known[train, labels[train]] = 1
    mass = dense_ppr(network.graph, 0.2, 0.5) @ known
    predicted = propagate_labels(network.graph, labels, train, alpha=0.2, r=0.5)
    top = np.sort(mass, axis=1)
    clear = top[:, -1] - top[:, -2] > 2e-6
    assert clear.mean() > 0.9
    assert np.array_equal(predicted[clear], mass.argmax(axis=1)[clear])


def test_label_propagation_reads_training_labels_only(network):
    labels = network.labels.copy()
    others = np.setdiff1d(np.arange(400), network.nodes.train)
    labels[others] = 99
    first, second = (propagate_labels(network.graph, y, network.nodes.train) for y in (network.labels, labels))
    assert np.array_equal(first, second)
    assert accuracy(network.labels[network.nodes.test], first[network.nodes.test]) > 0.8


def test_a_node_that_no_label_reaches_gets_the_most_frequent_class():
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4)], nodes=np.arange(6))
    predicted = propagate_labels(graph, np.array([5, 5, 2, -1, -1, -1]), np.array([0, 1, 2]))
    assert predicted[3:].tolist() == [5, 5, 5]


def test_best_label_propagation_is_chosen_on_validation_nodes_only(network):
    labels, split = network.labels.copy(), network.nodes
    chosen = best_label_propagation(network.graph, labels, split)
    scores = [
        accuracy(
            labels[split.validation],
            propagate_labels(network.graph, labels, split.train, alpha=a, r=r)[split.validation],
        )
        for a, r in module.GRID
    ]
    assert accuracy(labels[split.validation], chosen[split.validation]) == max(scores)
    labels[split.test] = 0
    assert np.array_equal(best_label_propagation(network.graph, labels, split), chosen)


def test_ppr_scores_are_entries_of_the_dense_matrix(network, monkeypatch):
    monkeypatch.setattr(pagerank, "COLUMNS", 37)
    graph = network.edges.train_graph
    pairs = np.concatenate([network.edges.test, network.edges.test_negatives])
    expected = dense_ppr(graph, 0.3, 0.5)[pairs[:, 0], pairs[:, 1]]
    assert np.abs(ppr_scores(graph, pairs, alpha=0.3, tolerance=1e-5) - expected).max() <= 1e-5


def test_ppr_scores_never_hold_more_than_a_block_of_columns(network, monkeypatch):
    widths, original = [], pagerank.propagate

    def watch(graph, features, **options):
        widths.append(features.shape[1])
        return original(graph, features, **options)

    monkeypatch.setattr(pagerank, "COLUMNS", 50)
    monkeypatch.setattr(pagerank, "propagate", watch)
    ppr_scores(network.edges.train_graph, network.edges.test)
    assert max(widths) == 50


def test_ppr_scores_predict_links(network):
    split = network.edges
    positives, negatives = (ppr_scores(split.train_graph, p) for p in (split.test, split.test_negatives))
    assert auc(positives, negatives) > 0.7


@pytest.mark.parametrize("turned", [False, True])
def test_ppr_scores_do_not_depend_on_the_order_of_a_pair(network, turned):
    pairs = network.edges.test
    scores = ppr_scores(network.edges.train_graph, pairs[:, ::-1] if turned else pairs)
    assert np.allclose(scores, ppr_scores(network.edges.train_graph, pairs), atol=2e-5)


def test_background_is_the_part_of_the_leading_eigenvector():
    ring = Graph.from_edges([(i, (i + 1) % 9) for i in range(9)] + [(0, 4), (2, 7)])
    degree = ring.degrees
    root = np.sqrt(degree)
    symmetric = ring.to_scipy().toarray() / np.outer(root, root)
    values, vectors = np.linalg.eigh(symmetric)
    assert values[-1] == pytest.approx(1)
    pairs = np.array([[0, 1], [2, 6], [3, 8]])
    part = np.outer(vectors[:, -1], vectors[:, -1])[pairs[:, 0], pairs[:, 1]]
    plain, without = (ppr_scores(ring, pairs, background=share, tolerance=1e-6) for share in (0, 1))
    assert np.allclose(plain - without, part, atol=1e-7)


def test_best_ppr_scores_are_chosen_on_validation_pairs_only(network):
    split = network.edges
    groups = (split.validation, split.validation_negatives, split.test, split.test_negatives)
    tried = [[ppr_scores(split.train_graph, p, background=b) for p in groups] for b in module.BACKGROUNDS]
    best = max(tried, key=lambda scores: auc(*scores[:2]))
    chosen = best_ppr_scores(split)
    assert all(np.allclose(a, b, atol=3e-4) for a, b in zip(chosen, best[2:], strict=True))
    validation = best_ppr_scores(split, part="validation")
    assert all(np.allclose(a, b, atol=3e-4) for a, b in zip(validation, best[:2], strict=True))
    shuffled = replace(split, test=split.test_negatives, test_negatives=split.test)
    assert np.allclose(best_ppr_scores(shuffled)[1], chosen[0], atol=3e-4)


def test_an_option_that_a_baseline_does_not_have_is_refused(network):
    with pytest.raises(TypeError, match="'r'"):  # pairs are scored by the symmetric form, r = 1/2, and by no other
        ppr_scores(network.edges.train_graph, network.edges.test, r=0.1)
    with pytest.raises(TypeError, match="alhpa"):
        propagate_labels(network.graph, network.labels, network.nodes.train, alhpa=0.2)
