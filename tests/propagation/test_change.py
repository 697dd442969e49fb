"""A change of the features is propagated by the cheaper way, and either way is as exact as it says."""

import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation import Local, Problem, Push, Sor, Walk, propagate, propagate_change
from privge.propagation.change import _push_columns
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


def test_nobody_goes_on_pushing_once_a_column_was_given_up():
    class GivesUp:
        def column(self, *_number, **_limit):
            raise TooManyVisits

    class Slow:
        pushed = 0

        def column(self, *_number, **_limit):
            time.sleep(0.01)
            self.pushed += 1

    slow, numbers = Slow(), np.arange(1000)
    with pytest.raises(TooManyVisits):
        _push_columns([slow, GivesUp()], numbers, numbers)
    assert slow.pushed < len(numbers) // 2


def test_a_gentle_beginning_takes_fewer_sweeps_for_few_changes_and_hardly_more_for_many():
    nodes = 50_000
    graph = Graph.from_edges(np.random.default_rng(0).integers(0, nodes, (10 * nodes, 2)), nodes=np.arange(nodes))

    def sweeps(people, *, gentle):
        change = scipy.sparse.csr_array(np.where(np.arange(nodes)[:, None] % (nodes // people), 0.0, np.ones((1, 16))))
        on = Local(engine=Sor(gentle=gentle), threads=1)
        return propagate(graph, change, alpha=0.1, r=0.1, tolerance=1e-4, on=on)[1].certificate.sweeps

    assert sweeps(10, gentle=True) < sweeps(10, gentle=False)
    assert sweeps(nodes, gentle=True) <= sweeps(nodes, gentle=False) + 2


def test_columns_that_need_no_push_do_not_hide_those_that_do(graph):
    change = change_of(50)
    tiny = scipy.sparse.diags_array(np.where(np.arange(COLUMNS) < 4, 1e-9, 1.0))
    _, run = propagate_change(graph, scipy.sparse.csr_array(change @ tiny), WALK)
    assert run.engine == "sor"


def test_relaxation_is_taken_where_push_cannot_certify():
    nodes = 100_000  # 2 * 1e5 roundings of the hub, each of 2^-53 / alpha * sqrt(1e5), may come to 7e-8
    star = Graph.from_edges(np.column_stack([np.zeros(nodes - 1, dtype=np.int64), np.arange(1, nodes)]))
    change = scipy.sparse.csr_array((np.ones(300), (np.arange(5, 305), np.zeros(300, dtype=int))), shape=(nodes, 1))
    walk = Walk(0.1, 0.5, 5e-8)
    with pytest.raises(ToleranceNotReached):
        propagate_change(star, change, walk, engine="push")
    assert propagate_change(star, change, walk)[1].engine == "sor"


def test_tiny_weights_do_not_get_lost_on_the_way():
    pair = Graph.from_edges(np.array([[0, 1]]), weights=np.array([1e-100]))
    change = scipy.sparse.csr_array(np.array([[1e-230], [0.0]]))
    correction, run = propagate_change(pair, change, Walk(0.1, 0, 1e-232), engine="push")
    matrix = np.zeros((2, 1))
    correction.add_to(matrix)
    assert np.abs(matrix - exact_embedding(pair, change, 0.1, 0)).max() <= run.certificate.error


def test_push_refuses_tolerances_at_the_end_of_all_numbers(graph):
    with pytest.raises(ToleranceNotReached):
        propagate_change(graph, 1e-310 * change_of(1), replace(WALK, tolerance=1e-320), engine="push")
