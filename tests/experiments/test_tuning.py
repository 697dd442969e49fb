"""Tuning sees reports, never features, and draws nothing."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from privge.campaign import Campaign
from privge.cli import main
from privge.datasets import load
from privge.experiments import tuning
from privge.experiments.plan import task_plan
from privge.experiments.tuning import SPACE, Nulls, controls, tune
from privge.perturbation import draw, simulate
from privge.tasks import split_nodes

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

    monkeypatch.setattr(simulate, "simulate", refuse)
    monkeypatch.setattr(draw, "draw", refuse)
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
    test = split_nodes(data.labels, seed=0).test
    permuted = data.labels.copy()
    permuted[test] = np.random.default_rng(1).permutation(permuted[test])
    one, two = (
        tune(data.graph, reports, "nodes", START, labels=labels, trials=2, threads=1)
        for labels in (data.labels, permuted)
    )
    assert one.trials == two.trials


@pytest.mark.parametrize("task", ["nodes", "links"])
def test_what_is_tuned_stands_beside_all_four_controls(task, tmp_path):
    ask = ["tune", task, "--dataset", "synthetic", "--epsilon", "3", "--trials", "1", "--seed", "1"]
    as_json = CliRunner().invoke(main, [*ask, "--json", "-o", str(tmp_path / "trials.json")])
    assert as_json.exit_code == 0, as_json.output
    result = json.loads(as_json.stdout)
    controls = result["controls"]
    assert controls == json.loads((tmp_path / "trials.json").read_text())["controls"]
    free = ["largest_class"] if task == "nodes" else []
    assert list(controls) == ["structure_only", "shuffled", "graph_alone", "no_privacy", *free]
    assert 50 < controls["graph_alone"] < 100
    if task == "nodes":  # at epsilon 3, reports say something here, and less than the graph alone
        assert controls["structure_only"] < result["validation"] < controls["graph_alone"] < controls["no_privacy"]
    text = CliRunner().invoke(main, ask).stdout
    for value in (result["validation"], *controls.values()):
        assert f"{value:.2f}" in text
    assert "one split, no spread" in text


def test_the_graph_alone_is_judged_without_test_labels(data):
    noise = Campaign(dimensions=data.features.shape[1], low=0, high=1, mechanism="structure", k=3).simulate(
        data.features, ids=data.graph.ids.tolist(), seed=0
    )
    permuted = data.labels.copy()
    test = split_nodes(data.labels, seed=0).test
    permuted[test] = np.random.default_rng(1).permutation(permuted[test])
    one, two = (
        controls(replace(data, labels=labels), Nulls(noise, noise), "nodes", START, threads=1)
        for labels in (data.labels, permuted)
    )
    assert one == two


def test_links_can_be_tuned_too(data, reports):
    tuned = tune(data.graph, reports, "links", task_plan("links").datasets["synthetic"], trials=1, threads=1)
    assert 50 < tuned.score <= 100
