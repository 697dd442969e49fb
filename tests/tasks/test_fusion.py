"""Fusion keeps what helps, reads only the labels it may, and knows how much an answer says."""

from types import SimpleNamespace

import numpy as np
import pytest

from privge.errors import BadData
from privge.tasks import Answers, ConditionalLogit, Confusion, Fusion
from privge.tasks.skill import NOTHING

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


@pytest.mark.parametrize("sureness", [-1.0, 0.05, 1.0, 20.0])
def test_judges_make_the_structure_surer_or_less_sure_and_never_name_another_class(world, sureness):
    """Whatever few judges say, even of a prior that is always wrong: where nothing is asked nothing can be lost."""
    prior = sureness * world.prior + np.array([0.0, 0.3, -0.3])
    fusion = Fusion.fit(prior, {}, world.labels, JUDGES[:20])
    np.testing.assert_array_equal(fusion.structure.argmax(axis=1), prior.argmax(axis=1))
    assert not fusion.gate


def test_the_structure_is_as_sure_as_the_judges_make_it(world):
    tame = Fusion.fit(0.3 * world.prior, {}, world.labels, JUDGES)
    assert 2.5 < tame.weights["structure"] < 4


def test_a_channel_that_is_left_out_leaves_every_class_as_the_structure_has_it(world):
    fusion = Fusion.fit(world.prior, {"answers": world.others}, world.labels, JUDGES)
    np.testing.assert_array_equal(fusion.probabilities.argmax(axis=1), world.prior.argmax(axis=1))


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
    skill = nobody.skill(world.prior, world.labels[JUDGES], JUDGES)
    assert skill.belief == pytest.approx(1 - NOTHING)


def believed(world, answers):
    return answers.skill(world.prior, world.labels[JUDGES], JUDGES)


def test_more_skill_is_found_where_devices_err_less(world):
    generator = np.random.default_rng(1)
    skills = [
        believed(world, answered(world.labels, world.prior, generator, right=right)).mean for right in (0.5, 0.7, 0.95)
    ]
    assert skills[0] < 0.3 < skills[1] < skills[2]


def test_evidence_is_the_average_over_what_is_believed(world):
    skill = believed(world, world.answers)
    assert skill.beliefs.sum() == pytest.approx(1)
    expected = sum(
        belief * np.exp(world.answers.evidence(one))
        for belief, one in zip(skill.beliefs[1:] / skill.belief, skill.confusions[1:], strict=True)
    )
    evidence, belief = world.answers.fitted(world.prior, world.labels[JUDGES], JUDGES)
    np.testing.assert_allclose(np.exp(evidence), expected)
    assert belief == skill.belief > 0.99


def test_a_doubtful_answer_moves_less_than_the_likeliest_skill_would(world):
    """Few judges leave doubt: the average is between nothing and the best fit, and more judges leave less doubt."""
    few = world.answers.skill(world.prior, world.labels[:40], np.arange(40))
    assert 1 - NOTHING < few.belief < believed(world, world.answers).belief


def test_codes_of_people_without_labels_tell_a_device_that_repeats_the_prior(world):
    """Its trust is high: what it says is known already, and however sure of its skill, it moves next to nothing."""
    prior = world.prior
    top = (np.arange(CLASSES) == prior.argmax(axis=1)[:, None]).astype(float)
    generator = np.random.default_rng(2)
    parrot = answered(top.argmax(axis=1), prior, generator, right=1.0)
    honest, repeated = (believed(world, one).confusions[4] for one in (world.answers, parrot))
    assert repeated.skill == honest.skill
    assert repeated.trust > 3 * honest.trust
    moved = [
        np.ptp(one.evidence(confusion), axis=1).mean()
        for one, confusion in ((world.answers, honest), (parrot, repeated))
    ]
    assert moved[1] < moved[0] / 2


@pytest.mark.parametrize("helps", [True, False])
def test_a_matrix_is_averaged_in_by_the_belief_in_it(world, helps):
    generator = np.random.default_rng(3)
    told = world.labels if helps else generator.permutation(world.labels)
    matrix = np.where(np.arange(CLASSES) == told[:, None], 1.0, 0.0) + generator.normal(0, 1.0, world.prior.shape)
    fusion = Fusion.fit(world.prior, {"private": matrix}, world.labels, JUDGES)
    added = fusion.contributions["private"]
    assert added.kept == fusion.gate == helps
    assert (added.belief > 0.99) if helps else (added.belief < 0.5)
    assert (fusion.weights["private"] > 0) == helps


def test_a_fusion_says_in_words_what_was_kept_and_with_what_weight(world):
    channels = {"others": world.others, "answers": world.answers}
    others, answers = Fusion.fit(world.prior, channels, world.labels, JUDGES).contributions.values()
    assert answers.words() == "used with a weight of 1.00, the probability that this channel knows anything"
    assert others.words().startswith("left out: that this channel knows anything has a probability of 0.")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("person", [3, PEOPLE - 1], ids=["a judge", "somebody else"])
def test_what_is_no_finite_logarithm_is_refused_by_name(world, value, person):
    """One NaN used to end as classes of nobody; beside a good channel it left that one out, too."""
    broken = np.zeros_like(world.prior)
    broken[person, 1] = value
    with pytest.raises(BadData, match="the channel 'broken' must hold finite logarithms"):
        Fusion.fit(world.prior, {"answers": world.answers, "broken": broken}, world.labels, JUDGES)
    with pytest.raises(BadData, match="the prior must hold finite logarithms"):
        Fusion.fit(world.prior + broken, {"answers": world.answers}, world.labels, JUDGES)


@pytest.mark.parametrize("what", ["likelihood", "prior"])
def test_answers_of_no_finite_likelihood_are_refused(world, what):
    parts = {"likelihood": world.answers.likelihood, "asked": world.answers.asked, "prior": world.prior}
    parts[what] = np.where(np.arange(PEOPLE)[:, None] == 7, -np.inf, parts[what])
    with pytest.raises(ValueError, match="finite logarithms"):
        Answers(**parts)


def test_a_channel_of_another_shape_is_refused_by_name(world):
    with pytest.raises(BadData, match="the channel 'short' must have a row for each person"):
        Fusion.fit(world.prior, {"short": world.prior[:-1]}, world.labels, JUDGES)


def test_nobody_judges_twice(world):
    """Somebody in two folds would be known from their own label: copies made noise believed by .997."""
    with pytest.raises(BadData, match="may judge once"):
        Fusion.fit(world.prior, {"answers": world.others}, world.labels, np.repeat(JUDGES[:5], 4))


@pytest.mark.filterwarnings("error")
def test_thousands_of_judges_who_always_lie_are_left_out():
    """The belief in each skill is then smaller than the smallest number: they were 0 / 0."""
    people, classes = 20_000, 2
    generator = np.random.default_rng(1)
    labels = generator.integers(classes, size=people)
    own = np.arange(classes) == labels[:, None]
    found = generator.random(people) < 0.6
    prior = np.log(np.where(own == found[:, None], 0.6, 0.4))
    lies = Answers(np.where(own, 0.0, 4.0), np.ones_like(own), prior)
    fusion = Fusion.fit(prior, {"lies": lies, "true": np.where(own, 0.5, 0.0)}, labels, np.arange(people))
    assert not fusion.contributions["lies"].kept
    assert np.isfinite(fusion.contributions["lies"].gain)
    assert fusion.contributions["true"].kept
    np.testing.assert_allclose(fusion.probabilities.sum(axis=1), 1)
