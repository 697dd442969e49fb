"""Chance and popularity: exact, by a look at everybody one by one; and whether a score is told from them."""

import numpy as np
import pytest

import privge as pg
from privge.recommendation.baselines import Everybody
from privge.recommendation.neighbourhood import NEAR_BY, Candidates, Excluded, Neighbourhood
from privge.recommendation.ranking import Found, Queries
from privge.recommendation.trial import Trial
from privge.recommendation.view import View
from privge.recommendation.worth import Lead
from privge.tasks.splits import split_edges

NODES = 40


def random_graph(nodes, edges, seed):
    generator = np.random.default_rng(seed)
    upper = np.column_stack(np.triu_indices(nodes, 1))
    return pg.Graph.from_edges(upper[generator.permutation(len(upper))[:edges]].tolist(), nodes=range(nodes))


def trial(graph, excluded, seed=0):
    split = split_edges(graph, seed=seed)
    return Trial(graph, split, View(Neighbourhood(split.train_graph, excluded, NEAR_BY, 1), None), seed)


@pytest.fixture(scope="module")
def judged():
    """A trial where somebody is gone and some are barred, a hidden friend, an old one and a stranger among them."""
    graph = random_graph(NODES, 200, seed=2)
    split = split_edges(graph, seed=0)
    (one, hidden), (other, friend) = split.test[0], split.train[0]
    pairs = np.array([[one, hidden], [other, friend], [3, 17]])
    return trial(graph, Excluded.of(NODES, pairs, np.array([split.test[1, 0]])))


def by_look(judged, pairs):
    """Return queries of which everybody who may be recommended is a candidate, and the degree of each."""
    near = judged.view.neighbourhood
    lines = np.full((len(pairs), NODES), -1, dtype=np.int32)
    for line, person in zip(lines, pairs[:, 0], strict=True):
        barred = near.excluded.indices[near.excluded.indptr[person] : near.excluded.indptr[person + 1]]
        known = near.graph.indices[near.graph.indptr[person] : near.graph.indptr[person + 1]]
        line[[i for i in range(NODES) if i != person and i not in {*barred, *known} and not near.excluded.gone[i]]] = 1
    lines = np.where(lines > 0, np.arange(NODES, dtype=np.int32), -1)
    found = Candidates(pairs[:, 0], lines, np.zeros((*lines.shape, 2), dtype=np.float32))
    scores = np.where(lines >= 0, near.graph.degrees[lines].astype(float), -np.inf)
    return Queries.of(found, pairs[:, 1], judged.whole), scores


def test_the_most_friends_are_ranked_as_a_score_that_looks_at_everybody_would(judged):
    pairs = judged.test()
    queries, scores = by_look(judged, pairs)
    expected = Found.of(queries.ranks(scores))
    found = Everybody.of(judged, pairs).most_friends()
    assert np.array_equal(found.hits, expected.hits)
    assert found.reciprocal == pytest.approx(expected.reciprocal)
    assert (expected.reciprocal == 0).any(), "who is gone or barred is a miss"
    assert (expected.hits == 1).any()


def test_chance_is_the_mean_over_every_rank_the_friend_could_have(judged):
    pairs = judged.test()
    queries, _ = by_look(judged, pairs)
    found = Everybody.of(judged, pairs).at_random()
    rows = zip(queries.allowed, queries.right, found.hits, found.reciprocal, strict=True)
    for allowed, right, hit, reciprocal in rows:
        ranks = np.arange(1, allowed.sum() + 1)
        assert hit == pytest.approx((ranks <= 10).mean() if right.any() else 0)
        assert reciprocal == pytest.approx((1 / ranks).mean() if right.any() else 0)


def test_with_fewer_than_ten_others_chance_always_hits():
    graph = pg.Graph.from_edges([(i, (i + 1) % 9) for i in range(9)] + [(0, 4)], nodes=range(9))
    few = Everybody.of(trial(graph, Excluded.of(9)), np.array([[0, 4]])).at_random()
    assert few.hits.tolist() == [1.0]


def found(hits):
    return Found(np.asarray(hits, dtype=float), np.zeros(len(hits)))


def apart(count):
    return np.arange(2 * count).reshape(-1, 2)


def test_a_lead_is_the_difference_of_shares_with_the_error_of_paired_ones():
    generator = np.random.default_rng(1)
    one, other = generator.random(400) < 0.5, generator.random(400) < 0.3
    lead = Lead.of(found(one), found(other), apart(400))
    differences = one.astype(float) - other
    assert lead.points == pytest.approx(100 * differences.mean())
    assert lead.error == pytest.approx(100 * np.sqrt(differences.var() / 400 + 1 / 400**2))
    assert lead.told


def test_both_directions_of_an_edge_are_one_observation():
    hits = np.repeat(np.random.default_rng(2).random(200) < 0.5, 2)
    pairs = np.repeat(apart(200), 2, axis=0)
    pairs[1::2] = pairs[1::2, ::-1]
    twice = Lead.of(found(hits), found(np.zeros(400)), pairs)
    once = Lead.of(found(hits[::2]), found(np.zeros(200)), apart(200))
    assert twice.points == pytest.approx(once.points)
    assert twice.error == pytest.approx(once.error, rel=1 / 50), "doubling adds no knowledge"


def test_no_hits_at_all_are_not_certain():
    lead = Lead.of(found(np.zeros(30)), found(np.full(30, 0.02)), apart(30))
    low, high = lead.interval
    assert low < 0 < high
    assert not lead.told


def test_chance_itself_is_told_from_chance_no_more_often_than_an_interval_errs():
    generator = np.random.default_rng(3)
    told = [
        Lead.of(found(generator.random(500) < 0.05), found(np.full(500, 0.05)), apart(500)).told for _ in range(1000)
    ]
    assert sum(told) <= 45  # 2.5 % of 1,000 on one side; more than 45 have chance 1e-4
