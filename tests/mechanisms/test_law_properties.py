"""Properties over epsilon, grid, k and d, beyond the table of cases."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import PrivacyViolation
from privge.mechanisms import Sampled, default_k, law_for
from privge.mechanisms.exponential import exp_below as package_exp_below
from privge.mechanisms.exponential import log_above
from privge.testing.table import Table, assert_private, assert_rows_are_distributions, exp_below, worst_ratio

PRIVATE = ("hds", "piecewise", "multibit", "laplace")

names = st.sampled_from(PRIVATE)
budgets = st.floats(math.log(1e-9), math.log(700)).map(math.exp)
grids = st.integers(2, 130)
shares = st.integers(1, 200)


@settings(max_examples=150, deadline=None)
@given(names, budgets, grids, shares)
def test_k_draws_at_a_kth_of_epsilon_hold_epsilon(name, epsilon, levels, k):
    law = law_for(name, epsilon, k, levels)
    table = Table.of(law)
    assert_rows_are_distributions(table)
    assert_private(table, epsilon, uses=k)
    Sampled(law, k, k).check(epsilon)


@settings(max_examples=60, deadline=None)
@given(names, budgets, grids)
def test_extreme_budgets_give_finite_answers_of_the_right_sign(name, epsilon, levels):
    law = law_for(name, epsilon, levels=levels)
    assert law.gain >= 0
    assert 0 <= law.realised_epsilon <= epsilon
    assert np.isfinite(law.variance([-1.0, 0.0, 1.0])).all()
    assert (law.variance([-1.0, 0.0, 1.0]) >= 0).all()
    limit = type(law).continuous_limit(epsilon)
    assert np.isfinite([limit.gain, limit.constant, limit.slope]).all()
    assert limit.worst_case_variance() >= 0


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1, 10])
def test_realised_epsilon_is_close_to_what_was_asked(name, epsilon):
    # Rounding weights of m units costs about 1/m of the ratio. At 33 levels m is at least 2**53 / 2**13 words in the
    # columns that decide, so the loss is below 1e-12, a thousandth of the smallest epsilon here.
    law = law_for(name, epsilon, levels=33)
    assert law.realised_epsilon >= 0.999 * epsilon


@pytest.mark.parametrize(("name", "least"), [("hds", 36.7), ("piecewise", 36.7), ("multibit", 33.9), ("laplace", 22)])
def test_an_epsilon_beyond_the_words_is_realised_smaller_and_said(name, least):
    assert least < law_for(name, 700.0, levels=33).realised_epsilon <= math.log(2**53)


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.5, 2])
@pytest.mark.parametrize("levels", [515, 735, 1024, 4094])
def test_laplace_stays_small_on_grids_with_few_divisors(levels, epsilon):
    law = law_for("laplace", epsilon, levels=levels)
    assert law.outputs < 10_000
    assert float(law.variance(0.0, "unbiased")) == pytest.approx(8 / epsilon**2, rel=0.01)
    ends = Table(np.array([law.weights(level) for level in (0, 1, levels // 2, levels - 1)]), [])
    assert_rows_are_distributions(ends)
    assert_private(ends, epsilon)


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0.2, 1, 5])
def test_the_laws_of_default_campaigns_are_enumerated_too(name, epsilon):
    law = law_for(name, epsilon)
    table = Table(np.array([law.weights(level) for level in range(1025)]), [])
    assert_rows_are_distributions(table)
    assert_private(table, epsilon)
    assert law.worst_ratio == worst_ratio(table)


@settings(max_examples=200, deadline=None)
@given(st.fractions(min_value=0, max_value=700, max_denominator=10**6))
def test_bound_of_exp_is_below_and_tight(exponent):
    bound, reference = package_exp_below(exponent), exp_below(exponent)
    assert 1 <= bound <= reference + reference / 10**100
    assert bound >= reference * (1 - Fraction(1, 10**45))


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 2**53), st.integers(1, 2**53), st.integers(1, 50))
def test_bound_of_log_is_above_and_tight(a, b, uses):
    ratio = Fraction(max(a, b), min(a, b))
    bound = log_above(ratio, uses=uses)
    assert exp_below(Fraction(bound)) * (1 + Fraction(1, 10**100)) >= ratio**uses
    assert math.exp(math.nextafter(bound, 0) / uses) <= float(ratio) * (1 + 1e-12)


@settings(max_examples=50, deadline=None)
@given(names, st.floats(0.01, 20), st.integers(1, 20), st.integers(0, 30))
def test_sampled_moments_are_those_of_the_mixture(name, epsilon, k, more):
    sampled = Sampled(law_for(name, epsilon, k, 17), k, k + more)
    rate, x = k / (k + more), 0.25
    scale = 1 if name == "hds" else 1 / rate
    inner_mean, inner_variance = (float(f(x)) for f in (sampled.law.mean, sampled.law.variance))
    mean = rate * scale * inner_mean
    variance = rate * scale**2 * (inner_variance + inner_mean**2) - mean**2
    assert float(sampled.mean(x)) == pytest.approx(mean, rel=1e-9)
    assert float(sampled.variance(x)) == pytest.approx(variance, rel=1e-9)
    assert float(sampled.mean(1.0, "unbiased")) == pytest.approx(1, rel=1e-9)


def test_k_above_d_is_refused():
    with pytest.raises(ValueError, match="k must be between 1 and dimensions = 4, got 5"):
        Sampled(law_for("hds", 1.0, 5), 5, 4)


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("levels", [2, 33, 4097])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-20, 1e-12, 1e5, 1e308])
def test_absurd_budgets_still_give_a_private_law(name, epsilon, levels):
    law = law_for(name, epsilon, levels=levels)
    assert law.realised_epsilon <= epsilon
    ends = [law.weights(level) for level in (0, levels - 1)]
    assert all(int(row.sum()) == 2**53 and row.min() >= 1 for row in ends)


@pytest.mark.parametrize(
    ("name", "epsilon", "k"), [("gauss", 1, 1), ("hds", math.nan, 1), ("hds", -1, 1), ("hds", 1, 0)]
)
def test_law_for_checks_its_arguments(name, epsilon, k):
    with pytest.raises(ValueError, match="must be"):
        law_for(name, epsilon, k)


def test_check_refuses_a_law_without_privacy():
    with pytest.raises(PrivacyViolation):
        Sampled(law_for("none", math.inf), 1, 1).check(1.0)


@pytest.mark.parametrize(("epsilon", "expected"), [(0.1, 1), (2.49, 1), (2.5, 1), (5, 2), (26, 10), (1000, 10)])
def test_default_k_is_one_rule_for_all(epsilon, expected):
    assert default_k(epsilon, 10) == expected
