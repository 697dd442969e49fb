"""One coordinate: sums over the integer weights against exact fractions, the limit, and the numbers of the findings."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privge.analysis import (
    ChoiceError,
    Coordinate,
    DirectionError,
    WorstCase,
    best_k,
    limit_for,
    sampled_for,
)
from privge.mechanisms import Clipped
from privge.random import TOTAL

MECHANISMS = ["hds", "piecewise", "multibit", "laplace"]
SHAPES = [(1, 1), (1, 20), (3, 20)]


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
@pytest.mark.parametrize(("k", "dimensions"), SHAPES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_worst_case_is_that_of_exact_fractions(mechanism, k, dimensions, decoding):
    exact = sampled_for(mechanism, 2.0, k, dimensions, levels=17)
    found = Coordinate.of(exact, decoding)
    bias, variance = exact.bias(exact.inputs, decoding), exact.variance(exact.inputs, decoding)
    assert found.bias == pytest.approx(np.abs(bias).max(), rel=1e-9, abs=1e-9)
    assert found.variance == pytest.approx(variance.max(), rel=1e-9)
    assert found.error == pytest.approx((variance + bias**2).max(), rel=1e-9)
    assert found.gain == pytest.approx(float(exact.mean(1.0, decoding)), rel=1e-9)
    assert found.rounding == 1 / 16


@pytest.mark.parametrize("decoding", ["raw", "unbiased"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_worst_case_of_a_fine_grid_is_near_the_limit(mechanism, decoding):
    exact = Coordinate.of(sampled_for(mechanism, 3.0, 2, 30), decoding)
    limit = WorstCase.of_limit(limit_for(mechanism, 3.0, 2, 30), decoding)
    for name in ("gain", "variance", "error"):
        assert getattr(exact, name) == pytest.approx(getattr(limit, name), rel=5e-3)
    assert exact.bias == pytest.approx(limit.bias, abs=5e-3)


def moments(exact, level, powers):
    """Return exact central absolute moments at an input level, in fractions: the draw of the coordinate included."""
    rate = Fraction(exact.k, exact.dimensions)
    outcomes = [
        (rate * int(weight) / TOTAL, value)
        for weight, value in zip(exact.law.weights(level), exact.exact_values(), strict=True)
    ]
    outcomes.append((1 - rate, Fraction(0)))
    mean = sum(chance * value for chance, value in outcomes)
    return [sum(chance * abs(value - mean) ** m for chance, value in outcomes) for m in powers]


@pytest.mark.parametrize(("k", "dimensions"), SHAPES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_no_moment_grows_faster_than_the_scale_says_and_a_smaller_scale_would_not_do(mechanism, k, dimensions):
    exact, powers = sampled_for(mechanism, 2.0, k, dimensions, levels=5), range(3, 30)
    found = Coordinate.of(exact)
    needed = max(
        float(2 * moment / (math.factorial(m) * Fraction(found.variance))) ** (1 / (m - 2))
        for level in range(5)
        for m, moment in zip(powers, moments(exact, level, powers), strict=True)
    )
    assert needed <= found.scale * (1 + 1e-9)
    assert needed >= 0.95 * found.scale
    assert found.scale <= found.reach / 3 * (1 + 1e-9)


def test_no_value_is_farther_from_its_mean_than_the_reach_and_one_is_as_far():
    exact = sampled_for("hds", 1.0, 1, 4, levels=9)
    means = [float(exact.moments(level)[0]) for level in range(9)]
    distances = [abs(value - mean) for mean in means for value in [*exact.values, 0.0]]
    assert Coordinate.of(exact).reach == pytest.approx(max(distances))


def test_clipping_shortens_the_reach_and_adds_bias():
    law = sampled_for("laplace", 1.0, 1, 4, levels=9).law
    whole, clipped = (
        Coordinate.of(each) for each in (sampled_for("laplace", 1.0, 1, 4, levels=9), Clipped(law, 1, 4, 2))
    )
    assert clipped.reach < whole.reach / 5
    assert clipped.bias > 0.1 > whole.bias


def test_features_without_privacy_have_no_error_at_all():
    found = Coordinate.of(sampled_for("none", math.inf, 3, 3, levels=9))
    assert (found.variance, found.scale, found.reach) == (0, 0, 0)
    assert found.bias == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("mechanism", "variance"), [("piecewise", 8917), ("hds", 9337), ("multibit", 6710)])
def test_the_best_k_for_an_estimate_of_a_thousand_features_is_one(mechanism, variance):
    best = best_k(mechanism, 1.0, 1433)
    assert best.k == 1
    assert best.value == pytest.approx(variance, abs=1)
    exact = sampled_for(mechanism, 1.0, 1, 1433).worst_case_variance("unbiased")
    assert exact == pytest.approx(best.value, rel=2e-3)


def test_laplace_on_all_features_is_a_thousand_times_worse_than_on_one():
    everything = limit_for("laplace", 1.0, 1433, 1433).worst_case_variance()
    assert everything == pytest.approx(8 * 1433**2)
    assert everything > 1000 * best_k("laplace", 1.0, 1433).value


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("purpose", ["estimate", "as in the paper"])
def test_no_other_k_is_better_for_its_purpose(mechanism, purpose):
    best = best_k(mechanism, 12.0, 10, purpose)
    for k in range(1, 11):
        limit = limit_for(mechanism, 12.0, k, 10)
        value = limit.worst_case_variance("unbiased") if purpose == "estimate" else limit.worst_case_mse()
        assert value >= best.value
    assert best.k > 1


def test_an_unknown_purpose_is_refused():
    with pytest.raises(ValueError, match="purpose must be one of"):
        best_k("hds", 1.0, 4, "profit")


@pytest.mark.parametrize(("epsilon", "values"), [(0.5, 2), (1, 5), (4, 40)])
def test_a_choice_has_the_variance_of_its_chances(epsilon, values):
    exact, limit = ChoiceError.exact(epsilon, values), ChoiceError.limit(epsilon, values)
    p = math.exp(epsilon) / (math.exp(epsilon) + values - 1)
    q = (1 - p) / (values - 1)
    assert exact.gain == pytest.approx(p - q, rel=1e-9)
    assert exact.own == pytest.approx(p * (1 - p) / (p - q) ** 2, rel=1e-9)
    assert exact.other == pytest.approx(q * (1 - q) / (p - q) ** 2, rel=1e-9)
    assert (limit.gain, limit.own, limit.other) == pytest.approx((exact.gain, exact.own, exact.other), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
def test_64_directions_are_within_six_percent_of_infinitely_many(epsilon):
    exact, limit = DirectionError.exact(epsilon), DirectionError.limit(epsilon)
    assert 1 < exact.variance / limit.variance < 1.065  # six percent, rounded
    thresholds = np.linspace(0, 6, 601)
    density, above = (
        np.exp(-(thresholds**2) / 2) / math.sqrt(2 * math.pi),
        np.array([math.erfc(t / math.sqrt(2)) / 2 for t in thresholds]),
    )
    gains = math.expm1(epsilon) * density / (1 + math.expm1(epsilon) * above)
    assert limit.gain == pytest.approx(gains.max(), rel=1e-4)
