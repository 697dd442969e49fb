"""Both inequalities are compared with exact tails of binomial sums; a bound that forgets how large a term is fails."""

import numpy as np
import pytest
from scipy.stats import binom

from privge.analysis import bennett, bernstein

CASES = [(people, rate) for people in (10, 300, 5000) for rate in (0.001, 0.01, 0.2, 0.5)]
CHANCES = (0.3, 0.05, 1e-3, 1e-9)


def tail(people, rate, bound):
    """Return the exact chance that a centred binomial sum is larger than a bound, on either side."""
    mean = people * rate
    return binom.sf(np.floor(mean + bound), people, rate) + binom.cdf(np.ceil(mean - bound) - 1, people, rate)


@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize(("people", "rate"), CASES)
def test_the_sum_is_larger_no_more_often_than_stated(people, rate, chance):
    variance, reach = people * rate * (1 - rate), max(rate, 1 - rate)
    for bound in (bernstein(variance, reach / 3, chance), bennett(variance, reach, chance)):
        assert tail(people, rate, float(bound)) <= chance


def test_a_bound_that_forgets_how_large_a_term_is_fails():
    failed = [
        (people, rate, chance)
        for people, rate in CASES
        for chance in CHANCES
        if tail(people, rate, float(bernstein(people * rate * (1 - rate), 0.0, chance))) > chance
    ]
    assert (300, 0.001, 1e-3) in failed
    assert (300, 0.5, 1e-3) not in failed


@pytest.mark.parametrize("chance", CHANCES)
def test_bennett_is_never_larger_than_bernstein_and_solves_its_equation(chance):
    variance, reach = np.meshgrid(np.geomspace(1e-9, 1e9, 13), np.geomspace(1e-3, 1e3, 7))
    bound = bennett(variance, reach, chance)
    assert (bound <= bernstein(variance, reach / 3, chance) * (1 + 1e-9)).all()
    u = bound * reach / variance
    # The left side cancels for small u; its absolute error is a few roundings of u.
    left, right = (1 + u) * np.log1p(u) - u, np.log(2 / chance) * reach**2 / variance
    assert (np.abs(left - right) <= 1e-9 * right + 1e-15 * u).all()


def test_a_sum_that_cannot_vary_does_not_stray():
    assert bennett(0.0, 1.0, 0.05) == 0
    assert bernstein(0.0, 0.0, 0.05) == 0


@pytest.mark.parametrize("chance", [0, 1, -0.1, float("nan")])
def test_a_chance_that_is_none_is_refused(chance):
    with pytest.raises(ValueError, match="chance must lie between 0 and 1"):
        bernstein(1.0, 1.0, chance)
