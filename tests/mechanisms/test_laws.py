"""Every law passes the contract: full enumeration in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from privge.mechanisms import (
    MAX_LEVELS,
    Choice,
    Laplace,
    MultiBit,
    NoPrivacy,
    Piecewise,
    SquareWave,
    StructureOnly,
    law_for,
)
from privge.mechanisms.law import Law
from privge.testing import LawContract
from privge.testing.table import Table, assert_linear_mean, assert_private, assert_rows_are_distributions, moments


class TestSquareWave(LawContract):
    kind = SquareWave

    def test_mean_is_exactly_linear(self, laws):
        for _, law in laws:
            assert_linear_mean(Table.of(law))


class TestPiecewise(LawContract):
    kind = Piecewise

    def test_raw_output_is_exactly_unbiased(self, laws):
        for _, law in laws:
            assert law.gain == 1
            assert_linear_mean(Table.of(law))


class TestMultiBit(LawContract):
    kind = MultiBit

    def test_raw_output_is_exactly_unbiased(self, laws):
        for _, law in laws:
            assert law.gain == 1
            assert_linear_mean(Table.of(law))


class TestLaplace(LawContract):
    kind = Laplace

    def test_mean_is_linear_up_to_the_clamped_tails(self, laws):
        # The clamp cuts off what lies beyond the output range. Its share of words times the noise scale,
        # two over epsilon, bounds what the mean can lose; a factor e covers the discrete cells.
        for epsilon, law in laws:
            table = Table.of(law)
            beyond = int(table.rows[-1][-1]) / 2**53
            assert_linear_mean(table, tolerance=3 * beyond * max(2 / epsilon, 2 / law.cells * law.spread))


class TestChoice(LawContract):
    kind = Choice

    def test_mean_is_exactly_linear(self, laws):
        for _, law in laws:
            assert_linear_mean(Table.of(law))

    def test_nothing_is_spare_and_every_other_value_is_as_likely(self, laws):
        for _, law in laws:
            rows = Table.of(law).rows
            assert {int(weight) for weight in rows[~np.eye(law.levels, dtype=bool)]} == {law.low}
            assert {int(weight) for weight in rows.diagonal()} == {law.high}

    def test_one_word_less_on_the_other_values_is_too_much(self, laws):
        for epsilon, law in laws:
            if law.low > 1:
                with pytest.raises(AssertionError, match="exceeds"):
                    assert_private(Table.of(Choice(law.levels, law.low - 1)), epsilon)


def test_an_epsilon_too_small_for_that_many_values_is_refused():
    with pytest.raises(ValueError, match="too small"):
        Choice.for_epsilon(1e-16, 60)


@pytest.mark.parametrize("levels", [2, 16, 1024, 1025])
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.1, 1.0, 4.0])
def test_the_formulas_of_laplace_are_what_its_weights_say(epsilon, levels):
    law = law_for("laplace", epsilon, levels=levels)
    for level in {0, 1, levels // 3, levels // 2, levels - 1}:
        assert law.moments(level) == Law.moments(law, level)
    assert law.values.tolist() == [float(value) for value in law.exact_values()]
    first, last = law.weights(0).tolist(), law.weights(levels - 1).tolist()
    assert law.worst_ratio == max(map(Fraction, first, last))


@pytest.mark.parametrize("epsilon", [1e-4, 1e-3, 0.01, 0.1, 1, 3, 5])
def test_laplace_of_a_campaign_has_the_variance_of_laplace_noise(epsilon):
    law = law_for("laplace", epsilon)
    assert float(law.variance(0.0, "unbiased")) == pytest.approx(8 / epsilon**2, rel=1e-3)
    assert float(law.variance(1.0, "unbiased")) == pytest.approx(8 / epsilon**2, rel=1e-3)


class TestStructureOnly(LawContract):
    kind = StructureOnly
    budgets = (0.0,)

    def test_output_says_nothing_about_the_input(self, laws):
        for _, law in laws:
            assert (law.weights(0) == law.weights(law.levels - 1)).all()
            assert moments(Table.of(law), 0)[0] == 0

    def test_it_has_no_unbiased_decoding(self, laws):
        with pytest.raises(ValueError, match="gain 0"):
            laws[0][1].mean(0.0, "unbiased")


def test_no_privacy_sends_the_input_and_says_so():
    law = law_for("none", float("inf"), levels=33)
    table = Table.of(law)
    assert_rows_are_distributions(table)
    assert isinstance(law, NoPrivacy)
    assert law.worst_ratio is None
    assert law.realised_epsilon == float("inf")
    assert [moments(table, level)[1] for level in range(33)] == [0] * 33


@pytest.mark.parametrize("name", ["none", "structure"])
def test_controls_refuse_a_budget(name):
    with pytest.raises(ValueError, match="has epsilon"):
        law_for(name, 1.0)


@pytest.mark.parametrize("levels", [-1, 0, 1, MAX_LEVELS + 1])
@pytest.mark.parametrize("name", ["hds", "piecewise", "multibit", "laplace"])
def test_grid_size_is_checked(name, levels):
    with pytest.raises(ValueError, match="levels must be between"):
        law_for(name, 1.0, levels=levels)
