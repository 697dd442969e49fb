"""Tuning sees reports, never features, and draws nothing."""

import inspect

import numpy as np
import pytest

import privge.perturbation
from privge.campaign import Campaign
from privge.datasets import load
from privge.experiments import tuning
from privge.experiments.plan import task_plan
from privge.experiments.tuning import SPACE, tune

START = task_plan("nodes").datasets["synthetic"]


@pytest.fixture(scope="module")
def data():
    return load("synthetic")


@pytest.fixture(scope="module")
def reports(data):
    campaign = Campaign(dimensions=data.features.shape[1], low=0, high=1, mechanism="hds", epsilon=3.0, k=3)
    return campaign.simulate(data.features, ids=data.graph.ids.tolist(), seed=0)


def test_every_trial_uses_the_same_reports_and_nothing_is_drawn(data, reports, monkeypatch):
    """The search is post-processing: any number of trials costs what the one collection cost."""
    used = []
    original = tuning.propagate
    monkeypatch.setattr(
        tuning, "propagate", lambda graph, features, **n: (used.append(features), original(graph, features, **n))[1]
    )

    def refuse(*_arguments, **_named):
        raise AssertionError("tuning drew noise")

    for name in ("simulate", "report"):
        monkeypatch.setattr(privge.perturbation, name, refuse)
    before = reports.digest
    tuned = tune(data.graph, reports, "nodes", START, labels=data.labels, trials=4, threads=1)
    assert len(used) == len(tuned.trials) == 4
    assert all(features is used[0] for features in used)
    assert reports.digest == before


def test_what_a_person_sends_is_not_searched():
    assert not {"k", "epsilon", "mechanism"} & SPACE.keys()
    assert not {"features", "dataset", "campaign"} & inspect.signature(tune).parameters.keys()


def test_the_first_trial_is_the_given_settings_and_the_best_is_returned(data, reports):
    tuned = tune(data.graph, reports, "nodes", START, labels=data.labels, trials=3, threads=1)
    first = tuned.trials[0]["settings"]
    assert first["alpha"] == START.alpha
    assert {name: first["head"][name] for name in START.head} == START.head
    assert tuned.score == max(trial["validation"] for trial in tuned.trials)


def test_test_labels_do_not_matter(data, reports):
    from privge.tasks import split_nodes

    test = split_nodes(data.labels, seed=0).test
    permuted = data.labels.copy()
    permuted[test] = np.random.default_rng(1).permutation(permuted[test])
    one, two = (
        tune(data.graph, reports, "nodes", START, labels=labels, trials=2, threads=1)
        for labels in (data.labels, permuted)
    )
    assert one.trials == two.trials


def test_links_can_be_tuned_too(data, reports):
    tuned = tune(data.graph, reports, "links", task_plan("links").datasets["synthetic"], trials=1, threads=1)
    assert 50 < tuned.score <= 100
