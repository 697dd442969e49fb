"""Labels under randomised response: what is known of their noise, and heads that use it."""

from datetime import date

import numpy as np
import pytest

import privge as pg
from privge.collect.stores import open_store
from privge.collect.stores.store import Outcome, Upload
from privge.datasets import social_network
from privge.errors import BadData
from privge.graph.labels import Labels
from privge.mechanisms import Choice as ChoiceLaw
from privge.questions import Choice, ChoiceFeature
from privge.random import TOTAL, NotPrivateSeededSource
from privge.structure import node_channel
from privge.tasks import LabelNoise, NodeClassifier, label_mass, private_labels, propagate_labels

NAMES = ("blue", "green", "red")
LAW = ChoiceLaw.for_epsilon(1.0, 3)
NOISE = LabelNoise.of_law(LAW, NAMES)


def label_campaign(epsilon=1.0, values=NAMES):
    return pg.Campaign(questions=[Choice(ChoiceFeature("team", values))], epsilon=epsilon)


def test_the_noise_of_a_campaign_is_that_of_its_law():
    noise = LabelNoise.of(label_campaign())
    assert noise == NOISE
    assert (noise.own, noise.other) == (LAW.high / TOTAL, LAW.low / TOTAL)


def test_reports_of_a_label_campaign_are_labels_by_id():
    made = label_campaign(epsilon=9.0)
    true = np.array(NAMES)[np.arange(60) % 3]
    ids, reported = private_labels(made.simulate({"team": true.tolist()}, ids=range(60), seed=1))
    assert ids.tolist() == list(range(60))
    assert (reported == true).mean() > 0.95


def test_other_campaigns_are_no_labels():
    numbers = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0)
    with pytest.raises(BadData, match="one question, which is a choice"):
        LabelNoise.of(numbers)


@pytest.mark.parametrize("noise", [NOISE, LabelNoise(NAMES, 0.5, 0.25)])
def test_soft_labels_are_unbiased_by_enumeration(noise):
    """Over all codes, with the exact weights of the law; with the noise of another law they are not."""
    soft = noise.soft(Labels(np.arange(3), np.array(NAMES)))
    weights = np.array([LAW.weights(level) / TOTAL for level in range(3)])
    exact = np.abs(weights @ soft - np.eye(3)).max() < 1e-12
    assert exact == (noise is NOISE)


def test_nodes_without_a_label_have_no_soft_label():
    soft = NOISE.soft(Labels(np.array([2, -1]), np.array(NAMES)))
    assert soft[1].tolist() == [0, 0, 0]
    assert soft[0].sum() == pytest.approx(1)


def test_unmixing_undoes_the_mixing():
    true = np.random.default_rng(0).dirichlet([1, 1, 1], 50)
    reported = NOISE.other + (NOISE.own - NOISE.other) * true
    assert NOISE.unmixed(reported) == pytest.approx(true)
    assert np.abs(reported - true).max() > 0.1


def test_unmixing_stays_above_nothing():
    found = NOISE.unmixed(np.array([[0.9, 0.1, 0.0], [0.0, 0.0, 0.0]]))
    assert found.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_the_mass_of_private_labels_is_linear_in_soft_ones():
    made = social_network(200, 3, 4, seed=1)
    labels = np.where(np.arange(200) < 120, made.labels, -1)
    noise = LabelNoise.of_law(LAW, (0, 1, 2))
    classes, mass = label_mass(made.graph, labels, noise=noise)
    _, plain = label_mass(made.graph, labels)
    expected = (plain - noise.other * plain.sum(axis=1, keepdims=True)) / (noise.own - noise.other)
    assert classes.tolist() == [0, 1, 2]
    assert mass == pytest.approx(expected, abs=1e-4)
    strongest = propagate_labels(made.graph, labels)
    assert (mass.argmax(axis=1) == strongest).mean() > 0.99  # ties aside


