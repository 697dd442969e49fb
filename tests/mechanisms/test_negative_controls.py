"""Deliberately broken mechanisms: the checks that pass the real ones must reject each of these."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from privge import Campaign
from privge.errors import InvalidCampaign, PrivacyViolation
from privge.mechanisms import Sampled, SquareWave, law_for
from privge.mechanisms.square_wave import half_width
from privge.testing.table import (
    TOTAL,
    Table,
    assert_linear_mean,
    assert_private,
    assert_rows_are_distributions,
    exp_below,
)

PRIVATE = ("hds", "piecewise", "multibit", "laplace", "choice")
EPSILONS = (0.01, 0.1, 1, 3, 5)


def float_table(mechanism, inputs, bits=9):
    """Enumerate a float mechanism over a small generator: count each double it can produce."""
    grid = np.arange(2**bits) / 2**bits
    eta, u = (axis.ravel() for axis in np.meshgrid(grid, grid))
    counts = [Counter(mechanism(x, eta, u).tolist()) for x in inputs]
    outputs = sorted(set().union(*counts))
    rows = np.array([[count[output] for output in outputs] for count in counts])
    return Table(rows, [Fraction(output) for output in outputs])


def float_square_wave(epsilon):
    b, e = half_width(epsilon), math.exp(epsilon)

    def draw(x, eta, u):
        outside = np.where(2 * u < x + 1, 2 * u - 1 - b, 2 * u - 1 + b)
        return np.where(eta < b * e / (b * e + 1), x - b + 2 * b * u, outside)

    return draw


def overwriting_square_wave(epsilon):
    """The research code's defect: ``x`` is overwritten before the later branches read it."""
    b, e = half_width(epsilon), math.exp(epsilon)

    def draw(x, eta, u):
        left, middle = (x + 1) / (2 * b * e + 2), 2 * b * e / (2 * b * e + 2)
        x = u * (x + 1) - b - 1
        output = np.where(eta < left, x, np.nan)
        x = u * 2 * b + x - b
        output = np.where((eta >= left) & (eta < left + middle), x, output)
        x = u * (1 - x) + x + b
        return np.where(eta >= left + middle, x, output)

    return draw


def binned(table, bins):
    """Bin the doubles, so that only gross errors of the law remain visible."""
    values = np.array([float(value) for value in table.values])
    edges = np.linspace(values.min(), values.max(), bins + 1)[1:-1]
    place = np.searchsorted(edges, values)
    rows = np.array([np.bincount(place, weights=row, minlength=bins).astype(np.int64) for row in table.rows])
    centres = [Fraction(float(values[place == b].mean())) for b in range(bins)]
    return Table(rows, centres)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_float_square_wave_is_rejected(epsilon):
    with pytest.raises(AssertionError, match="gives its input away"):
        assert_private(float_table(float_square_wave(epsilon), (-0.7, 0.3)), epsilon)


@pytest.mark.parametrize(("epsilon", "share"), [(0.1, 0.57), (0.5, 0.74)])
def test_most_doubles_of_a_float_square_wave_are_impossible_from_another_input(epsilon, share):
    """With all 53 bits: invert the other input's window exactly, over the few uniforms that could hit."""
    b, mine, other = half_width(epsilon), 0.3, -0.7
    outputs = mine - b + 2 * b * np.random.default_rng(0).random(40_000)
    outputs = outputs[outputs <= other + b]  # in both windows: real arithmetic would say "possible from both"
    nearest = np.rint((outputs - other + b) / (2 * b) * 2**53)
    possible = np.zeros(outputs.size, dtype=bool)
    for step in range(-64, 65):
        possible |= other - b + 2 * b * ((nearest + step) / 2**53) == outputs
    # The share is a mean of over 10,000 coin flips: four standard deviations are below 0.02.
    assert 1 - possible.mean() == pytest.approx(share, abs=0.02)


def test_overwritten_input_is_rejected_even_after_binning():
    inputs = np.linspace(-1, 1, 5)
    table = binned(float_table(overwriting_square_wave(1.0), inputs), 12)
    with pytest.raises(AssertionError, match=r"exceeds|gives its input away"):
        assert_private(table, 1.0)
    with pytest.raises(AssertionError, match="mean"):
        assert_linear_mean(table, tolerance=0.05)


