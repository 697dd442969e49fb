"""What the law cannot explain: nobody honest is accused, crude liars are counted, and never more than there are."""

import numpy as np
import pytest
from scipy.stats import binom

from privge.collect.plausibility import ALPHA, Unexplained, least_false
from privge.mechanisms import LAWS, law_for
from privge.random import NotPrivateSeededSource

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]
REPORTS, K = 2000, 2


def counted(law, codes):
    return np.bincount(codes.ravel(), minlength=law.outputs)


def honest(law, levels, seed, reports=REPORTS):
    return law.sample(np.broadcast_to(levels, (reports, K)), NotPrivateSeededSource(seed))


@pytest.mark.parametrize("name", [*PRIVATE, "structure"])
@pytest.mark.parametrize("people", ["low", "high", "middle", "even", "extreme"])
def test_an_honest_store_is_not_accused_whatever_the_values(name, people):
    law = law_for(name, 1.0 if name in PRIVATE else 0.0, K, 129)
    choose = np.random.default_rng(0)
    for seed in range(5):
        levels = {
            "low": 0,
            "high": 128,
            "middle": 64,
            "even": choose.integers(0, 129, (REPORTS, K)),
            "extreme": choose.choice([0, 128], (REPORTS, K)),
        }[people]
        assert least_false(law, K, counted(law, honest(law, levels, seed))) == 0


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("liars", [1, 40, 400, 2000])
@pytest.mark.parametrize("way", ["last", "random", "imitation"])
def test_no_more_liars_are_counted_than_there_are(name, liars, way):
    law = law_for(name, 1.0, K, 129)
    codes = honest(law, 100, seed=liars)
    codes[:liars] = {
        "last": law.outputs - 1,
        "random": np.random.default_rng(liars).integers(0, law.outputs, (liars, K)),
        "imitation": honest(law, 128, 7, liars),
    }[way]
    found = least_false(law, K, counted(law, codes))
    assert found <= liars
    if way == "imitation":
        assert found == 0


@pytest.mark.parametrize(("name", "seen"), [("laplace", 0.95), ("hds", 0.85), ("piecewise", 0.85), ("multibit", 0.0)])
def test_crude_liars_are_seen_as_far_as_the_law_lets_them_be(name, seen):
    law = law_for(name, 1.0, K, 129)
    codes = honest(law, 64, seed=3)
    codes[:200] = law.outputs - 1
    assert 200 * seen <= least_false(law, K, counted(law, codes))


def test_the_count_is_the_one_that_the_binomial_law_gives():
    """Two outputs: the only sets are the two codes, each with a probability between 1/4 and 3/4."""
    law = LAWS["multibit"].for_epsilon(np.log(3), 3)
    counts = np.array([100, 900])
    level, chance = ALPHA / 4, law.weights(2)[1] / 2**53
    expected = next(m for m in range(1000) if binom.sf(899 - m, 1000 - m, chance) >= level)
    assert least_false(law, 1, counts) == expected > 0


def test_noise_of_another_width_is_accused():
    """Negative control: twice the noise is not what this law gives."""
    law = law_for("laplace", 2.0, 1, 65)
    codes = law.sample(np.full((REPORTS, 1), 32), NotPrivateSeededSource(0)).astype(np.int64)
    middle = law.outputs // 2
    wider = np.clip(middle + 2 * (codes - middle), 0, law.outputs - 1)
    assert least_false(law, 1, counted(law, codes)) == 0
    assert least_false(law, 1, counted(law, wider)) > 0


def test_nothing_is_said_of_nothing():
    law = law_for("hds", 1.0)
    assert least_false(law, 1, np.zeros(law.outputs, dtype=np.int64)) == 0
    assert Unexplained("a", 0, 0).share == 0.0
    assert Unexplained("a", 8, 2).share == 0.25
