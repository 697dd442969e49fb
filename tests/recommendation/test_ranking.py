"""Ranks, the listwise logit and the gate, by hand."""

import numpy as np
import pytest

import privge as pg
from privge.recommendation.fusion import Gate, fused
from privge.recommendation.logit import Lists, ListwiseLogit
from privge.recommendation.neighbourhood import Candidates
from privge.recommendation.ranking import Found, Quality, Queries, best
from privge.recommendation.spread import Spread, gini


def queries(others, friends, whole=()):
    graph = pg.Graph.from_edges(list(whole), nodes=range(10))
    lines = np.array(others, dtype=np.int32)
    found = Candidates(np.zeros(len(lines), dtype=np.int64), lines, np.zeros((*lines.shape, 2), dtype=np.float32))
    return Queries.of(found, np.array(friends), graph)


def test_the_rank_counts_higher_scores_and_half_of_equal_ones():
    asked = queries([[1, 2, 3, 4]], [3])
    assert asked.ranks(np.array([[4.0, 3.0, 2.0, 1.0]])) == 3
    assert asked.ranks(np.array([[1.0, 1.0, 1.0, 1.0]])) == 2.5


def test_a_friend_who_is_not_among_the_candidates_is_a_miss():
    asked = queries([[1, 2, -1]], [7])
    ranks = asked.ranks(np.array([[1.0, 2.0, -np.inf]]))
    assert ranks == np.inf
    assert Found.of(ranks).quality(0.5) == Quality(0.0, 0.0, 0.5, (0.0, 0.0))


def test_other_hidden_friends_do_not_compete():
    scores = np.array([[3.0, 2.0, 1.0]])
    assert queries([[1, 2, 3]], [3], whole=[(0, 1), (0, 3)]).ranks(scores) == 2
    assert queries([[1, 2, 3]], [3], whole=[(0, 3)]).ranks(scores) == 3


def test_hits_and_reciprocal_ranks_are_means_over_queries():
    quality = Found.of(np.array([1.0, 10.0, 11.0, np.inf])).quality(0.5)
    assert quality.hits == 0.5
    assert quality.reciprocal == pytest.approx((1 + 0.1 + 1 / 11) / 4)


def test_the_best_come_first_and_of_equal_ones_the_lower_row():
    others = np.array([[9, 4, 7, 1]])
    assert others[0][best(np.array([[1.0, 2.0, 1.0, 0.0]]), 3, others)[0]].tolist() == [4, 7, 9]


def lists(count=200, width=3, strength=2.0, seed=0):
    """Lists of 8; the first column tells the right candidate, the others are noise."""
    generator = np.random.default_rng(seed)
    columns = generator.standard_normal((count * 8, width))
    right = np.arange(count) * 8 + generator.integers(0, 8, count)
    columns[right, 0] += strength
    return Lists(columns, np.arange(count) * 8, right)


def test_probabilities_of_a_list_sum_to_one():
    some = lists()
    logs, chances = some.logs(some.columns[:, 0])
    assert np.allclose(np.add.reduceat(chances, some.starts), 1)
    assert np.allclose(np.exp(logs), chances[some.right])


def test_the_logit_finds_the_column_that_tells():
    weights = ListwiseLogit.fit(lists(), np.zeros(3)).weights
    assert weights[0] > 1.5
    assert np.abs(weights[1:]).max() < 0.3


def test_the_fit_is_where_the_gradient_is_nought():
    some = lists(count=50)
    fitted = ListwiseLogit.fit(some, np.zeros(3)).weights
    scale = some.columns.std(axis=0)

    def loss(weights):
        return -some.logs(some.columns @ weights)[0].mean() + 2 / 50 * ((weights * scale) ** 2).sum()

    for direction in np.eye(3) * 0.05:
        assert loss(fitted) < min(loss(fitted + direction), loss(fitted - direction))


def test_without_queries_the_score_is_the_prior():
    nothing = Lists(np.empty((0, 2)), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    assert ListwiseLogit.fit(nothing, np.array([1.0, 0.5])).weights.tolist() == [1.0, 0.5]


def test_some_of_the_lists_are_the_same_lists():
    whole = lists(count=10)
    some = whole.take(np.array([2, 7]))
    assert np.array_equal(some.columns, np.vstack([whole.columns[16:24], whole.columns[56:64]]))
    assert np.array_equal(whole.columns[whole.right[[2, 7]]], some.columns[some.right])


def with_vector(strength, seed=1):
    some = lists(seed=seed)
    column = np.random.default_rng(seed + 50).standard_normal(len(some.columns))
    column[some.right] += strength
    return Lists(np.column_stack([some.columns, column]), some.starts, some.right)


def test_the_gate_opens_for_a_column_that_tells_and_for_noise_it_stays_closed():
    assert Gate.judge(with_vector(1.0), np.zeros(3), 0).open
    opened = [Gate.judge(with_vector(0.0, seed), np.zeros(3), 0).open for seed in range(20)]
    assert sum(opened) <= 2  # two standard errors let one of forty through; three of twenty have chance 0.01


def test_a_vector_that_says_the_contrary_has_no_weight():
    assert fused(with_vector(-1.0), np.zeros(3)).weights[-1] == 0


def test_gini_is_nought_for_all_alike_and_near_one_for_one_alone():
    assert gini(np.array([3, 3, 3, 3])) == pytest.approx(0)
    assert gini(np.array([0] * 99 + [7])) == pytest.approx(0.99)


def test_spread_counts_who_is_served_and_who_is_reached():
    spread = Spread.of(np.array([[1, 2], [-1, -1]]), np.array([[0, 3]]), np.array([1, 5, 7, 2]))
    assert (spread.served, spread.reached, spread.degree, spread.friends_degree) == (0.5, 0.5, 6.0, 2.0)
