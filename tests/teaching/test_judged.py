"""What answers are worth is judged without the judges' own labels, beside controls, with an interval that is honest."""

from dataclasses import replace

import numpy as np
import pytest

from privge.structure import NodeChannel
from privge.tasks import Answers
from privge.teaching import Plan, Roles, judged
from privge.teaching.judged import _held_out, paired_interval

JUDGES, OTHERS = 300, 100


def made(skill, seed=0, friends=None, graph_alone=None):
    """Return a plan with judges of whom the prior knows little, and answers that know more or nothing."""
    generator = np.random.default_rng(seed)
    people = JUDGES + OTHERS
    labels = (generator.random(people) < 0.35).astype(np.int64)
    labels[JUDGES:] = 1  # what is frequent among the others is rare among judges, and must not be looked up there
    sure = np.clip(0.5 + 0.15 * generator.normal(size=people) + 0.05 * (2 * labels - 1), 0.05, 0.95)
    channel = NodeChannel(np.arange(people), np.array(["a", "b"]), np.column_stack([1 - sure, sure]), 1.0)
    classes = np.tile([0, 1], (JUDGES, 1))
    roles = Roles(np.arange(JUDGES, people), np.arange(JUDGES), classes, np.arange(JUDGES))
    answer = np.where(generator.random(people) < skill, labels, 1 - labels)
    likelihood = np.where(np.arange(2) == answer[:, None], np.log(1.5), np.log(0.5))
    asked = np.zeros((people, 2), dtype=np.bool_)
    asked[:JUDGES] = True
    plan = Plan(channel, labels, roles, 1.0, friends, graph_alone)
    return plan, Answers(np.where(asked, likelihood, 0.0), asked, channel.log)


def test_answers_that_know_something_are_worth_something_and_answers_at_random_nothing():
    (good,) = judged(*made(skill=0.8))
    assert good.interval.low > 0
    assert good.fused > good.structure + 5
    lifts = [judged(*made(skill=0.5, seed=seed))[0] for seed in range(6)]
    assert sum(row.interval.low > 0 for row in lifts) == 0
    assert np.mean([row.lift for row in lifts]) < 1


def test_controls_know_no_label_of_a_judge():
    friends = np.r_[np.full(10, 1), np.full(JUDGES + OTHERS - 10, 5)]
    guess = np.zeros(JUDGES + OTHERS, dtype=np.int64)
    plan, answers = made(0.8, friends=friends, graph_alone=guess)
    everybody, some = judged(plan, answers)
    share = 100 * plan.labels[:JUDGES].mean()
    assert everybody.majority == pytest.approx(share)
    assert everybody.graph_alone == pytest.approx(100 - share)
    assert (some.people, some.count) == ("3 to 10 friends", JUDGES - 10)  # ten people are too few for a line


def test_nobody_s_own_label_helps_to_predict_them():
    """Whoever's label is turned round is predicted as before; others, whose fold it is not in, need not be."""
    plan, answers = made(0.8)
    before = np.array(_held_out(plan, answers, 0))
    for judge in (3, 77, 210):
        labels = plan.labels.copy()
        labels[judge] = 1 - labels[judge]
        after = np.array(_held_out(replace(plan, labels=labels), answers, 0))
        assert (after[:, judge] == before[:, judge]).all()


def test_too_few_judges_say_nothing():
    plan, answers = made(0.8)
    few = Plan(
        plan.structure,
        plan.labels,
        Roles(np.arange(300, 400), np.arange(9), np.tile([0, 1], (9, 1)), np.arange(9)),
        1.0,
    )
    assert judged(few, answers) == ()


def test_the_interval_is_that_of_agresti_and_min():
    before = np.r_[np.ones(40), np.zeros(60)].astype(bool)
    after = np.r_[np.ones(35), np.zeros(5), np.ones(15), np.zeros(45)].astype(bool)
    gained, lost, people = 15.5, 5.5, 102
    error = np.sqrt(gained + lost - (gained - lost) ** 2 / people) / people
    middle = (gained - lost) / people
    assert paired_interval(before, after) == pytest.approx(
        (100 * (middle - 1.96 * error), 100 * (middle + 1.96 * error))
    )


def test_an_interval_has_a_width_even_if_nothing_changed():
    same = np.ones(50, dtype=bool)
    low, high = paired_interval(same, same)
    assert low < 0 < high


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """Of 2,000 experiments about 95 % cover; 93 to 97.5 is more than four standard errors around that."""
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(2000):
        case = generator.choice(4, 150, p=[0.6, 0.2, 0.12, 0.08])  # both, neither, gained, lost
        low, high = paired_interval((case == 0) | (case == 3), (case == 0) | (case == 2))
        covered += low <= 4 <= high
    assert 0.93 < covered / 2000 < 0.975


def test_progress_is_told_fold_by_fold():
    told = []
    judged(*made(0.8), progress=lambda *step: told.append(step))
    assert told == [(fold, 5) for fold in range(1, 6)]
