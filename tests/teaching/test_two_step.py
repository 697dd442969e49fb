"""The whole protocol: it helps, its controls do not, and each person's data enters one draw."""

from dataclasses import replace

import numpy as np
import pytest

from privge import Campaign
from privge.errors import BadData
from privge.mechanisms import Choice
from privge.teaching import Design, answers_of, two_step


def run(world, *, null=None, seed=0, features=None, **design):
    return two_step(
        world.graph,
        world.features if features is None else features,
        world.labels,
        encoding=world.encoding,
        split=world.split,
        design=Design(**{"epsilon": 4.0, **design}),
        null=null,
        structure=world.structure,
        seed=seed,
    )


@pytest.fixture(scope="module")
def outcome(world):
    return run(world)


def test_answers_find_more_classes_than_the_structure(outcome):
    assert outcome.lift > 3
    assert outcome.rows[0].people == "everybody"
    assert outcome.fusion.gate
    assert outcome.to_dict()["lift"] == outcome.lift


def test_people_with_few_friends_gain_most(outcome):
    few, most = outcome.rows[1], outcome.rows[2]
    assert few.people == "0 to 2 friends"
    assert few.lift > most.lift
    assert sum(row.count for row in outcome.rows[1:]) == outcome.rows[0].count


@pytest.mark.parametrize("null", ["other profile", "shuffled labels", "shuffled features"])
def test_controls_with_nothing_to_tell_do_not_help(world, null):
    lifts = [run(world, null=null, seed=seed).lift for seed in range(3)]
    assert abs(np.mean(lifts)) < 1


def test_nobody_is_in_both_campaigns_and_both_are_of_one_round(world, outcome):
    ids = world.graph.ids
    taught = {node for node in ids.tolist() if node in outcome.teaching.assignment}
    asked = {node for node in ids.tolist() if node in outcome.asking.assignment}
    assert taught == set(ids[outcome.roles.teachers].tolist())
    assert asked == set(ids[outcome.roles.asked].tolist())
    assert not taught & asked
    assert outcome.teaching.round == outcome.asking.round


def test_a_question_does_not_depend_on_what_the_asked_have(world, outcome):
    """Other features of everybody who is asked: the same campaign, to the byte."""
    changed = world.features.copy()
    changed[outcome.roles.asked] = 1 - changed[outcome.roles.asked]
    again = run(world, features=changed)
    assert again.asking.id == outcome.asking.id
    assert again.teaching.id == outcome.teaching.id


def test_who_is_asked_about_what_does_not_depend_on_any_feature(world, outcome):
    again = run(world, features=1 - world.features)
    np.testing.assert_array_equal(again.roles.asked, outcome.roles.asked)
    np.testing.assert_array_equal(again.roles.classes, outcome.roles.classes)


def test_the_same_seed_gives_the_same_outcome(world, outcome):
    assert run(world).to_dict() == outcome.to_dict()
    assert run(world, seed=1).to_dict() != outcome.to_dict()


def test_teachers_may_have_agreed_to_another_epsilon(world):
    found = run(world, epsilon=2.0, teacher_epsilon=6.0)
    assert found.teaching.epsilon == 6
    assert found.asking.epsilon == 2
    assert found.question.teaching.epsilon == 6


def test_a_panel_needs_no_first_campaign(world):
    found = run(world, panel=150)
    assert found.teaching is None
    assert found.question.teaching.by == "panel"
    assert found.lift > 3


def test_test_labels_are_never_read_before_judging(world, outcome):
    hidden = world.labels.copy()
    hidden[world.split.test] = np.roll(hidden[world.split.test], 1)
    again = run(replace_labels(world, hidden))
    assert again.asking.id == outcome.asking.id
    np.testing.assert_array_equal(again.fusion.probabilities, outcome.fusion.probabilities)


def replace_labels(world, labels):
    return type(world)(**{**vars(world), "labels": labels})


def test_features_of_too_few_people_are_refused(world):
    with pytest.raises(BadData, match="in the graph's order"):
        run(world, features=world.features[:-1])


def test_answers_of_people_who_were_not_asked_are_refused(world, outcome):
    campaign, rows = outcome.asking, outcome.roles.asked
    reports = campaign.simulate(world.features[rows], ids=world.graph.ids[rows].tolist(), seed=0)
    assert answers_of(reports, world.structure, outcome.roles).asked.any(axis=1).sum() == len(rows)
    fewer = replace(outcome.roles, asked=rows[1:], classes=outcome.roles.classes[1:])
    with pytest.raises(BadData, match="were not asked"):
        answers_of(reports, world.structure, fewer)


def test_answers_about_other_classes_than_those_of_the_plan_are_refused(world, outcome):
    """As many of them, in another order: each answer would have counted for somebody else's class."""
    rows = outcome.roles.asked[:5]
    reports = outcome.asking.simulate(world.features[rows], ids=world.graph.ids[rows].tolist(), seed=0)
    other = replace(world.structure, classes=world.structure.classes[::-1])
    with pytest.raises(BadData, match="those of the plan are others"):
        answers_of(reports, other, outcome.roles)


# A curator who chooses every question after all answers before: two people, all transcripts, exact weights.
EPSILON, LEVELS = 1.0, 3


def transcripts(policy, values, laws):
    """Probabilities of all (code, code): the second person's question is any function of the first one's code."""
    first, second = laws
    return {
        (a, b): weight(first, policy["first"][values[0]], a) * weight(second, policy["second"][a][values[1]], b)
        for a in range(LEVELS)
        for b in range(LEVELS)
    }


def weight(law, level, code):
    return law.high if level == code else law.low


def worst_ratio(policy, laws, person, other=0):
    ratios = []
    for value in range(4):
        for instead in range(4):
            pair = [(value, other), (instead, other)] if person == 0 else [(other, value), (other, instead)]
            one, two = (transcripts(policy, values, laws) for values in pair)
            ratios.append(max(one[key] / two[key] for key in one))
    return max(ratios)


def policies(count=40):
    generator = np.random.default_rng(7)
    for _ in range(count):
        yield {
            "first": generator.integers(0, LEVELS, 4),
            "second": generator.integers(0, LEVELS, (LEVELS, 4)),
        }


def test_a_curator_who_chooses_questions_adaptively_learns_at_most_epsilon():
    laws = [Choice.for_epsilon(EPSILON, LEVELS)] * 2
    for policy in policies():
        for person in (0, 1):
            assert worst_ratio(policy, laws, person) <= np.exp(EPSILON)


def test_asking_somebody_twice_would_exceed_epsilon():
    """The negative control: the same person in both steps. One report each is what the bound rests on."""
    laws = [Choice.for_epsilon(EPSILON, LEVELS)] * 2
    worst = 0.0
    for policy in policies():
        for value in range(4):
            for instead in range(4):
                one, two = (transcripts(policy, (same, same), laws) for same in (value, instead))
                worst = max(worst, *(one[key] / two[key] for key in one))
    assert worst > np.exp(1.5 * EPSILON)


def test_no_question_that_a_campaign_accepts_exceeds_epsilon(outcome):
    assert outcome.asking.realised_epsilon <= outcome.asking.epsilon
    assert outcome.teaching.realised_epsilon <= outcome.teaching.epsilon
    model = outcome.asking.questions[0]
    extreme = replace(model, weights=tuple(tuple(1000 * w for w in row) for row in model.weights), laws=())
    made = Campaign(questions=[extreme], epsilon=1.0, assignment=outcome.asking.assignment)
    assert made.realised_epsilon <= 1.0


def test_the_question_is_right_more_often_than_the_structure(outcome):
    assert outcome.device > outcome.structure
