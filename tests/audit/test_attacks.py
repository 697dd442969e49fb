"""The attack on shipped samplers: never above what is proven, near it, and above it for every broken sampler."""

import numpy as np
import pytest
from scipy.stats import beta

from contract import broken_laws
from mechanisms.test_negative_controls import codes_with_bounds_from, float_square_wave, overwriting_square_wave
from mechanisms.test_same_work import BranchingSquareWave, RememberingLaplace
from privge.audit import attack, claim_of, claim_of_mechanism, prove, reachability
from privge.audit.attack import ALPHA, attack_law, lower_bound, measured_loss
from privge.audit.claim import Claim, ClaimedQuestion
from privge.audit.proof import prove_law
from privge.campaign import Campaign
from privge.mechanisms import LAWS, SquareWave, law_for
from privge.questions import Direction, Encoding
from privge.questions.features import NumberFeature
from privge.random import TOTAL, NotPrivateSeededSource

PRIVATE = [name for name, law in LAWS.items() if law.fixed_epsilon is None]


def claimed(law, epsilon, k=1):
    asked = (ClaimedQuestion("a feature", (law,)),)
    return Claim("a law", epsilon, k, k, asked, alike=True, kind="table", document={})


def violations(law, epsilon, k=1, draws=100_000):
    proof = prove(claimed(law, epsilon, k))
    seen = [] if any(each.problems for each in proof.questions[0].laws) else attack(proof, draws=draws)
    return proof.violations + [problem for each in seen for problem in each.violations]


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("k", [1, 3])
def test_the_bound_of_a_shipped_sampler_is_below_what_is_proven_and_near_it(name, k):
    proof = prove(claim_of_mechanism(name, 1.0, k, 500, levels=4 if name == "choice" else 33))
    (seen,) = attack(proof)
    assert seen.draws >= 1_000_000
    assert 0.8 < seen.lower <= proof.realised_epsilon
    assert seen.violations == []


def test_directions_are_attacked_too():
    campaign = Campaign(questions=[Direction(Encoding([NumberFeature("age", low=0, high=9)]))], epsilon=1.0)
    proof = prove(claim_of(campaign))
    (seen,) = attack(proof, draws=200_000)
    assert 0.8 < seen.lower <= proof.realised_epsilon
    assert seen.violations == []


def test_the_limits_are_those_of_clopper_and_pearson():
    low, high = beta.ppf(0.005, 60, 41), beta.ppf(0.995, 21, 80)
    assert lower_bound(60, 20, 100, 0.01) == pytest.approx(np.log(low / high), rel=1e-9)
    assert lower_bound(0, 0, 100, 0.01) == 0.0
    assert lower_bound(100, 0, 100, ALPHA) > 1.0


class Generous(SquareWave):
    """The defect: its compiled sampler draws for twice the budget."""

    def _codes(self, levels, words):
        return law_for("hds", 2.0, levels=self.levels)._codes(levels, words) % self.outputs


def test_a_sampler_that_draws_for_twice_the_budget_is_caught_by_its_draws():
    honest = law_for("hds", 1.0, levels=33)
    law = Generous(**honest.parameters())
    seen = attack_law("x", law, prove_law(honest), 1, draws=200_000, source=NotPrivateSeededSource(0))
    assert seen.fit < ALPHA
    assert not seen.device_agrees
    assert seen.violations


BROKEN = ["Greedy", "Modest", "Short", "Certain", "Skewed", "Branching", "Sampling", "Forgetful", "Mutable"]


def test_every_broken_law_of_the_contract_is_here():
    kinds = [
        kind
        for kind in vars(broken_laws).values()
        if isinstance(kind, type) and kind.__module__ == broken_laws.__name__
    ]
    assert sorted(kind.__name__ for kind in kinds) == sorted([*BROKEN, "Response"])


@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_law_of_the_contract_is_caught(name):
    kind = getattr(broken_laws, name)
    law = kind(4, broken_laws.Response.for_epsilon(1.0, 4).truth) if name == "Mutable" else kind.for_epsilon(1.0, 4)
    assert violations(law, 1.0)


def test_the_honest_law_that_they_are_made_of_is_not():
    assert violations(broken_laws.Response.for_epsilon(1.0, 4), 1.0) == []


@pytest.mark.parametrize("kind", [BranchingSquareWave, RememberingLaplace])
def test_samplers_that_can_be_timed_are_caught(kind):
    assert violations(kind.for_epsilon(1.0, 33), 1.0)


def as_draw(mechanism):
    return lambda x, uniforms: mechanism(x, uniforms[:, 0], uniforms[:, 1])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_a_float_square_wave_gives_its_input_away_with_all_53_bits(epsilon):
    found = reachability(
        as_draw(float_square_wave(epsilon)), 0.3, -0.7, uniforms=2, outputs=6000 if epsilon > 2 else 1000
    )
    assert found.missed == 0
    assert found.lower > epsilon  # and it grows with the draws, without end


def test_the_overwriting_square_wave_gives_its_input_away_too():
    found = reachability(as_draw(overwriting_square_wave(1.0)), 0.3, -0.7, uniforms=2, outputs=300)
    assert found.lower > 1.0


def test_a_float_laplace_gives_its_input_away():
    def laplace(x, uniforms):
        u = uniforms[:, 0] - 0.5
        with np.errstate(divide="ignore"):
            return x - np.sign(u) * 2.0 * np.log1p(-2 * np.abs(u))

    assert reachability(laplace, 0.3, -0.7, uniforms=1, outputs=500).lower > 3.0


def test_integer_code_gives_nothing_away():
    law = law_for("hds", 1.0, levels=33)

    words = np.linspace(0, TOTAL - 1, law.outputs * 64).astype(np.int64)

    def draw(x, uniforms):
        ordered = np.sort(law.codes(np.full(words.size, law.level(x)), words))  # monotone, as the search asks
        return ordered[(uniforms[:, 1] * words.size).astype(np.int64)].astype(np.float64)

    found = reachability(draw, 0.3, -0.7, uniforms=2, outputs=300)
    assert (found.impossible, found.lower) == (0, 0.0)


@pytest.mark.parametrize("bounds", ["public", "private"])
def test_bounds_from_the_data_are_caught_by_what_others_send(bounds):
    """My value moves the bounds, and so everybody's codes: far more than my epsilon of 1."""
    words = np.random.default_rng(3).integers(0, TOTAL, (2, 4000, 40))
    sums = []
    for mine, drawn in zip((0.0, 1.0), words, strict=True):
        data = np.concatenate([[mine], np.full(39, 0.5)])
        low, high = (0.0, 1.0) if bounds == "public" else (data.min(), data.max())
        sums.append([codes_with_bounds_from(data, low, high, each)[1:].sum(dtype=float) for each in drawn])
    loss = measured_loss(np.array(sums[0]), np.array(sums[1]))
    assert loss > 1.0 if bounds == "private" else loss == 0.0


@pytest.mark.parametrize("name", PRIVATE)
def test_budgets_that_are_not_divided_and_budgets_of_1_2_epsilon_are_caught(name):
    assert any("spends" in each for each in violations(law_for(name, 1.2, levels=17), 1.0))
    assert any("spends" in each for each in violations(law_for(name, 1.0, levels=17), 1.0, k=5))
