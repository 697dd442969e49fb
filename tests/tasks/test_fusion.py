"""Fusion keeps what helps, reads only the labels it may, and knows how much an answer says."""

from types import SimpleNamespace

import numpy as np
import pytest

from privge.errors import BadData
from privge.tasks import Answers, ConditionalLogit, Confusion, Fusion

EPSILON, CLASSES, PEOPLE = 2.0, 3, 6000
JUDGES = np.arange(600)
OTHERS = np.arange(600, PEOPLE)


def accuracy(probabilities, labels):
    return (probabilities.argmax(axis=1) == labels)[OTHERS].mean()


def answered(labels, prior, generator, *, right):
    """Two likeliest classes asked; the device names its class with probability ``right``, if it is among them."""
    people = np.arange(len(labels))
    classes = np.argsort(-prior, axis=1)[:, :2]
    asked = np.zeros(prior.shape, dtype=bool)
    asked[people[:, None], classes] = True
    own = np.where(
        classes[:, 0] == labels, 0, np.where(classes[:, 1] == labels, 1, generator.integers(0, 2, len(labels)))
    )
    answer = np.where(generator.random(len(labels)) < right, own, 1 - own)
    keep = np.exp(EPSILON) / (1 + np.exp(EPSILON))
    code = np.where(generator.random(len(labels)) < keep, answer, 1 - answer)
    likelihood = np.where(asked, np.log(1 - keep), 0.0)
    likelihood[people, classes[people, code]] = np.log(keep)
    return Answers(likelihood, asked, prior)


@pytest.fixture(scope="module")
def world():
    """A calibrated prior, and answers that follow the classes, or nothing."""
    generator = np.random.default_rng(0)
    logits = generator.normal(0, 1.5, (PEOPLE, CLASSES))
    prior = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    labels = (generator.random((PEOPLE, 1)) > np.exp(prior).cumsum(axis=1)).sum(axis=1).clip(0, CLASSES - 1)
    shuffled = labels[generator.permutation(PEOPLE)]
    return SimpleNamespace(
        prior=prior,
        labels=labels,
        answers=answered(labels, prior, generator, right=0.95),
        others=answered(shuffled, prior, generator, right=0.95),
    )


def test_answers_of_the_people_themselves_help(world):
    fusion = Fusion.fit(world.prior, {"answers": world.answers}, world.labels, JUDGES)
    assert accuracy(fusion.probabilities, world.labels) > accuracy(fusion.structure, world.labels) + 0.05
    assert fusion.gate
    assert fusion.weights["answers"] > 0
    assert fusion.contributions["answers"].gain > 2 * fusion.contributions["answers"].error


def test_answers_of_somebody_else_do_not_pass_the_gate(world):
    fusion = Fusion.fit(world.prior, {"answers": world.others}, world.labels, JUDGES)
    assert not fusion.gate
    assert fusion.weights["answers"] == 0
    np.testing.assert_array_equal(fusion.probabilities, fusion.structure)


def test_contributions_say_which_of_two_channels_helps(world):
    fusion = Fusion.fit(world.prior, {"others": world.others, "answers": world.answers}, world.labels, JUDGES)
    assert list(fusion.contributions) == ["others", "answers"]
    others, answers = fusion.contributions.values()
    assert answers.kept
    assert answers.gain > 10 * abs(others.gain)
    assert answers.accuracy > 5


def test_labels_of_other_people_are_not_read(world):
    fusion = Fusion.fit(world.prior, {"answers": world.answers}, world.labels, JUDGES)
    hidden = np.full(PEOPLE, -1)
    hidden[JUDGES] = world.labels[JUDGES]
    again = Fusion.fit(world.prior, {"answers": world.answers}, hidden, JUDGES)
    np.testing.assert_array_equal(fusion.probabilities, again.probabilities)


def test_structure_has_the_same_intercepts(world):
    """A prior that is wrong by a constant a class is put right for the structure, too: no gain of the answers."""
    wrong = world.prior + np.array([0.0, 1.5, -1.5])
    fusion = Fusion.fit(wrong, {}, world.labels, JUDGES)
    assert accuracy(fusion.structure, world.labels) > accuracy(wrong, world.labels) + 0.03
    assert not fusion.gate


def test_weights_are_never_below_0(world):
    against = -np.where(np.arange(CLASSES) == world.labels[:, None], 1.0, 0.0)
    logit = ConditionalLogit.fit([world.prior[JUDGES], against[JUDGES]], world.labels[JUDGES])
    assert logit.weights.tolist()[1] == 0


def test_too_few_or_unlabelled_judges_are_refused(world):
    with pytest.raises(BadData, match="at least 10 people"):
        Fusion.fit(world.prior, {}, world.labels, JUDGES[:9])
    with pytest.raises(BadData, match="with a class of the prior"):
        Fusion.fit(world.prior, {}, np.full(PEOPLE, -1), JUDGES)


def test_evidence_is_the_sum_over_the_answers(world):
    """The closed form against the definition: P(code | c) = sum of P(code | j) P(j | c) over the answers j."""
    few = Answers(world.answers.likelihood[:50], world.answers.asked[:50], world.prior[:50])
    confusion = Confusion(trust=0.7, skill=1.3)
    for person, found in enumerate(np.exp(few.evidence(confusion))):
        asked = np.flatnonzero(few.asked[person])
        law = np.exp(few.likelihood[person, asked])
        expected = []
        for c in range(CLASSES):
            odds = np.exp(confusion.trust * few.prior[person, asked] + confusion.skill * (asked == c))
            expected.append(law @ (odds / odds.sum()))
        np.testing.assert_allclose(found / found[0], np.array(expected) / expected[0], rtol=1e-12)


def test_a_model_that_is_never_wrong_gives_the_law_itself(world):
    evidence = world.answers.evidence(Confusion(trust=1.0, skill=20.0))
    asked = world.answers.asked
    pairs, laws = evidence[asked].reshape(-1, 2), world.answers.likelihood[asked].reshape(-1, 2)
    plausible = np.abs(np.diff(world.prior[asked].reshape(-1, 2))).ravel() < 5
    np.testing.assert_allclose(np.diff(pairs)[plausible], np.diff(laws)[plausible], atol=1e-4)
    assert np.abs(np.diff(pairs)).max() <= EPSILON + 1e-9


def test_no_answer_moves_log_odds_by_more_than_epsilon(world):
    for skill in (0.0, 0.5, 3.0, 20.0):
        evidence = world.answers.evidence(Confusion(trust=1.0, skill=skill))
        assert np.ptp(evidence, axis=1).max() <= EPSILON + 1e-9


def test_a_model_without_skill_and_a_person_who_was_not_asked_say_nothing(world):
    assert np.ptp(world.answers.evidence(Confusion(1.0, 0.0)), axis=1).max() < 1e-12
    nobody = Answers(world.answers.likelihood, np.zeros_like(world.answers.asked), world.prior)
    assert np.abs(nobody.evidence(Confusion(1.0, 3.0))).max() == 0
    assert nobody.confusion(world.prior, world.labels).skill == 0


def test_more_skill_is_found_where_devices_err_less(world):
    generator = np.random.default_rng(1)
    skills = [
        answered(world.labels, world.prior, generator, right=right).confusion(world.prior, world.labels).skill
        for right in (0.5, 0.7, 0.95)
    ]
    assert skills[0] < 0.3 < skills[1] < skills[2]
