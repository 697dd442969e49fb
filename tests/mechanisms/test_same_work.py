"""A device does the same work for every value: neither the instructions nor what is remembered say which it was."""

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import pytest

from privge.audit.same_work import instructions, remembered, ways_to_draw
from privge.mechanisms import Laplace, SquareWave, law_for
from privge.mechanisms.law import search

PRIVATE = ("hds", "piecewise", "multibit", "laplace")
CASES = [(name, epsilon, levels) for name in PRIVATE for epsilon in (1e-3, 0.5, 4) for levels in (2, 33, 1025)]


@pytest.mark.parametrize(("name", "epsilon", "levels"), CASES)
def test_every_level_and_word_runs_the_same_instructions(name, epsilon, levels):
    assert len(ways_to_draw(law_for(name, epsilon, levels=levels))) == 1


@pytest.mark.parametrize(("name", "epsilon", "levels"), CASES)
def test_drawing_leaves_no_trace_of_a_level_in_memory(name, epsilon, levels):
    law = law_for(name, epsilon, levels=levels)
    assert not remembered(law)


@dataclass(frozen=True)
class RememberingLaplace(Laplace):
    """The defect: a row is built when its level is first drawn, and kept."""

    def code(self, level, word):
        rows = self.__dict__.setdefault("rows", {})
        if level not in rows:
            rows[level] = list(accumulate(self.weights(level).tolist()))
        return bisect_right(rows[level], word)


@dataclass(frozen=True)
class BranchingSquareWave(SquareWave):
    """The defect: whether the code came from the value's own window decides what runs."""

    def code(self, level, word):
        inside = self.high * self.window
        if word < inside:
            return level + word // self.high
        position = (word - inside) // self.low
        return position if position < level else position + self.window


def test_a_branch_is_noticed():
    assert len(ways_to_draw(BranchingSquareWave.for_epsilon(1.0, 33))) > 1


def test_a_row_that_is_built_for_a_new_level_is_noticed():
    law = RememberingLaplace.for_epsilon(1.0, 33)
    assert instructions(law, 0, 0) != instructions(law, 0, 0)
    assert remembered(law) == {"rows"}


class ReadInFull(np.ndarray):
    """Sums of which nobody may pick some: which ones were read would say where the level is."""

    def __getitem__(self, place):
        raise AssertionError("a part of the sums was read")


def with_sums_to_read_in_full(law):
    sums = law._sums
    law.__dict__["_sums"] = replace(sums, base=sums.base.view(ReadInFull), slope=sums.slope.view(ReadInFull))
    return law


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 4], ids="epsilon {}".format)
def test_a_device_reads_every_sum_of_a_laplace_law_whatever_the_level_and_the_word(epsilon):
    law, watched = (law_for("laplace", epsilon) for _ in range(2))
    with_sums_to_read_in_full(watched)
    for level in (0, 511, 512, 1024):
        for word in (0, 2**52, 2**53 - 1):
            assert watched.code(level, word) == law.code(level, word)


@dataclass(frozen=True)
class SearchingLaplace(Laplace):
    """The defect: a search reads those sums that lead to the code."""

    def code(self, level, word):
        sums, (tilt, shift) = self._sums, self._placed(level)
        found = search(lambda code: sums.base[code + shift] + tilt * sums.slope[code + shift], self.outputs, word)
        return int(found)


def test_a_search_in_the_sums_is_noticed():
    law = with_sums_to_read_in_full(SearchingLaplace.for_epsilon(1.0, 33))
    with pytest.raises(AssertionError, match="a part of the sums was read"):
        law.code(3, 2**52)


@pytest.mark.parametrize("levels", [2, 17, 1025, 4097])
def test_every_fitted_laplace_law_is_within_the_bound_on_its_outputs(levels):
    for epsilon in (1e-6, 0.5 / 64, 0.0079, 0.016108324203871045, 0.1, 1, 10, 50):
        Laplace.for_epsilon(epsilon, levels)  # refuses itself otherwise


def test_a_crafted_law_cannot_have_more_outputs_than_a_fitted_one():
    tails = tuple(range(2 * 30_000, 0, -2))
    with pytest.raises(ValueError, match=r"tails must reach at most 4,969 cells beyond the range, got 29,999"):
        Laplace(levels=3, cells=1, spread=1, centre=2, tails=tails)
