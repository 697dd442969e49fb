"""The paper's formulas, corrected, and the facts about them that are already known."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from privge.mechanisms import LAWS, Laplace, MultiBit, Piecewise, Sampled, SquareWave, law_for
from privge.mechanisms.square_wave import half_width

PRIVATE = ("hds", "piecewise", "multibit", "laplace")


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1, 3])
@pytest.mark.parametrize("name", PRIVATE)
def test_exact_law_approaches_its_continuous_limit(name, epsilon):
    limit = LAWS[name].continuous_limit(epsilon)
    x = np.array([0.0, 0.5, 1.0])
    errors = []
    for levels in (65, 4097):
        law = law_for(name, epsilon, levels=levels)
        variance = np.abs(law.variance(x) / limit.variance(x) - 1).max()
        errors.append(max(variance, abs(float(law.gain) / limit.gain - 1)))
    # A window is a whole number of outputs, so its width is off by up to half a step of 2 / 4096; gain and
    # variance follow with a factor of order 1 over the width, which is above 0.12 up to epsilon 3.
    assert errors[-1] < 4 / 4096 / 0.12
    assert errors[-1] <= max(errors[0], 1e-3)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_square_wave_limit_equals_integration_of_its_density(epsilon):
    b, e = half_width(epsilon), math.exp(epsilon)
    limit = SquareWave.continuous_limit(epsilon)
    for x in (-0.6, 0.0, 1.0):

        def density(t, x=x):
            return (e if abs(t - x) <= b else 1) / (2 * b * e + 2)

        def moment(n, x=x):
            return quad(lambda t: t**n * density(t), -1 - b, 1 + b, points=[x - b, x + b])[0]

        assert moment(0) == pytest.approx(1, rel=1e-9)
        assert moment(1) == pytest.approx(limit.gain * x, abs=1e-9)
        assert moment(2) - moment(1) ** 2 == pytest.approx(float(limit.variance(x)), rel=1e-8)


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
def test_the_lemmas_constant_is_right_only_with_d_outside_the_bracket(epsilon):
    k, d = 5, 100
    b, e = half_width(epsilon / k), math.exp(epsilon / k)
    corrected, printed = k * b * (e - 1) / (d * (b * e + 1)), k * b * (e - 1) / (d * b * e + 1)
    exact = float(Sampled(law_for("hds", epsilon, k, 4097), k, d).gain)
    assert exact == pytest.approx(corrected, rel=2e-3)
    assert abs(printed / exact - 1) > 0.3
    limit = SquareWave.continuous_limit(epsilon / k).sampled(k, d, rescaled=False)
    lemma = k * (b**3 * e + 3 * b**2 + 3 * b + 1) / (3 * d * (b * e + 1)) + (corrected - corrected**2) * 0.25
    assert float(limit.variance(0.5)) == pytest.approx(lemma, rel=1e-9)


@pytest.mark.parametrize(("k", "d", "epsilon"), [(1, 500, 1.0), (5, 500, 3.0)])
def test_high_dimensional_variances_are_those_of_the_paper(k, d, epsilon):
    x, share = 0.5, epsilon / k
    half, whole = math.exp(share / 2), math.exp(share)
    piecewise = d * (half + 3) / (3 * k * (half - 1) ** 2) + (d * half / (k * (half - 1)) - 1) * x**2
    multibit = d / k * ((whole + 1) / (whole - 1)) ** 2 - x**2
    for mechanism, expected in ((Piecewise, piecewise), (MultiBit, multibit)):
        limit = mechanism.continuous_limit(share).sampled(k, d, rescaled=True)
        assert float(limit.variance(x)) == pytest.approx(expected, rel=1e-9)
    everything = Laplace.continuous_limit(epsilon / d).sampled(d, d, rescaled=True)
    assert float(everything.variance(x)) == pytest.approx(8 * d**2 / epsilon**2, rel=1e-12)


def test_half_width_is_stable_and_falls_from_one_to_zero():
    epsilons = np.logspace(-9, math.log10(700), 200)
    widths = [half_width(epsilon) for epsilon in epsilons]
    assert all(0 < later < earlier <= 1 for earlier, later in pairwise(widths[20:]))
    assert half_width(1e-9) == pytest.approx(1, abs=1e-9)
    assert half_width(0.5 - 1e-12) == pytest.approx(half_width(0.5), rel=1e-11)
    for epsilon in (1, 2, 5):
        e = math.exp(epsilon)
        assert half_width(epsilon) == pytest.approx((epsilon * e - e + 1) / (e * (e - epsilon - 1)), rel=1e-12)


def crossing(f, low, high):
    return brentq(f, low, high, xtol=1e-10)


def worst_variance(mechanism, decoding="raw"):
    return lambda epsilon: mechanism.continuous_limit(epsilon).worst_case_variance(decoding)


def worst_mse(mechanism):
    return lambda epsilon: mechanism.continuous_limit(epsilon).worst_case_mse()


@pytest.mark.parametrize(
    ("measure", "rival", "expected"),
    [
        (worst_variance, Piecewise, 3.68),
        (worst_variance, Laplace, 6.73),
        (worst_mse, Piecewise, 3.18),
        (worst_mse, Laplace, 5.98),
    ],
)
def test_square_wave_crosses_its_rivals_where_it_is_known_to(measure, rival, expected):
    wave, other = measure(SquareWave), measure(rival)
    assert crossing(lambda e: wave(e) - other(e), 2, 8) == pytest.approx(expected, abs=0.005)


def test_biased_square_wave_always_varies_less_than_multi_bit():
    wave, bits = worst_variance(SquareWave), worst_variance(MultiBit)
    assert all(wave(epsilon) < bits(epsilon) for epsilon in np.linspace(0.01, 50, 500))


def test_debiased_square_wave_never_beats_piecewise_and_crosses_the_others():
    wave = worst_variance(SquareWave, "unbiased")
    piecewise, bits, laplace = (worst_variance(m) for m in (Piecewise, MultiBit, Laplace))
    assert all(wave(epsilon) > piecewise(epsilon) for epsilon in np.linspace(0.01, 30, 300))
    assert crossing(lambda e: wave(e) - bits(e), 0.5, 3) == pytest.approx(1.59, abs=0.005)
    assert crossing(lambda e: wave(e) - laplace(e), 3, 6) == pytest.approx(4.17, abs=0.005)


def test_piecewise_overtakes_multi_bit_and_always_beats_laplace():
    piecewise, bits, laplace = (worst_variance(m) for m in (Piecewise, MultiBit, Laplace))
    assert crossing(lambda e: piecewise(e) - bits(e), 0.5, 3) == pytest.approx(1.29, abs=0.005)
    assert all(piecewise(epsilon) < laplace(epsilon) for epsilon in np.linspace(0.01, 50, 500))


def test_the_exact_laws_of_a_campaign_cross_where_their_limits_do():
    def gap(epsilon):
        wave, piecewise = (law_for(name, epsilon, levels=1025) for name in ("hds", "piecewise"))
        return wave.worst_case_variance() - piecewise.worst_case_variance()

    assert gap(3.58) < 0 < gap(3.78)
