"""Clipping at decoding: what it does is stated exactly, and nothing else changes."""

import math

import numpy as np
import pytest

from privge.mechanisms import LAWS, Clipped, Sampled, law_for
from privge.random import NotPrivateSeededSource

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("bound", [1, 1.7, 4.0])
def test_mean_and_variance_are_those_of_the_clipped_values(name, bound):
    law = law_for(name, 1.5, 2, 65)
    clipped = Clipped(law, 2, 8, bound)
    factor = 4 if law.rescaled else 1
    values = np.clip(np.array([float(value) for value in law.exact_values()]), -bound, bound) * factor
    assert clipped.values == pytest.approx(values, rel=1e-12)
    for level in (0, 20, 32, 64):
        weights = law.weights(level) / 2**53
        mean, second = weights @ values / 4, weights @ values**2 / 4  # one coordinate in four is sampled
        x = clipped.inputs[level]
        assert clipped.mean(x) == pytest.approx(mean, abs=1e-12)
        assert clipped.variance(x) == pytest.approx(second - mean**2, rel=1e-9)
        assert clipped.bias(x) == pytest.approx(mean - x, abs=1e-12)


@pytest.mark.parametrize("name", PRIVATE)
def test_a_bound_beyond_every_value_changes_nothing(name):
    law = law_for(name, 1.0, 1, 65)
    plain, clipped = Sampled(law, 1, 3), Clipped(law, 1, 3, 1e6)
    assert clipped.exact_values() == plain.exact_values()
    assert [clipped.moments(level) for level in (0, 7, 64)] == [plain.moments(level) for level in (0, 7, 64)]
    assert clipped.gain == plain.gain
    assert clipped.realised_epsilon == plain.realised_epsilon


def test_laplace_at_one_clipped_at_four_is_biased_as_the_formula_says():
    """At x = 1 the tails beyond 4 and -4 are cut; in the limit each costs scale * exp(-distance / scale) / 2."""
    scale = 2.0  # range 2 over epsilon 1
    expected = -(scale / 2) * (math.exp(-3 / scale) - math.exp(-5 / scale))
    clipped = Clipped(law_for("laplace", 1.0), 1, 1, 4)
    assert clipped.bias(1.0) == pytest.approx(expected, rel=0.01)
    assert clipped.bias(0.0) == pytest.approx(0, abs=1e-12)
    assert clipped.bias(-1.0) == pytest.approx(-expected, rel=0.01)
    assert clipped.bias([-1.0, 0.0, 1.0], "unbiased") == pytest.approx([0, 0, 0], abs=1e-12)


def test_the_mean_is_met_by_draws():
    law, n = law_for("laplace", 1.0), 200_000
    clipped = Clipped(law, 1, 1, 3)
    drawn = clipped.decode(clipped.sample(np.full(n, law.levels - 1), NotPrivateSeededSource(0)))
    error = math.sqrt(clipped.variance(1.0) / n)
    assert abs(drawn.mean() - clipped.mean(1.0)) < 6 * error
    assert abs(drawn.mean() - Sampled(law, 1, 1).mean(1.0)) > 6 * error  # it can tell them apart
    assert np.abs(drawn).max() == 3


@pytest.mark.parametrize("bound", [0.99, 0, -1, math.nan, math.inf, True])
def test_a_bound_below_what_an_input_can_be_is_refused(bound):
    with pytest.raises(ValueError, match="clip must be"):
        Clipped(law_for("laplace", 1.0), 1, 1, bound)
