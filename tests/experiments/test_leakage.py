"""Test labels and test edges reach neither the training nor the propagation."""

import numpy as np
import pytest
import torch

from privge.datasets import Dataset, load
from privge.experiments import run
from privge.experiments.cell import Cell
from privge.experiments.plan import HDS, task_plan
from privge.graph import Graph
from privge.tasks import LinkPredictor, NodeClassifier, split_edges, split_nodes


@pytest.fixture(scope="module")
def data():
    return load("synthetic")


def weights(head):
    return [parameter.detach().numpy().copy() for parameter in head.network_.parameters()]


def trained(monkeypatch, kind):
    """Catch the heads that a run trains."""
    heads = []
    original = kind.fit

    def fit(self, *arguments, **named):
        heads.append(self)
        return original(self, *arguments, **named)

    monkeypatch.setattr(kind, "fit", fit)
    return heads


def test_permuted_test_labels_leave_the_training_unchanged_bit_by_bit(data, monkeypatch):
    split = split_nodes(data.labels, seed=run.FIRST_SPLIT)
    permuted = data.labels.copy()
    permuted[split.test] = np.random.default_rng(0).permutation(permuted[split.test])
    assert (permuted != data.labels).sum() > 100
    other = Dataset(data.name, data.graph, data.features, data.low, data.high, permuted, data.classes)
    heads = trained(monkeypatch, NodeClassifier)
    cell, settings = Cell("nodes", "synthetic", HDS, 1.0, 3), task_plan("nodes").datasets["synthetic"]
    records = [run.run_cell(cell, 0, settings, one, threads=1) for one in (data, other)]
    for mine, theirs in zip(weights(heads[0]), weights(heads[1]), strict=True):
        assert np.array_equal(mine, theirs)
    assert records[0]["validation"] == records[1]["validation"]
    assert records[0]["accuracy"] != records[1]["accuracy"]


def test_removed_test_edges_leave_the_vectors_and_the_training_unchanged(data, monkeypatch):
    """A graph without the test edges, split at the same training edges, gives the same vectors and weights."""
    split = split_edges(data.graph, seed=run.FIRST_SPLIT)
    heads = trained(monkeypatch, LinkPredictor)
    cell, settings = Cell("links", "synthetic", HDS, 1.0, 3), task_plan("links").datasets["synthetic"]
    run.run_cell(cell, 0, settings, data, threads=1)
    kept = np.concatenate([split.train, split.validation])
    smaller = Graph.from_edges(kept, nodes=data.graph.ids)
    assert smaller.edges == data.graph.edges - len(split.test)
    monkeypatch.setattr(
        run, "split_edges", lambda graph, seed: split if graph is smaller and seed == run.FIRST_SPLIT else None
    )
    without = Dataset(data.name, smaller, data.features, data.low, data.high, data.labels, data.classes)
    run.run_cell(cell, 0, settings, without, threads=1)
    for mine, theirs in zip(weights(heads[0]), weights(heads[1]), strict=True):
        assert np.array_equal(mine, theirs)


def test_the_propagation_sees_training_edges_only(data, monkeypatch):
    seen = []
    original = run.embed
    monkeypatch.setattr(run, "embed", lambda graph, *a, **n: (seen.append(graph), original(graph, *a, **n))[1])
    cell, settings = Cell("links", "synthetic", HDS, 1.0, 3), task_plan("links").datasets["synthetic"]
    run.run_cell(cell, 0, settings, data, threads=1)
    split = split_edges(data.graph, seed=run.FIRST_SPLIT)
    adjacency = seen[0].to_scipy()
    assert seen[0].edges == len(split.train)
    for pairs in (split.validation, split.test):
        assert adjacency[pairs[:, 0], pairs[:, 1]].sum() == 0
    assert torch.get_num_threads() >= 1
