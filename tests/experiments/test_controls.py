"""What the controls of the experiments are: the commands' no privacy, and the same mechanism on others' features."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from privge import Campaign, embed
from privge.datasets import load
from privge.experiments import run
from privge.experiments.cell import Cell
from privge.experiments.no_privacy import no_privacy_vectors
from privge.experiments.plan import HDS, task_plan
from privge.mechanisms import NoPrivacy
from privge.propagation import Local, Walk


@pytest.fixture(scope="module")
def data():
    return load("synthetic")


def reports_of(monkeypatch, cell, data):
    """Run a repeat of a cell, and return what everybody reported in it."""
    seen = []
    original = Campaign.simulate

    def simulate(self, *arguments, **named):
        seen.append(original(self, *arguments, **named))
        return seen[-1]

    monkeypatch.setattr(Campaign, "simulate", simulate)
    record = run.run_cell(cell, 0, task_plan("nodes").settings(cell), data, threads=1)
    monkeypatch.undo()
    return seen[0], record


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 3), (0.25, 2)])
def test_no_privacy_is_what_the_law_none_gives(data, low, high):
    campaign = Campaign(dimensions=24, low=low, high=high, mechanism="none")
    sparse = data.features.toarray() * (np.random.default_rng(0).random(data.features.shape) < 0.3)
    sent = campaign.simulate(sparse, ids=data.graph.ids.tolist())
    expected = embed(data.graph, sent, alpha=0.1, r=0.3, tolerance=1e-6).matrix
    walk = Walk(0.1, 0.3, 1e-6)
    found = no_privacy_vectors(data.graph, scipy.sparse.csr_array(sparse), campaign, walk, Local())
    assert np.abs(found - expected).max() < 3e-6


def test_only_the_law_none_is_no_privacy(data):
    campaign = Campaign(dimensions=24, low=0, high=1, mechanism="hds", epsilon=1.0)
    with pytest.raises(ValueError, match="must have the mechanism 'none'"):
        no_privacy_vectors(data.graph, data.features, campaign, Walk(0.1, 0.5, 1e-4), Local())


def test_the_control_no_privacy_of_the_experiments_is_run_by_the_law(data, monkeypatch):
    asked = []
    monkeypatch.setattr(run, "no_privacy_vectors", lambda *given: asked.append(given) or no_privacy_vectors(*given))
    cell = task_plan("nodes").no_privacy_of(Cell("nodes", "synthetic", HDS, 1.0, 3))
    record = run.run_cell(cell, 0, task_plan("nodes").settings(cell), data, threads=1)
    assert (cell.method, record["mechanism"], asked[0][2].mechanism) == (NoPrivacy, "none", "none")


def test_shuffled_features_have_the_same_campaign_indices_and_noise(data, monkeypatch):
    """At a tiny epsilon a report is nearly all noise, which the same seed makes alike; independent noise is not."""
    cell = Cell("nodes", "synthetic", HDS, 0.01, 3)
    (own, record), (shuffled, control) = (
        reports_of(monkeypatch, replace(cell, features=whose), data) for whose in ("own", "shuffled")
    )
    assert own.campaign.id == shuffled.campaign.id
    assert np.array_equal(own.indices, shuffled.indices)
    independent = 4 / np.sqrt(own.codes.size)  # four standard errors of a correlation
    assert np.corrcoef(own.codes.ravel(), shuffled.codes.ravel())[0, 1] > 5 * independent
    assert (own.codes != shuffled.codes).any()
    assert record["seed"] == control["seed"]
    assert (record["features"], control["features"]) == ("own", "shuffled")


def test_everybody_s_features_are_there_after_the_shuffle_and_hardly_anybody_s_are_their_own():
    order = run.shuffle(3000, run.FIRST_SPLIT)
    assert np.array_equal(np.sort(order), np.arange(3000))
    assert (order == np.arange(3000)).sum() < 10
    assert not np.array_equal(order, run.shuffle(3000, run.FIRST_SPLIT + 1))


def test_shuffled_features_lose_what_a_mechanism_without_noise_knows(data):
    """The negative control: at a huge epsilon, own features are worth a lot and shuffled ones are not."""
    cell = Cell("nodes", "synthetic", HDS, 200.0, 24)
    own, shuffled = (
        run.run_cell(replace(cell, features=whose), 0, task_plan("nodes").settings(cell), data, threads=1)
        for whose in ("own", "shuffled")
    )
    assert own["accuracy"] > shuffled["accuracy"] + 5
