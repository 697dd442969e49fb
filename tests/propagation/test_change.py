"""A change of the features is propagated by the cheaper way, and either way is as exact as it says."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from privge.graph import Graph
from privge.propagation import Local, Problem, Push, Sor, Walk, propagate, propagate_change
from privge.propagation.push import TooManyVisits, Worker
from privge.testing.series import exact_embedding

NODES, COLUMNS = 3000, 40
WALK = Walk(0.1, 0.3, 1e-4)


@pytest.fixture(scope="module")
def graph():
    edges = np.random.default_rng(0).integers(0, NODES, (30_000, 2))
    return Graph.from_edges(edges, nodes=np.arange(NODES))


def change_of(people, seed=1):
    """A change of some people in all columns."""
    values = np.random.default_rng(seed).normal(size=(people, COLUMNS))
    rows, columns = np.divmod(np.arange(values.size), COLUMNS)
    return scipy.sparse.csr_array((values.ravel(), (rows * (NODES // people), columns)), shape=(NODES, COLUMNS))


@pytest.mark.parametrize(("people", "tolerance", "way"), [(1, 1e-2, "push"), (1000, 1e-2, "sor"), (1, 1e-5, "sor")])
def test_the_cheaper_way_is_taken_whatever_the_number_of_threads(graph, people, tolerance, way):
    walk = replace(WALK, tolerance=tolerance)
    runs = [propagate_change(graph, change_of(people), walk, threads=threads) for threads in (1, 2, 3)]
    assert {run.engine for _, run in runs} == {way}
    results = [np.zeros((NODES, COLUMNS)) for _ in runs]
    for (correction, run), matrix in zip(runs, results, strict=True):
        correction.add_to(matrix)
        error = np.abs(matrix - exact_embedding(graph, change_of(people), walk.alpha, walk.r)).max()
        assert error <= run.certificate.error <= tolerance
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
    for most in (0, 1000, 20_000):
        with pytest.raises(TooManyVisits):
            used.column(0, most=most)
    expected, found = fresh.column(1), used.column(1)
    assert expected.visits == found.visits > 20_000
    assert np.array_equal(expected.rows, found.rows)
    assert np.array_equal(expected.values, found.values)


def test_a_gentle_beginning_takes_fewer_sweeps_for_few_changes_and_hardly_more_for_many(graph):
    def sweeps(people, *, gentle):
        on = Local(engine=Sor(gentle=gentle), threads=1)
        z, run = propagate(graph, change_of(people), alpha=0.05, r=0.1, tolerance=1e-4, on=on)
        assert np.abs(z - exact_embedding(graph, change_of(people), 0.05, 0.1)).max() <= run.certificate.error <= 1e-4
        return run.certificate.sweeps

    assert sweeps(3, gentle=True) < 0.75 * sweeps(3, gentle=False)
    assert sweeps(3000, gentle=True) <= sweeps(3000, gentle=False) + 2
