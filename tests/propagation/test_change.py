"""A change of the features is propagated by the cheaper way, and either way is as exact as it says."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from privge.graph import Graph
from privge.propagation import Local, Problem, Push, Sor, Walk, propagate, propagate_change
from privge.propagation.push import TooManyVisits, Worker
from privge.testing.series import exact_embedding

NODES, COLUMNS = 1000, 40
WALK = Walk(0.1, 0.3, 1e-4)


@pytest.fixture(scope="module")
def graph():
    edges = np.random.default_rng(0).integers(0, NODES, (10_000, 2))
    return Graph.from_edges(edges, nodes=np.arange(NODES))


def change_of(people, seed=1):
    """A change of some people in all columns."""
    values = np.random.default_rng(seed).normal(size=(people, COLUMNS))
    rows, columns = np.divmod(np.arange(values.size), COLUMNS)
    return scipy.sparse.csr_array((values.ravel(), (rows * (NODES // people), columns)), shape=(NODES, COLUMNS))


@pytest.mark.parametrize(("people", "tolerance", "way"), [(1, 1e-2, "push"), (500, 1e-2, "sor"), (1, 1e-5, "sor")])
def test_the_cheaper_way_is_taken_whatever_the_number_of_threads(graph, people, tolerance, way):
    walk = replace(WALK, tolerance=tolerance)
    runs = [propagate_change(graph, change_of(people), walk, threads=threads) for threads in (1, 2, 3)]
    assert {run.engine for _, run in runs} == {way}
    results, exact = (
        [np.zeros((NODES, COLUMNS)) for _ in runs],
        exact_embedding(graph, change_of(people), WALK.alpha, WALK.r),
    )
    for (correction, run), matrix in zip(runs, results, strict=True):
        correction.add_to(matrix)
        assert np.abs(matrix - exact).max() <= run.certificate.error <= tolerance
    assert all(np.array_equal(results[0], other) for other in results)


def test_push_is_forced_even_if_a_column_has_only_zeros(graph):
    change = change_of(2)
    change.data[::COLUMNS] = 0.0  # the first column
    correction, run = propagate_change(graph, change, WALK, engine="push")
    matrix = np.zeros((NODES, COLUMNS))
    correction.add_to(matrix)
    assert run.engine == "push"
    assert np.abs(matrix - exact_embedding(graph, change, WALK.alpha, WALK.r)).max() <= run.certificate.error


def test_a_column_that_was_given_up_leaves_nothing_behind(graph):
    problem = Problem(graph, change_of(50), WALK)
    fresh, used = (Worker(problem, Push().threshold(problem)) for _ in range(2))
    for most in (0, 1000, 10_000):
        with pytest.raises(TooManyVisits):
            used.column(0, most=most)
    expected, found = fresh.column(1), used.column(1)
    assert expected.visits == found.visits > most
    assert np.array_equal(expected.rows, found.rows)
    assert np.array_equal(expected.values, found.values)


def test_a_gentle_beginning_takes_fewer_sweeps_for_few_changes_and_hardly_more_for_many():
    nodes = 50_000
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, nodes, (10 * nodes, 2)), nodes=np.arange(nodes))

    def sweeps(people, *, gentle):
        change = scipy.sparse.csr_array(np.where(np.arange(nodes)[:, None] % (nodes // people), 0.0, np.ones((1, 16))))
        on = Local(engine=Sor(gentle=gentle), threads=1)
        return propagate(graph, change, alpha=0.1, r=0.1, tolerance=1e-4, on=on)[1].certificate.sweeps

    assert sweeps(10, gentle=True) < sweeps(10, gentle=False)
    assert sweeps(nodes, gentle=True) <= sweeps(nodes, gentle=False) + 2
