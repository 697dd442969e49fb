"""Towards which classes answers lean is found by everybody's codes, reads no label, and is no evidence."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import check_grad

from privge.tasks import Answers, Confusion, Fusion
from privge.tasks.habits import Codes
from privge.tasks.skill import SKILLS

EPSILON, CLASSES, PEOPLE = 3.0, 3, 6000
JUDGES, OTHERS = np.arange(600), np.arange(600, PEOPLE)
LEANINGS = (1.2, 0.0, -1.2)


def drawn(probabilities, generator):
    return (generator.random((len(probabilities), 1)) > probabilities.cumsum(axis=1)).sum(axis=1).clip(0, CLASSES - 1)


def coded(answers, generator):
    """All classes asked; the answer through the law of randomised response."""
    others = np.exp(EPSILON) + CLASSES - 1
    kept = generator.random(len(answers)) < (np.exp(EPSILON) - 1) / others
    codes = np.where(kept, answers, generator.integers(CLASSES, size=len(answers)))
    return np.where(np.arange(CLASSES) == codes[:, None], EPSILON, 0.0)


def world_of(seed, *, skill=1.5, leanings=LEANINGS):
    """A calibrated prior, and devices whose answers follow prior, class and leanings exactly as is supposed."""
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, 1.5, (PEOPLE, CLASSES))
    prior = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    labels = drawn(np.exp(prior), generator)
    odds = np.exp(0.5 * prior + np.array(leanings) + skill * (np.arange(CLASSES) == labels[:, None]))
    likelihood = coded(drawn(odds / odds.sum(axis=1, keepdims=True), generator), generator)
    answers = Answers(likelihood, np.ones(prior.shape, dtype=bool), prior)
    return SimpleNamespace(prior=prior, labels=labels, answers=answers, generator=generator)


@pytest.fixture(scope="module")
def world():
    return world_of(0)


def test_leanings_and_trust_are_found_without_any_label(world):
    codes = Codes(np.exp(world.answers.likelihood), world.answers.asked, world.prior, np.exp(world.prior))
    found = codes.likeliest(1.5)
    assert found.trust == pytest.approx(0.5, abs=0.15)
    leanings = np.array(found.leanings)
    np.testing.assert_allclose(leanings - leanings.mean(), LEANINGS, atol=0.2)


@pytest.mark.parametrize("skill", SKILLS)
def test_the_gradient_is_that_of_the_loss(world, skill):
    asked = world.prior.argsort(axis=1) > 0  # two of three, different ones
    some = slice(0, 40)
    codes = Codes(np.exp(world.answers.likelihood[some]), asked[some], world.prior[some], np.exp(world.prior[some]))
    excess = np.expm1(skill)
    at = np.array([0.3, 0.5, -0.2, 0.1])
    error = check_grad(lambda one: codes._loss(one, excess)[0], lambda one: codes._loss(one, excess)[1], at)
    assert error < 1e-3 * (1 + np.abs(codes._loss(at, excess)[1]).max())


def test_evidence_is_the_sum_over_the_answers(world):
    """The closed form against the definition: P(code | c) = sum of P(code | j) P(j | c) over the answers j."""
    few = Answers(world.answers.likelihood[:50], world.answers.asked[:50], world.prior[:50])
    confusion = Confusion(0.7, 1.3, LEANINGS)
    for person, found in enumerate(np.exp(few.evidence(confusion))):
        law = np.exp(few.likelihood[person])
        odds = np.exp(0.7 * few.prior[person] + np.array(LEANINGS) + 1.3 * np.eye(CLASSES))
        expected = (odds / odds.sum(axis=1, keepdims=True)) @ law
        np.testing.assert_allclose(found / found[0], expected / expected[0], rtol=1e-12)


def test_whatever_the_leanings_no_skill_is_no_evidence_and_no_answer_moves_more_than_epsilon(world):
    for leanings in (LEANINGS, (6.0, -6.0, 0.0)):
        assert np.ptp(world.answers.evidence(Confusion(1.0, 0.0, leanings)), axis=1).max() < 1e-12
        assert np.ptp(world.answers.evidence(Confusion(1.0, 9.0, leanings)), axis=1).max() <= EPSILON + 1e-9


def test_a_question_that_leans_is_worth_more_when_it_is_known_to_lean(world, monkeypatch):
    """On Pubmed at epsilon 5 this was worth a third of a point."""

    def found():
        fusion = Fusion.fit(world.prior, {"answers": world.answers}, world.labels, JUDGES)
        return np.log(fusion.probabilities)[OTHERS, world.labels[OTHERS]]

    known = found()
    monkeypatch.setattr("privge.tasks.habits._LEANINGS", (0.0, 0.0))
    gains = known - found()
    assert gains.mean() > 4 * gains.std() / len(gains) ** 0.5


def test_what_every_device_says_moves_little(world, monkeypatch):
    """All of them say the same: what leanings explain is no evidence, however sure one is of the skill."""
    same = Answers(coded(np.zeros(PEOPLE, dtype=int), world.generator), world.answers.asked, world.prior)

    def moved():
        skill = same.skill(world.prior, world.labels[JUDGES], JUDGES)
        return [np.ptp(same.evidence(one), axis=1).mean() for one in skill.confusions[1:]]

    known = moved()
    monkeypatch.setattr("privge.tasks.habits._LEANINGS", (0.0, 0.0))
    assert (np.array(known) < 0.5 * np.array(moved())).all()


@pytest.mark.filterwarnings("error")
def test_codes_of_a_budget_beyond_all_numbers_are_still_numbers(world):
    sure = Answers(1000 * world.answers.likelihood, world.answers.asked, world.prior)
    fusion = Fusion.fit(world.prior, {"answers": sure}, world.labels, JUDGES)
    assert np.isfinite(fusion.probabilities).all()
