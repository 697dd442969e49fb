"""Who is near: two walks against plain scipy, and who is never a candidate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privge as pg
from privge.datasets import social_network
from privge.recommendation.neighbourhood import Excluded, Neighbourhood, Reach

GRAPH = social_network(300, 4, 4, seed=3).graph
EVERYBODY = np.arange(GRAPH.nodes)
FAR = Reach(most=300, threshold=1e-9)


def candidates(graph, reach=FAR, excluded=None, threads=1, **more):
    excluded = Excluded.of(graph.nodes) if excluded is None else excluded
    return Neighbourhood(graph, excluded, reach, threads).candidates(np.arange(graph.nodes), **more)


def dense(found, column, nodes):
    matrix = np.zeros((nodes, nodes))
    for person, others, nearness in zip(found.people, found.others, found.nearness, strict=True):
        there = others >= 0
        matrix[person, others[there]] = nearness[there, column]
    return matrix


def weighted(graph):
    generator = np.random.default_rng(0)
    table = graph.to_edges()
    pairs = np.column_stack([table["source"].to_numpy(), table["target"].to_numpy()])
    return pg.Graph.from_edges(pairs.tolist(), nodes=graph.ids, weights=generator.uniform(0.5, 2, len(pairs)))


@pytest.mark.parametrize("graph", [GRAPH, weighted(GRAPH)], ids=["plain", "weighted"])
def test_two_steps_are_resource_allocation_and_the_walk_is_personalized_pagerank(graph):
    found = candidates(graph)
    adjacency = graph.to_scipy().toarray().astype(float)
    strengths = np.maximum(graph.strengths, 1e-9)
    new = (adjacency == 0) & ~np.eye(graph.nodes, dtype=bool)
    allocation = np.where(new, adjacency / strengths @ adjacency, 0)
    assert np.allclose(dense(found, 0, graph.nodes), allocation, atol=1e-5)
    even = adjacency / np.sqrt(np.outer(strengths, strengths))
    pagerank = 0.2 * np.linalg.inv(np.eye(graph.nodes) - 0.8 * even)
    assert np.allclose(dense(found, 1, graph.nodes), np.where(new, pagerank, 0), atol=1e-5)


def test_few_candidates_are_the_best_by_each_walk():
    few = candidates(GRAPH, Reach(most=5, threshold=1e-9))
    for column in (0, 1):
        values = dense(candidates(GRAPH), column, GRAPH.nodes)
        for person in (0, 7, 123):
            chosen = few.others[person][few.others[person] >= 0]
            least = np.sort(values[person])[-5]
            assert set(np.flatnonzero(values[person] > least)) <= set(chosen.tolist())


def test_the_work_for_a_person_is_bounded():
    hub = pg.Graph.from_edges([(0, i) for i in range(1, 2001)] + [(i, i + 1) for i in range(1, 2000)])
    found = candidates(hub, Reach(most=50, threshold=1e-3, edges=100))
    assert (found.there.sum(axis=1) <= 100).all()
    assert not (found.nearness[5, :, 0] > 0.4).any(), "the hub's 2,000 friends were walked"
    assert candidates(hub, Reach(most=50, threshold=1e-3, edges=10_000)).nearness[5, :, 0].max() >= 0.5 / 1000


def test_candidates_do_not_depend_on_the_number_of_threads():
    one, two = (candidates(GRAPH, Reach(), threads=threads) for threads in (1, 2))
    assert np.array_equal(one.others, two.others)
    assert np.array_equal(one.nearness, two.nearness)


pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


@given(
    edges=pairs, blocked=pairs, gone=st.sets(st.integers(0, 11)), given_rows=st.lists(st.integers(-1, 11), max_size=4)
)
@settings(max_examples=100, deadline=None)
def test_nobody_gets_a_friend_a_blocked_or_a_gone_one_or_themselves(edges, blocked, gone, given_rows):
    graph = pg.Graph.from_edges([pair for pair in edges if pair[0] != pair[1]], nodes=range(12))
    barred = np.array(blocked, dtype=np.int64).reshape(-1, 2)
    excluded = Excluded.of(12, barred, np.array(sorted(gone), dtype=np.int64))
    lines = np.tile(np.array(given_rows, dtype=np.int32), (12, 1))
    found = candidates(graph, Reach(), excluded, given=lines)
    for person in range(12):
        others = found.others[person][found.others[person] >= 0].tolist()
        assert len(set(others)) == len(others)
        assert person not in others
        assert not gone & set(others)
        assert not set(graph.indices[graph.indptr[person] : graph.indptr[person + 1]].tolist()) & set(others)
        assert not any((person, other) in blocked or (other, person) in blocked for other in others)
