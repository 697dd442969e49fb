"""The law of a direction: enumerated over every set of near directions, with controls that must fail."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privge.audit.same_work import instructions
from privge.mechanisms import Nearest
from privge.mechanisms.nearest import order_moments
from privge.random import NotPrivateSeededSource
from privge.testing.table import TOTAL, Table, assert_private, assert_rows_are_distributions, worst_ratio

EPSILONS = (1e-6, 0.01, 0.5, 1, 2, 4, 20, 700)
SMALL = (2, 3, 4, 6, 9)


def table(law, weights=Nearest.weights):
    """Every row that any profile can have: one for each set of near directions."""
    sets = combinations(range(law.directions), law.near)
    return Table(np.array([weights(law, near) for near in sets]), [Fraction(0)] * law.directions)


@pytest.fixture(params=[(epsilon, count) for epsilon in EPSILONS for count in SMALL], ids=str)
def case(request):
    epsilon, directions = request.param
    return epsilon, Nearest.for_epsilon(Fraction(epsilon), directions)


def test_every_row_sums_exactly_to_the_number_of_words(case):
    assert_rows_are_distributions(table(case[1]))


def test_every_ratio_over_all_sets_of_near_directions_is_at_most_e_to_the_epsilon(case):
    epsilon, law = case
    assert_private(table(law), epsilon)
    assert law.worst_ratio == worst_ratio(table(law))
    assert law.realised_epsilon <= epsilon


def test_one_word_less_on_the_other_directions_is_too_much():
    for epsilon in (0.01, 0.5, 1, 2, 4):
        law = Nearest.for_epsilon(Fraction(epsilon), 6)
        with pytest.raises(AssertionError, match="exceeds"):
            assert_private(table(Nearest(6, law.near, law.high, law.low - 1)), epsilon)


def test_a_spare_that_follows_the_profile_is_too_much():
    law = Nearest.for_epsilon(1, 6)
    wasteful = Nearest(6, law.near, law.high - 10**9, law.low - 10**9)

    def leaning(law, near):
        row = np.full(law.directions, law.low, dtype=np.int64)
        row[list(near)] = law.high
        row[near[0]] += TOTAL - int(row.sum())
        return row

    with pytest.raises(AssertionError, match="exceeds"):
        assert_private(table(wasteful, leaning), 1)


def test_the_words_select_exactly_the_weights():
    """A law of 16 words in place of 2**53 would be enumerable; here the borders between the codes are counted."""
    law, scores = Nearest.for_epsilon(1, 5), (3, -1, 7, 7, 0)
    ranking = sorted(range(5), key=lambda j: (-scores[j], j))
    ends = np.cumsum([law.high] * law.near + [law.low] * (5 - law.near)).tolist()
    starts = [0, *ends[:-1]]
    for code, start, end in zip(ranking, starts, ends, strict=True):
        assert law.code(scores, start) == law.code(scores, end - 1) == code
    assert {law.code(scores, word) for word in (ends[-1], TOTAL - 1)} == {0}  # the spare
    assert law.weights(ranking[: law.near]).sum() == TOTAL


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.floats(0.05, 8), st.data())
def test_compiled_sampler_equals_the_plain_one(directions, epsilon, data):
    law = Nearest.for_epsilon(epsilon, directions)
    row = st.lists(st.integers(-3, 3) | st.integers(-(2**50), 2**50), min_size=directions, max_size=directions)
    scores = np.array(data.draw(st.lists(row, min_size=1, max_size=5)), dtype=np.int64)
    words = np.array(data.draw(st.lists(st.integers(0, TOTAL - 1), min_size=len(scores), max_size=len(scores))))
    plain = [law.code(mine, word) for mine, word in zip(scores.tolist(), words.tolist(), strict=True)]
    assert law.codes(scores, words).tolist() == plain


def test_a_device_does_the_same_work_for_every_profile_and_word():
    law, generator = Nearest.for_epsilon(1, 8), np.random.default_rng(0)
    profiles = [[0] * 8, list(range(8)), *generator.integers(-9, 9, (6, 8)).tolist()]
    words = [0, TOTAL // 2, TOTAL - 1, *generator.integers(0, TOTAL, 8).tolist()]
    assert len({instructions(law, mine, word) for mine in profiles for word in words}) == 1


class ComparedAtOnce(np.ndarray):
    """Scores of which none may be looked at alone: the interpreter branches at every comparison of two numbers."""

    def _alone(self, *_):
        raise AssertionError("a score was taken alone")

    __iter__ = item = tolist = _alone

    def __getitem__(self, place):
        return super().__getitem__(place) if place == (slice(None), None) else self._alone()


@pytest.mark.parametrize("word", [0, TOTAL // 2, TOTAL - 1])
def test_a_device_compares_all_scores_at_once(word):
    law = Nearest.for_epsilon(1, 8)
    for scores in ([0] * 8, list(range(8)), [3, -1, 7, 7, 0, -(2**52), 2**52, 3]):
        assert law.code(np.array(scores).view(ComparedAtOnce), word) == law.code(scores, word)


def test_comparing_scores_one_by_one_is_noticed():
    """The defect: a device took 2 % longer for 64 different scores than for 64 equal ones."""

    class OneByOne(Nearest):
        def code(self, scores, _):
            return max(sum(other > mine for other in scores) for mine in scores)

    with pytest.raises(AssertionError, match="a score was taken alone"):
        OneByOne(8, 2, 2**50, 2**49).code(np.arange(8).view(ComparedAtOnce), 0)


def test_a_sampler_that_sorts_by_branches_does_not_do_the_same_work():
    class Branching(Nearest):
        def code(self, scores, _):
            return next(j for j, mine in enumerate(scores) if mine == max(scores))

    law = Branching(8, 2, 2**50, 2**49)
    assert len({instructions(law, mine, 0) for mine in (list(range(8)), list(range(8))[::-1])}) == 2


@pytest.mark.parametrize("count", [2, 3, 64])
def test_moments_of_order_statistics_are_those_of_the_normal_law(count):
    means, seconds = order_moments(count)
    assert means == pytest.approx(-means[::-1], abs=1e-13)
    assert seconds.sum() == pytest.approx(count, rel=1e-12)
    if count == 2:
        assert means[0] == pytest.approx(1 / math.sqrt(math.pi), rel=1e-12)
    if count == 3:
        assert means[0] == pytest.approx(3 / (2 * math.sqrt(math.pi)), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
def test_near_is_the_best_number_and_the_variance_is_within_seven_percent_of_the_limit(epsilon):
    law = Nearest.for_epsilon(epsilon)
    others = [Nearest._with_near(near, law.worst_ratio, 64) for near in range(1, 64)]
    assert law.gain == pytest.approx(max(other.gain for other in others), rel=1e-9)
    share = np.exp(np.linspace(math.log(1e-4), math.log(0.5), 20_000))  # of the sphere, with infinitely many directions
    inside = share * math.exp(epsilon) / (share * math.exp(epsilon) + 1 - share)
    limit = (norm.pdf(norm.ppf(1 - share)) * (inside - share) / (share * (1 - share))).max()
    assert 1 < law.noise * limit**2 < 1.07


@pytest.mark.parametrize("epsilon", [1, 4])
def test_gain_and_both_variances_are_met_by_gaussian_directions(epsilon):
    people, law, generator = 60_000, Nearest.for_epsilon(epsilon, 16), np.random.default_rng(1)
    profile = np.array([0.6, 0.0, -0.8])
    directions = generator.normal(size=(people, 16, 3))
    scores = np.rint(directions @ profile * 2**30).astype(np.int64)
    codes = law.codes(scores, NotPrivateSeededSource(0).words(people))
    unbiased = directions[np.arange(people), codes] / law.gain
    error = math.sqrt(max(law.noise, law.along) / people)
    assert unbiased.mean(axis=0) == pytest.approx(profile, abs=5 * error)
    across, along = unbiased[:, 1], unbiased @ profile
    assert across.var() == pytest.approx(law.noise, rel=5 * math.sqrt(2 / people))
    assert along.var() == pytest.approx(law.along, rel=5 * math.sqrt(4 / people))
    assert abs(across.var() - 1.1 * law.noise) > 5 * law.noise * math.sqrt(2 / people)  # it can tell them apart


def test_parameters_rebuild_the_same_law_and_others_are_refused():
    law = Nearest.for_epsilon(1)
    assert Nearest.from_parameters(law.parameters()) == law
    for change in ({"near": 0}, {"near": 64}, {"low": 0}, {"high": law.high + law.low}, {"directions": 1}):
        with pytest.raises(ValueError, match="must"):
            Nearest.from_parameters({**law.parameters(), **change})
    with pytest.raises(ValueError, match="keys"):
        Nearest.from_parameters({"near": 3})
