"""Who teaches and who is asked follows from the public prior alone; nobody does both."""

import inspect

import numpy as np
import pytest

from privge.errors import BadData
from privge.teaching import Roles
from privge.teaching.roles import best_sizes, likeliest


def roles(world, epsilon=2.0, judges=500):
    parts = {"train": world.split.train, "validation": world.split.validation}
    return Roles.of(world.structure.log, **parts, epsilon=epsilon, judges=judges)


def test_nobody_both_teaches_and_is_asked_or_judges(world):
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        divided = roles(world, epsilon)
        assert len(np.intersect1d(divided.teachers, divided.asked)) == 0
        assert len(np.intersect1d(divided.teachers, divided.judges)) == 0


def test_whoever_would_do_both_is_refused():
    nobody, both = np.empty(0, dtype=np.int64), np.array([3])
    with pytest.raises(BadData, match="each person reports once"):
        Roles(both, both, np.array([[0, 1]]), nobody)
    with pytest.raises(BadData, match="must not have taught"):
        Roles(both, nobody, np.empty((0, 2), dtype=np.int64), both)


def test_roles_are_computed_from_public_data_alone(world):
    """No argument could hold a private value; labels that are not known change nothing."""
    assert set(inspect.signature(Roles.of).parameters) == {
        "prior",
        "train",
        "validation",
        "epsilon",
        "judges",
        "seed",
    }
    assert roles(world).classes.tolist() == roles(world).classes.tolist()


def test_of_two_classes_somebody_is_asked_exactly_if_epsilon_can_turn_the_odds():
    """A gap of log-odds above epsilon cannot be closed by an answer; one below it can."""
    gaps = np.array([0.0, 0.5, 0.99, 1.01, 2.0, 5.0])
    prior = np.column_stack([gaps, np.zeros(len(gaps))])
    assert best_sizes(prior, 1.0).tolist() == [2, 2, 2, 1, 1, 1]


def test_more_classes_are_asked_about_with_more_budget():
    prior = -0.3 * np.arange(6.0)[None]
    sizes = [int(best_sizes(prior, epsilon)[0]) for epsilon in (0.1, 1.0, 2.0, 4.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < 6
    assert sizes[-1] == 6


def test_the_size_has_the_highest_accuracy_of_an_exact_enumeration():
    generator = np.random.default_rng(0)
    prior = generator.normal(0, 1, (30, 4))
    for row, chosen in zip(prior, best_sizes(prior, 1.5), strict=True):
        found = {size: enumerated(row, size, 1.5) for size in range(1, 5)}
        assert found[int(chosen)] == pytest.approx(max(found.values()))


def enumerated(prior, size, epsilon):
    """Expected accuracy: the likeliest class after each code, over the classes' and the codes' probabilities."""
    odds = np.sort(np.exp(prior))[::-1] / np.exp(prior).sum()
    if size == 1:
        return odds[0]
    joint = np.full((len(odds), size), 1.0 / size)  # a class that is not asked about answers at random
    joint[:size] = 1 / (np.exp(epsilon) + size - 1)
    joint[np.arange(size), np.arange(size)] *= np.exp(epsilon)
    return (odds[:, None] * joint).max(axis=0).sum()


def test_classes_are_the_likeliest_in_increasing_order():
    prior = np.log([[0.1, 0.5, 0.15, 0.25], [0.4, 0.3, 0.2, 0.1]])
    assert likeliest(prior, np.array([2, 3])).tolist() == [[1, 3, -1], [0, 1, 2]]


def test_teachers_stay_reserved_when_everybody_could_be_asked(world):
    """With a flat prior everybody's answer matters; two thirds of the training people still teach."""
    flat = np.zeros_like(world.structure.log)
    divided = Roles.of(flat, train=world.split.train, validation=world.split.validation, epsilon=4.0, judges=10_000)
    assert len(divided.teachers) >= 2 * len(world.split.train) // 3
    assert len(divided.asked) == len(flat) - len(divided.teachers)


def test_judges_are_labelled_and_asked(world):
    labelled = np.union1d(world.split.train, world.split.validation)
    for epsilon in (1.0, 4.0):
        divided = roles(world, epsilon)
        assert np.isin(divided.judges, labelled).all()
        assert np.isin(divided.judges, divided.asked).all()


def test_where_few_reserved_people_could_matter_more_of_the_labelled_judge(world):
    few, many = roles(world, 1.0, judges=10), roles(world, 1.0, judges=500)
    assert np.isin(few.judges, world.split.validation).all()
    assert np.isin(many.judges, world.split.train).any()
    assert len(many.judges) > len(few.judges)


def test_reserved_people_who_do_not_judge_teach(world):
    divided = roles(world, 4.0, judges=20)
    assert len(divided.judges) == 60
    idle = np.setdiff1d(world.split.validation, divided.judges)
    assert np.isin(idle, divided.teachers).all()


def test_everybody_has_a_role_unless_too_few_could_judge(world):
    divided = roles(world, 2.0)
    assert len(divided.teachers) + len(divided.asked) == len(world.structure.log)
    sure = np.log(np.eye(3)[world.labels] * 0.999 + 0.0003)
    kept = Roles.of(sure, train=world.split.train, validation=world.split.validation, epsilon=0.5)
    assert kept.judges.tolist() == world.split.validation.tolist()
    assert len(kept.asked) == 0
