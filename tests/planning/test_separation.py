"""How far classes lie apart, from clean rows and from noisy ones."""

import numpy as np

from privge.planning.separation import Separation


def rows(distance, people, noise, seed):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, people)
    clean = np.zeros((people, 5))
    clean[:, 0] = distance * labels
    return clean + noise * generator.standard_normal(clean.shape), labels


def test_it_is_right_on_the_average_whatever_the_noise():
    for noise in (0.5, 3.0):
        found = [Separation.of(*rows(1.0, 300, noise, seed)) for seed in range(60)]
        energies = np.array([each.energy for each in found])
        error = energies.std(ddof=1) / len(energies) ** 0.5
        assert abs(energies.mean() - 1) < 4 * error
        assert 0.5 < np.mean([each.error for each in found]) / energies.std(ddof=1) < 2


def test_without_a_difference_it_is_about_nothing():
    energies = [Separation.of(*rows(0.0, 200, 1.0, seed)).energy for seed in range(60)]
    assert abs(np.mean(energies)) < 4 * np.std(energies, ddof=1) / 60**0.5


def test_columns_that_differ_are_named():
    assert Separation.of(*rows(2.0, 400, 1.0, 0)).energies.argmax() == 0
