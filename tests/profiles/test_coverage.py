"""Intervals of a profile hold the true mean as often as they say, and those that forget something do not."""

import math

import pytest

from benchmarks.profile_coverage import World, measured, table

CELLS = 2000
# Four standard deviations of a share of 95 % among so many cells, if they were independent; so 93 to 97 %.
SLACK = 4 * math.sqrt(0.05 * 0.95 / CELLS)

WORLDS = {
    "yes or no, few answer": (World("yes-no", "", 24), 4.0),
    "yes or no, all answer": (World("yes-no", "", 3, k=3), 4.0),
    "choice": (World("choice", "", 6), 1.0),
    "number, square wave": (World("number", "hds", 6), 4.0),
    "many numbers, square wave": (World("short form", "hds", 30, k=2), 4.0),
}


@pytest.mark.parametrize("name", list(WORLDS))
def test_intervals_hold_the_true_mean_in_19_of_20_cells(name):
    counts, _, _ = measured(*WORLDS[name], CELLS, first_seed=0)
    assert abs(counts.share("held") - 0.95) <= SLACK


def test_an_interval_that_forgets_the_sampling_does_not():
    counts, _, _ = measured(*WORLDS["yes or no, few answer"], CELLS, first_seed=0)
    assert counts.share("held_without_sampling") < 0.95 - SLACK


def test_an_interval_that_forgets_the_noise_does_not():
    counts, _, _ = measured(*WORLDS["choice"], CELLS, first_seed=0)
    assert counts.share("held_without_noise") < 0.95 - SLACK


def test_differences_that_are_shown_are_hardly_ever_on_the_wrong_side():
    counts, _, _ = measured(*WORLDS["choice"], CELLS, first_seed=0)
    assert counts.shown > 200
    assert counts.wrong_side <= 0.05 * counts.shown


def test_groups_that_are_alike_hardly_ever_show_a_difference():
    """Each of 60 tables shows one with a probability of about 5 %: more than 10 would have one of 0.1 %."""
    world, epsilon = World("choice", "", 6), 4.0
    assert sum(table(world, epsilon, seed, null=True).shown > 0 for seed in range(60)) <= 10