def points(seed, people=900):
    """Three groups in the plane, and what each person would report."""
    generator = np.random.default_rng(seed)
    true = generator.integers(0, 3, people)
    centres = np.array([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    vectors = (centres[true] + generator.normal(0, 1, (people, 2))).astype(np.float32)
    return vectors, true, LAW.sample(true, NotPrivateSeededSource(seed)).astype(np.int64)


def test_a_head_that_knows_the_noise_says_how_sure_one_can_be():
    """Its probabilities are of the true class; those of a head that takes reports as labels are blurred."""
    losses = []
    for seed in range(3):
        vectors, true, reported = points(seed)
        for noise in (None, LabelNoise.of_law(LAW, (0, 1, 2))):
            head = NodeClassifier(hidden=16, scaling="columns", seed=seed)
            head.fit(vectors, reported, train=range(500), validation=range(500, 600), noise=noise)
            own = head.predict_proba(vectors[600:])[np.arange(300), true[600:]]
            losses.append(-np.log(own).mean())
    plain, corrected = np.reshape(losses, (3, 2)).T
    assert (corrected < plain - 0.15).all()


def test_a_class_that_nobody_reported_can_still_be_predicted():
    vectors, _, reported = points(1)
    noise = LabelNoise.of_law(ChoiceLaw.for_epsilon(1.0, 4), (0, 1, 2, 3))
    head = NodeClassifier(hidden=8, epochs=2).fit(vectors, reported, noise=noise)
    assert head.classes_.tolist() == [0, 1, 2, 3]
    assert head.predict_proba(vectors).shape == (900, 4)


def test_a_class_that_could_not_be_answered_is_refused():
    vectors, _, reported = points(1)
    with pytest.raises(ValueError, match="the class 2 is not one that could be answered"):
        NodeClassifier(epochs=1).fit(vectors, reported, noise=LabelNoise.of_law(ChoiceLaw.for_epsilon(1.0, 2), (0, 1)))


def test_without_noise_a_head_is_what_it_was():
    vectors, true, _ = points(2)
    heads = [NodeClassifier(hidden=8, epochs=3, seed=4).fit(vectors, true, **given) for given in ({}, {"noise": None})]
    assert (heads[0].predict_proba(vectors) == heads[1].predict_proba(vectors)).all()


def test_the_structural_channel_of_private_labels_is_unmixed():
    """Calibrated on reported labels it says what would be reported; unmixed, what is true."""
    made = social_network(800, 3, 4, degree=20, homophily=0.9, seed=1)
    noise = LabelNoise.of_law(LAW, (0, 1, 2))
    reported = LAW.sample(made.labels, NotPrivateSeededSource(1)).astype(np.int64)
    labels = np.where(np.arange(800) < 500, reported, -1)
    channel = node_channel(made.graph, labels, heads=("logistic",))
    rows, true = np.arange(500, 800), made.labels[500:]
    before, after = channel.probabilities[rows, true], noise.unmixed(channel.probabilities)[rows, true]
    assert np.log(np.maximum(after, 1e-3)).mean() > np.log(before).mean() + 0.2


@pytest.mark.parametrize(("cap", "second"), [(3.0, Outcome.STORED), (2.5, Outcome.OVER_BUDGET)])
def test_the_ledger_adds_what_features_and_label_cost(tmp_path, cap, second):
    features = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
    label = label_campaign(epsilon=2.0)
    store = open_store(str(tmp_path / "reports.db"), lifetime_epsilon=cap)
    outcomes = []
    for campaign, person in ((features, [[0.2, 0.4, 0.9]]), (label, {"team": ["red"]})):
        store.add_campaign(campaign)
        codes = campaign.simulate(person, ids=["ann"], seed=1).codes.astype("<u2").tobytes()
        outcomes += store.put(campaign.id, [Upload("ann", codes)], day=date(2026, 1, 1))
    assert outcomes == [Outcome.STORED, second]
    spent = sum(held.epsilon for held in store.holdings("ann"))
    assert spent == (3.0 if second is Outcome.STORED else 1.0)
    store.close()