def test_binned_float_square_wave_passes_so_the_overwriting_one_failed_for_its_defect():
    # Binning hides the float leak; what is left is the law, up to the 9-bit generator (2 %).
    table = binned(float_table(float_square_wave(1.0), np.linspace(-1, 1, 5)), 12)
    assert_linear_mean(table, tolerance=0.05)
    assert_private(table, 1.0 * 1.25)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", PRIVATE)
def test_a_budget_of_1_2_epsilon_is_rejected(name, epsilon):
    law = law_for(name, 1.2 * epsilon, levels=33)
    with pytest.raises(AssertionError, match="exceeds"):
        assert_private(Table.of(law), epsilon)
    with pytest.raises(PrivacyViolation):
        Sampled(law, 1, 1).check(epsilon)


@pytest.mark.parametrize("name", PRIVATE)
def test_forgetting_to_divide_by_k_is_rejected(name):
    law = law_for(name, 1.0, levels=33)
    with pytest.raises(AssertionError, match="exceeds"):
        assert_private(Table.of(law), 1.0, uses=5)
    with pytest.raises(PrivacyViolation):
        Sampled(law, 5, 10).check(1.0)
    with pytest.raises(InvalidCampaign, match="law"):
        Campaign(dimensions=10, low=0, high=1, mechanism=name, epsilon=1.0, k=5, law=law)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_weights_rounded_up_are_rejected(epsilon):
    law = law_for("hds", epsilon, levels=33)
    high = math.ceil(law.low * exp_below(Fraction(epsilon))) + 1
    rows = np.array([law.weights(level) for level in range(33)])
    for level in range(33):
        rows[level, level : level + law.window] += high - law.high
        middle = law.outputs // 2
        rows[level, middle] -= rows[level].sum() - TOTAL
    with pytest.raises(AssertionError):
        assert_private(Table(rows, law.exact_values()), epsilon)
    with pytest.raises(PrivacyViolation):  # a ratio at least as large, in a law that leaves itself enough spare
        Sampled(SquareWave(33, law.window, high - 2 * 33, law.low - 2 * 33), 1, 1).check(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_weights_rounded_to_nearest_miss_the_total_or_the_bound(epsilon):
    # Rounding each probability by itself: on some grid a row misses 2**53 or a ratio misses e^epsilon.
    failures = 0
    for levels in range(9, 41):
        law = law_for("hds", epsilon, levels=levels)
        ratio, steps = math.exp(epsilon), levels - 1
        low = round(TOTAL / (law.window * ratio + steps))
        high = round(ratio * TOTAL / (law.window * ratio + steps))
        rows = np.full((levels, law.outputs), low)
        for level in range(levels):
            rows[level, level : level + law.window] = high
        table = Table(rows, law.exact_values())
        try:
            assert_rows_are_distributions(table)
            assert_private(table, epsilon)
        except AssertionError:
            failures += 1
    assert failures > 0


def codes_with_bounds_from(data, low, high, words):
    law = law_for("hds", 1.0, levels=33)
    return law.codes(law.level(2 * (data - low) / (high - low) - 1), words)


def assert_independent_of_others(perturb):
    """A person's code must not change when only other people's data changes."""
    words = np.random.default_rng(3).integers(0, TOTAL, 40)
    mine = np.full(40, 0.4)
    calm, wild = (np.concatenate([mine, others]) for others in (np.full(40, 0.5), np.linspace(0, 1, 40)))
    both = np.concatenate([words, words])
    assert (perturb(calm, both)[:40] == perturb(wild, both)[:40]).all(), "others' data shows in my report"


def test_bounds_from_the_data_are_rejected_and_public_bounds_pass():
    assert_independent_of_others(lambda data, words: codes_with_bounds_from(data, 0.0, 1.0, words))
    with pytest.raises(AssertionError, match="others' data"):
        assert_independent_of_others(lambda data, words: codes_with_bounds_from(data, data.min(), data.max(), words))


def test_no_privacy_is_rejected():
    with pytest.raises(AssertionError, match="gives its input away"):
        assert_private(Table.of(law_for("none", math.inf, levels=5)), 20)
