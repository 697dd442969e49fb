"""Draws from the operating system follow the law, and the test is sharp enough to see one per cent."""

import numpy as np
import pytest
from scipy.stats import chi2

from privge.mechanisms import law_for
from privge.random import SystemSource

ALPHA = 1e-6
DRAWS = 10_000_000
CHUNK = 1_000_000


def count(draw):
    """Draw in chunks and count the codes."""
    return sum(draw(CHUNK) for _ in range(DRAWS // CHUNK))


def statistic(observed, weights):
    expected = weights / weights.sum() * DRAWS
    return float(((observed - expected) ** 2 / expected).sum())


def threshold(outputs):
    return chi2.isf(ALPHA, outputs - 1)


@pytest.fixture(params=["hds", "piecewise", "multibit", "laplace"])
def law(request):
    return law_for(request.param, 2.0, levels=5)


def test_the_source_draws_the_law(law):
    level = 3
    observed = count(lambda n: np.bincount(law.sample(np.full(n, level), SystemSource()), minlength=law.outputs))
    kept = law.weights(level) > 100 * 2**53 / DRAWS  # chi-square wants a hundred draws in a cell
    rest = [observed[~kept].sum()] if not kept.all() else []
    rest_weight = [law.weights(level)[~kept].sum()] if not kept.all() else []
    cells, weights = np.array([*observed[kept], *rest]), np.array([*law.weights(level)[kept], *rest_weight])
    assert statistic(cells, weights) < threshold(cells.size)


@pytest.mark.parametrize("shift", [0.99, 1.01])
def test_a_shift_of_one_per_cent_is_rejected(law, shift):
    level = 3
    weights = law.weights(level)
    shifted = weights.astype(float)
    shifted[: law.outputs // 2] *= shift
    cumulative = np.cumsum(shifted / shifted.sum() * 2**53)
    observed = count(
        lambda n: np.bincount(
            np.minimum(np.searchsorted(cumulative, SystemSource().words(n), side="right"), law.outputs - 1),
            minlength=law.outputs,
        )
    )
    kept = weights > 100 * 2**53 / DRAWS
    assert statistic(observed[kept], weights[kept]) > threshold(int(kept.sum()))
