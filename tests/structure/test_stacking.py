"""Who is predicted by whom, watched with a head that remembers every row that it has seen."""

from dataclasses import dataclass

import numpy as np
import pytest

from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.heads import Examples, Logistic, Network
from privge.structure.mixture import mixture_weights
from privge.structure.order import folds_of
from privge.structure.stacking import Stack, standardise


@dataclass(frozen=True)
class Memory:
    """Says class 1 of the rows that it was fitted to, class 0 of all others. The first feature is the row's number."""

    def fit(self, train, *_):
        return Remembered(frozenset(train.features[:, 0].tolist()))


@dataclass(frozen=True)
class Remembered:
    rows: frozenset

    def probabilities(self, features):
        seen = np.array([row in self.rows for row in features[:, 0].tolist()], dtype=float)
        return np.column_stack([1 - seen, seen])

    def settled(self):
        return Memory()


@pytest.fixture
def stack():
    numbers = np.arange(100, dtype=np.float32)[:, None]
    train, validation = np.arange(60), np.arange(60, 80)
    return Stack(numbers, np.arange(100) % 2, train, validation, folds_of(60, 4, seed=0), 2)


def test_nobody_is_predicted_by_a_model_that_saw_them(stack):
    steps = []
    for predicted in stack.predictions([Memory(), Memory()], 0, lambda: steps.append(1)):
        assert predicted[:, 1].max() == 0
        assert np.allclose(predicted.sum(axis=1), 1)
    assert len(steps) == 2 * (1 + 4)


def test_one_fold_that_is_not_left_out_would_be_noticed(stack):
    fitted = Memory().fit(stack.examples(stack.train), None, 2, 0)
    assert fitted.probabilities(stack.features[stack.train])[:, 1].min() == 1


def test_folds_are_even():
    assert np.bincount(folds_of(83, 4, seed=1)).tolist() == [21, 21, 21, 20]


def test_columns_are_standardised_and_constant_ones_become_zero(generator):
    made = standardise(np.column_stack([generator.normal(5, 3, 500), np.full(500, 7.0)]).astype(np.float32))
    assert np.allclose(made.mean(axis=0), 0, atol=1e-5)
    assert np.allclose(made.std(axis=0), [1, 0], atol=1e-5)


def test_a_mixture_finds_the_shares_from_which_it_was_drawn(generator):
    """Three predictors, of which each is right about its share of 20,000 rows; the standard error is about 0.005."""
    shares = np.array([0.6, 0.3, 0.1])
    right = generator.choice(3, 20_000, p=shares)
    chances = np.where(right[:, None] == np.arange(3), 0.9, 0.1)
    expected = (1.1 * shares - 0.1) / 0.8  # where the likelihood of 0.1 + 0.8 weight is largest
    assert np.abs(mixture_weights(chances) - expected).max() < 0.02


def test_a_predictor_that_is_never_right_counts_next_to_nothing(generator):
    chances = np.column_stack([generator.uniform(0.5, 1, 1000), np.zeros(1000)])
    assert mixture_weights(chances)[1] < 0.002


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_was_applied_is_found(generator, temperature):
    """Of 20,000 rows whose classes are drawn from known probabilities; the standard error is about 0.01."""
    true = generator.dirichlet([1, 1, 1], 20_000)
    targets = (generator.random((20_000, 1)) > true.cumsum(axis=1)).sum(axis=1)
    distorted = at_temperature(true, 1 / temperature)
    assert best_temperature(distorted, targets) == pytest.approx(temperature, rel=0.05)


@pytest.mark.parametrize("head", [Logistic(), Network(epochs=20)])
def test_a_head_learns_and_knows_classes_that_it_did_not_see(generator, head):
    features = generator.normal(size=(400, 3)).astype(np.float32)
    targets = 2 * (features[:, 0] > 0).astype(np.int64)
    train, validation = Examples(features[:300], targets[:300]), Examples(features[300:], targets[300:])
    fitted = head.fit(train, validation, 3, 0)
    chances = fitted.probabilities(validation.features)
    assert chances.shape == (100, 3)
    assert chances[:, 1].max() == 0
    again = fitted.settled().fit(train, validation, 3, 0).probabilities(validation.features)
    for found in (chances, again):
        assert (found.argmax(axis=1) == validation.targets).mean() > 0.9


@pytest.mark.parametrize("head", [Logistic(()), Network(epochs=0)])
def test_a_head_without_a_choice_is_refused(head):
    nothing = Examples(np.zeros((4, 1), dtype=np.float32), np.array([0, 1, 0, 1]))
    with pytest.raises(ValueError, match="needs at least one"):
        head.fit(nothing, nothing, 2, 0)
