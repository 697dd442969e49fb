"""What the paper states beside what is right: one test for each line of ``docs/theory.md`` that has a number."""

import math
from fractions import Fraction

import pytest

from privge.analysis import lemma, sampled_for, stated_gain, stated_half_width, theorems
from privge.mechanisms.square_wave import half_width


@pytest.mark.parametrize(("epsilon", "k", "dimensions"), [(1, 1, 1433), (5, 2, 24), (1, 5, 500)])
def test_the_mean_of_the_integer_law_has_the_corrected_constant_and_not_the_printed_one(epsilon, k, dimensions):
    exact = float(sampled_for("hds", epsilon, k, dimensions).gain)
    assert exact == pytest.approx(lemma(epsilon, k, dimensions).gain, rel=2e-3)
    assert stated_gain(epsilon, k, dimensions) > 1.4 * exact


def test_both_constants_agree_for_one_feature_alone():
    assert stated_gain(2.0, 1, 1) == pytest.approx(lemma(2.0, 1, 1).gain)


@pytest.mark.parametrize(("epsilon", "k", "dimensions", "x"), [(1, 1, 10, 0.5), (5, 2, 24, -1), (8, 3, 3, 0.0)])
def test_the_variance_of_the_lemma_is_right_with_the_corrected_constant_and_wrong_with_the_printed_one(
    epsilon, k, dimensions, x
):
    def printed(constant):
        b, grown = half_width(epsilon / k), math.exp(epsilon / k)
        spread = k * (b**3 * grown + 3 * b**2 + 3 * b + 1) / (3 * dimensions * (b * grown + 1))
        return spread + (constant - constant**2) * x**2

    exact = float(sampled_for("hds", epsilon, k, dimensions).variance(x))
    assert exact == pytest.approx(printed(lemma(epsilon, k, dimensions).gain), rel=5e-3)
    assert float(lemma(epsilon, k, dimensions).variance(x)) == pytest.approx(
        printed(lemma(epsilon, k, dimensions).gain)
    )
    if x and k < dimensions:
        assert exact != pytest.approx(printed(stated_gain(epsilon, k, dimensions)), rel=2e-2)


def reference_half_width(epsilon):
    """Return b by its series in fractions."""

    def phi(z):
        return sum(z**n / Fraction(math.factorial(n + 2)) for n in range(12))

    exact = Fraction(epsilon)
    return float(phi(-exact) / phi(exact))


def test_the_printed_half_width_cancels_and_overflows():
    assert stated_half_width(1e-5) == pytest.approx(reference_half_width(1e-5), rel=1e-3)
    assert abs(stated_half_width(1e-5) / reference_half_width(1e-5) - 1) > 1e-7
    assert not 0.5 < _printed_or_nothing(1e-8) < 2
    with pytest.raises(OverflowError):
        stated_half_width(710)
    assert half_width(1e-8) == pytest.approx(reference_half_width(1e-8), rel=1e-14)


def _printed_or_nothing(epsilon):
    try:
        return stated_half_width(epsilon)
    except ZeroDivisionError:
        return math.nan


def test_the_theorem_about_hds_says_less_than_what_always_holds():
    hds, laplace, piecewise, multibit = theorems(1.0, 1, 1433)
    assert hds.stated == pytest.approx(math.log(1433 / 0.05))
    assert hds.stated > 10
    assert hds.always < 3
    assert hds.proved > 3 * hds.always
    assert not any(theorem.says_something for theorem in (hds, piecewise, multibit))
    assert laplace.says_something
    assert laplace.proved > 1e4


def test_no_epsilon_or_k_of_the_paper_makes_the_theorem_about_hds_say_something():
    for epsilon in (0.01, 0.1, 1, 2, 3, 5):
        for k in (1, 3, 5, 10, 20, 50):
            assert not theorems(epsilon, k, 500)[0].says_something


def test_the_proof_for_one_coordinate_and_a_large_delta_can_say_something():
    """So the flag is not constant."""
    assert any(theorem.says_something for theorem in theorems(5.0, 1, 1, 0.9))
