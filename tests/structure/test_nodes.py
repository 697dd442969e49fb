from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from threadpoolctl import threadpool_limits

from privge import Graph
from privge.structure import NodeViews, node_channel
from privge.tasks import accuracy

FEW = NodeViews(walks=((0.1, 0.0), (0.3, 0.5)), vectors=(6,), folds=4, stacks=3)


def channel(network, parts, labels=None, **options):
    labels = network.labels if labels is None else labels
    options = {"heads": ("logistic",), "views": FEW, **options}
    return node_channel(network.graph, labels, train=parts.train, validation=parts.validation, **options)


@pytest.mark.parametrize("heads", [("logistic",), ("network",), ("logistic", "network")])
def test_it_finds_communities(network, parts, heads):
    found = channel(network, parts, heads=heads)
    assert found.probabilities.shape == (400, 3)
    assert np.allclose(found.probabilities.sum(axis=1), 1)
    assert accuracy(network.labels[parts.test], found.predict()[parts.test]) > 0.8


def test_heads_are_mixed_by_weights_that_are_told(network, parts):
    views = NodeViews(walks=((0.1, 0.0),), vectors=(2, 6), folds=4, stacks=3)
    weights = channel(network, parts, heads=("logistic", "network"), views=views).weights
    expected = [f"{head}, {width} eigenvectors" for width in (2, 6) for head in ("logistic", "network")]
    assert list(weights) == expected
    assert sum(weights.values()) == pytest.approx(1)


def test_labels_that_mean_nothing_are_not_predicted_at_training_nodes(network, parts, generator):
    """Out of fold, shuffled labels are met at the rate of chance; whoever saw their own label would do better."""
    labels = generator.integers(0, 3, 400)
    hits = (channel(network, parts, labels).predict() == labels)[parts.train]
    assert hits.mean() < 1 / 3 + 4 * np.sqrt(2 / 9 / len(hits))


def test_other_labels_are_not_read(network, parts, generator):
    labels = network.labels.copy()
    labels[parts.test] = generator.integers(0, 3, len(parts.test))
    assert np.array_equal(channel(network, parts).probabilities, channel(network, parts, labels).probabilities)


@pytest.mark.parametrize("heads", [("logistic",), ("logistic", "network")])
def test_the_same_seed_gives_the_same_channel_on_any_number_of_threads(network, parts, heads):
    made = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            made.append(channel(network, parts, heads=heads, threads=threads))
    first, second = made
    assert np.array_equal(first.probabilities, second.probabilities)
    assert not np.array_equal(first.probabilities, channel(network, parts, heads=heads, seed=1).probabilities)


def test_the_order_of_rows_does_not_matter(network, parts, generator):
    order = generator.permutation(400)
    graph = Graph.from_edges(network.graph.to_edges(), nodes=network.graph.ids[order])
    names = network.graph.ids
    labels = dict(zip(names.tolist(), network.labels.tolist(), strict=True))
    named = {"train": names[parts.train], "validation": names[parts.validation]}
    options = {"heads": ("logistic",), "views": FEW}
    first = node_channel(network.graph, labels, **named, **options)
    second = node_channel(graph, labels, **named, **options)
    assert second.ids.tolist() == names[order].tolist()
    assert np.array_equal(first.probabilities[order], second.probabilities)


def test_labels_go_by_id_too(network, parts):
    names = network.graph.ids
    texts = pandas.Series([f"group {label}" for label in network.labels], index=names)
    found = node_channel(
        network.graph,
        texts,
        train=names[parts.train],
        validation=names[parts.validation],
        heads=("logistic",),
        views=FEW,
    )
    assert found.classes.tolist() == ["group 0", "group 1", "group 2"]
    assert np.array_equal(found.probabilities, channel(network, parts).probabilities)


def test_a_class_without_training_labels_has_a_column_and_hardly_a_chance(network, parts):
    labels = network.labels.copy()
    labels[parts.test[0]] = 7
    found = channel(network, parts, labels)
    assert found.classes.tolist() == [0, 1, 2, 7]
    assert found.probabilities[:, 3].max() < 1e-6
    assert np.isfinite(found.log).all()


def test_by_default_all_labelled_nodes_are_used(network, parts):
    labels = np.full(400, -1)
    labels[parts.train] = network.labels[parts.train]
    found = node_channel(network.graph, labels, heads=("logistic",), views=FEW)
    assert accuracy(network.labels[parts.test], found.predict()[parts.test]) > 0.8


def test_probabilities_are_as_sure_as_they_are_right(network, parts):
    """The mean of what is given to the predicted class is its rate of hits, within four standard errors."""
    found = channel(network, parts)
    sure = found.probabilities[parts.test].max(axis=1)
    hits = (found.predict() == network.labels)[parts.test]
    error = np.sqrt((sure * (1 - sure)).sum()) / len(hits)
    assert abs(sure.mean() - hits.mean()) < 4 * error


def test_few_validation_nodes_that_are_all_right_do_not_make_it_sure_of_everything(network, parts):
    first = channel(network, parts)
    right = parts.validation[first.predict()[parts.validation] == network.labels[parts.validation]]
    found = channel(network, SimpleNamespace(train=parts.train, validation=right[:8]))
    assert found.temperature == 0.5  # surer than twice its own log-odds it never is; all right, they would ask for all


def test_two_labelled_nodes_of_each_part_are_enough(network):
    labels = np.full(400, -1)
    labels[[0, 1, 2, 3]] = [0, 1, 0, 1]
    found = node_channel(network.graph, labels, train=[0, 1], validation=[2, 3], views=FEW)
    assert np.isfinite(found.log).all()


def test_progress_ends_with_all_steps(network, parts):
    told = []
    channel(network, parts, progress=lambda done, total: told.append((done, total)))
    assert told == [(step, 8) for step in range(1, 9)]


def test_isolated_nodes_and_graphs_without_edges_are_fine(parts):
    graph = Graph.from_edges([], nodes=range(400))
    found = node_channel(
        graph, np.arange(400) % 3, train=parts.train, validation=parts.validation, heads=("logistic",), views=FEW
    )
    assert np.isfinite(found.probabilities).all()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"heads": ()}, "at least one head"),
        ({"heads": ("forest",)}, "heads must be among"),
        ({"train": [0, 1, 2], "validation": [2, 3]}, "disjoint"),
        ({"train": [0, 0, 1], "validation": [3]}, "once each"),
        ({"train": [0, 399], "validation": [3]}, "no label"),
        ({"train": [0, 3], "validation": [1]}, "two classes"),
        ({"train": [], "validation": [1]}, "are needed"),
    ],
)
def test_what_cannot_be_done_is_refused(network, options, problem):
    labels = np.arange(400) % 3
    labels[399] = -1
    with pytest.raises(ValueError, match=problem):
        node_channel(network.graph, labels, **options)
