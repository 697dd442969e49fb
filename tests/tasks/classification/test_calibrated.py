"""Sureness by number of friends, and never more than epsilon allows for somebody without any."""

import numpy as np
import pytest

import privge as pg
from privge.structure.calibration import at_temperature
from privge.structure.order import folds_of
from privge.tasks import SteadyClassifier
from privge.tasks.classification.calibrated import Calibration, People, calibrated_apart, held_to
from privge.tasks.classification.candidates import Logistic
from privge.tasks.classification.friends import by_friends
from privge.tasks.classification.known import Known


def boasting(people, lonely_share, seed=0):
    """Return true classes, and probabilities that are right with many friends and far too sure with few."""
    generator = np.random.default_rng(seed)
    friends = np.where(generator.random(people) < lonely_share, 1, 20)
    true = at_temperature(generator.dirichlet(np.ones(3), people), 0.6)
    targets = (true.cumsum(axis=1) < generator.random((people, 1))).sum(axis=1)
    sure = np.where(friends[:, None] == 1, at_temperature(true, 1 / 3), true)
    return sure, targets, friends


def test_people_with_few_friends_get_a_temperature_of_their_own():
    sure, targets, friends = boasting(4_000, 0.2)
    people = People(friends, np.full(len(friends), np.inf))
    rule = Calibration.fit(sure, targets, people)
    assert rule.by_friends[0] == pytest.approx(3, rel=0.15)
    assert rule.by_friends[2] == pytest.approx(1, rel=0.1)
    known = Known(np.arange(4_000), targets, np.arange(3), folds_of(4_000, 5, 0))
    apart = calibrated_apart(sure, known, people)
    assert [group.boasting for group in by_friends(apart, targets, friends)] == [False, False]
    common = at_temperature(sure, rule.temperature)
    assert [group.boasting for group in by_friends(common, targets, friends)] == [True, False]
    assert [group.doubting for group in by_friends(common, targets, friends)] == [False, True]


def test_where_few_are_labelled_the_temperature_is_the_common_one():
    sure, targets, friends = boasting(600, 0.005, seed=2)
    assert (friends == 1).sum() < 6
    rule = Calibration.fit(sure, targets, People(friends, np.full(600, np.inf)))
    assert rule.temperature / 1.7 < rule.by_friends[0] < rule.temperature * 1.7
    assert rule.by_friends[1] == rule.temperature, "nobody has 3 to 10 friends here"


def test_held_out_temperatures_do_not_see_the_label():
    sure, targets, friends = boasting(300, 0.3, seed=1)
    known = Known(np.arange(300), targets, np.arange(3), folds_of(300, 5, 0))
    people = People(friends, np.full(300, np.inf))
    before = calibrated_apart(sure, known, people)
    mine = known.folds == 2
    other = Known(known.rows, np.where(mine, (targets + 1) % 3, targets), known.classes, known.folds)
    assert np.array_equal(calibrated_apart(sure, other, people)[mine], before[mine])


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_odds_are_held_to_the_limit_and_to_nothing_less(epsilon):
    generator = np.random.default_rng(3)
    probabilities, prior = generator.dirichlet(np.ones(4) / 2, 200), np.array([0.4, 0.3, 0.2, 0.1])
    made = held_to(probabilities, prior, np.full(200, epsilon))
    assert np.allclose(made.sum(axis=1), 1)
    widths = np.ptp(np.log(made) - np.log(prior), axis=1)
    assert widths.max() <= epsilon + 1e-9
    before = np.ptp(np.log(np.maximum(probabilities, 1e-12)) - np.log(prior), axis=1)
    within = before <= epsilon
    assert np.allclose(made[within], probabilities[within])
    assert np.allclose(widths[~within], epsilon)


@pytest.fixture(scope="module")
def lonely():
    """Return a network of two circles, beside it people without friends, and vectors that give everybody away."""
    generator = np.random.default_rng(5)
    circle = np.repeat([0, 1], 60)
    ends = [(a, b) for a in range(120) for b in generator.choice(np.flatnonzero(circle == circle[a]), 4) if a != b]
    classes = np.concatenate([circle, np.repeat([0, 1], 10)])
    vectors = np.where(classes[:, None] == np.arange(2), 3.0, -3.0) + generator.normal(0, 0.3, (140, 2))
    vectors[139] = 0
    labels = np.where(np.arange(140) % 3 == 0, classes, -1)
    labels[125:] = -1
    return pg.Graph.from_edges(ends, nodes=range(140)), vectors, labels


def test_of_somebody_without_friends_an_answer_is_not_surer_than_their_report_allows(lonely):
    graph, vectors, labels = lonely
    head = SteadyClassifier(candidates=(Logistic(10.0),))
    found = pg.classify(vectors, labels, graph=graph, head=head, epsilon=1.0, threads=1)
    odds = np.abs(np.log(found.probabilities[120:139] / found.calibration.alone) @ [1, -1])
    assert odds.max() <= 1 + 1e-9
    assert odds.max() > 0.5, "and what it may say it says"
    assert found.probabilities[139] == pytest.approx(found.calibration.alone), "who sent nothing is answered by shares"
    assert found.probabilities[:120].max() > 0.9, "friends are heard as before"
    free = pg.classify(vectors, labels, graph=graph, head=head, threads=1)
    assert free.probabilities[120:139].max() > found.probabilities[120:139].max(), "without epsilon nothing is held"


def test_an_embedding_says_itself_what_a_report_cost(lonely):
    graph, vectors, labels = lonely
    campaign = pg.Campaign(dimensions=2, low=-9, high=9, mechanism="hds", epsilon=0.1, k=1)
    z = pg.embed(graph, campaign.simulate(vectors, ids=graph.ids, seed=0))
    known = {int(graph.ids[row]): int(labels[row]) for row in np.flatnonzero(labels >= 0)}
    found = pg.classify(z, known, graph=graph, head=SteadyClassifier(candidates=(Logistic(10.0),)), threads=1)
    assert np.abs(np.log(found.probabilities[120:] / found.calibration.alone) @ [1, -1]).max() <= 0.1 + 1e-9


@pytest.mark.parametrize("epsilon", [float("nan"), -1.0])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    """NaN was no limit at all, and a negative one turned the order of the classes round."""
    labels = np.arange(40) % 2
    with pytest.raises(ValueError, match="epsilon must be a number of at least 0"):
        pg.classify(np.eye(40), labels, graph=np.eye(40)[::-1], epsilon=epsilon)
