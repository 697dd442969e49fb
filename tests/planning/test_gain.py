"""What a report can add: never more than the ceiling, and nothing without a budget."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import ndtr

from privge.planning import Asking, Skill
from privge.planning.gain import gain_of_evidence


def priors(people, classes, seed=0, sharpness=1.0):
    return np.random.default_rng(seed).dirichlet(np.full(classes, sharpness), people)


def best_of_all_reports(prior, epsilon):
    """The highest accuracy over every report with epsilon, by linear programming over extreme channels."""
    patterns = np.array(
        [[np.exp(epsilon) if high else 1.0 for high in one] for one in product([0, 1], repeat=len(prior))]
    )
    values = (prior * patterns).max(axis=1)
    return -linprog(-values, A_eq=patterns.T, b_eq=np.ones(len(prior))).fun


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_ceiling_is_the_best_of_all_reports_with_epsilon(classes, epsilon):
    prior = priors(5, classes, seed=classes, sharpness=2.0)
    found = Asking.of(prior, epsilon).ceiling
    best = [best_of_all_reports(one, epsilon) - one.max() for one in prior]
    np.testing.assert_allclose(found, np.maximum(best, 0), atol=1e-7)


def test_between_two_classes_the_ceiling_is_the_formula():
    prior = priors(200, 2)
    kappa = np.e**1.5 / (1 + np.e**1.5)
    np.testing.assert_allclose(Asking.of(prior, 1.5).ceiling, np.maximum(kappa - prior.max(axis=1), 0), atol=1e-9)


def test_between_two_classes_an_answer_gains_as_the_formula_says():
    prior, delta, kappa = priors(200, 2), 1.3, np.e / (1 + np.e)
    first, second = prior.max(axis=1), prior.min(axis=1)
    odds = np.log(first / second)
    right = first * ndtr((odds + delta**2 / 2) / delta) + second * ndtr((-odds + delta**2 / 2) / delta)
    expected = np.maximum(kappa * right + (1 - kappa) * (1 - right) - first, 0)
    asking = Asking.of(prior, 1.0)
    np.testing.assert_allclose(
        asking.expected(Skill.calibrated(delta)), np.where(asking.sizes > 1, expected, 0), atol=1e-6
    )


@given(
    classes=st.integers(2, 5),
    epsilon=st.floats(0.05, 6),
    gap=st.floats(0, 40),
    spread=st.floats(0.05, 8),
    echo=st.floats(-1, 2),
    seed=st.integers(0, 99),
)
def test_no_answer_gains_more_than_the_ceiling_or_less_than_nothing(classes, epsilon, gap, spread, echo, seed):
    asking = Asking.of(priors(20, classes, seed), epsilon)
    gain = asking.expected(Skill(gap, spread, echo))
    assert (gain >= 0).all()
    assert (gain <= asking.ceiling + 1e-9).all()


def test_the_ceiling_grows_with_epsilon_and_is_nothing_without_it():
    prior = priors(300, 4)
    ceilings = [Asking.of(prior, epsilon).ceiling for epsilon in (1e-9, 0.5, 1, 2, 4, 8)]
    assert ceilings[0].max() < 1e-8
    assert all((after >= before - 1e-12).all() for before, after in pairwise(ceilings))


def test_more_discriminability_gains_more_and_none_gains_nothing():
    asking = Asking.of(priors(300, 3), 2.0)
    gains = [asking.expected(Skill.calibrated(delta)).mean() for delta in (0, 0.5, 1, 2, 4, 8)]
    assert gains[0] == 0
    assert np.all(np.diff(gains) > 0)
    assert gains[-1] == pytest.approx(asking.ceiling.mean(), rel=1e-3)


def test_evidence_without_noise_of_its_own_tells_two_classes_apart():
    prior = priors(100, 2)
    assert gain_of_evidence(prior, 0.0).max() == 0
    np.testing.assert_allclose(gain_of_evidence(prior, 30.0), 1 - prior.max(axis=1), atol=1e-6)
