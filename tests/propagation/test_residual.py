"""The residual that certifies a result: never below the true one, whatever graph and values it is measured on."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation import Local, Sor, Walk, propagate
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation._kernels.relax import measure, sweep
from privge.propagation.block import solve_block
from privge.propagation.strengths import node_scale, unit_of
from privge.propagation.system import Order, System
from privge.testing.series import exact_embedding

NODES = 24


def true_residual(graph, y, features, alpha, r):
    """``|start + (1-alpha) P y - y|`` in the extended precision of this machine, from what the user gave."""
    wide = np.longdouble
    weights = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    dense = np.zeros((graph.nodes, graph.nodes), dtype=wide)
    dense[np.repeat(np.arange(graph.nodes), graph.degrees), graph.indices] = weights
    strengths = dense.sum(axis=1)
    unit = strengths.max() if graph.weighted and graph.edges else wide(1)
    scale = np.where(strengths > 0, strengths / unit, wide(1)) ** wide(r)
    passed = (1 - wide(alpha)) * (dense @ y.astype(wide)) / np.where(strengths > 0, strengths, wide(1))[:, None]
    return np.abs(wide(alpha) * features.astype(wide) / scale[:, None] + passed - y.astype(wide)).max()


@st.composite
def problems(draw):
    """Few nodes and many hubs, isolated nodes, weights and values of all sizes."""
    ends = st.integers(0, NODES - 1)
    edges = draw(st.lists(st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=80))
    hubs = draw(st.integers(0, 2))
    edges += [(hub, other) for hub in range(hubs) for other in range(hubs, NODES)]
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0, 3, 30]))
    weights = 10.0 ** generator.uniform(-spread, spread, len(edges)) if draw(st.booleans()) else None
    size = draw(st.sampled_from([1e-38, 1e-6, 1.0, 1e6, 1e36]))
    features = size * generator.normal(size=(NODES, LANES)) * 10.0 ** -generator.integers(0, 6, (NODES, LANES))
    features[generator.random((NODES, LANES)) < draw(st.sampled_from([0, 0.9]))] = 0
    graph = Graph.from_edges(np.array(edges), nodes=np.arange(NODES), weights=weights)
    return graph, features, draw(st.sampled_from([0.02, 0.1, 0.5, 0.95])), draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))


@given(problems(), st.sampled_from([1e-2, 1e-4, 1e-7, 1e-13]))
@settings(deadline=None, max_examples=150)
def test_what_is_stored_has_no_larger_residual_than_certified(problem, part):
    graph, features, alpha, r = problem
    scale = node_scale(graph.strengths, r, unit_of(graph))
    tolerance = part * float(np.abs(features).max() or 1)
    system = System.of(Order.of(graph, reorder=True), graph.strengths, Walk(alpha, r, tolerance))
    out = np.empty((NODES, LANES))  # in float64, so that what is certified is what the block ended with

    def fill(start):
        start[system.order.place] = alpha * (features / scale[:, None])

    certificate = solve_block(system, fill, out, slice(0, LANES))
    if not np.isfinite(certificate.error):
        return
    y = out.astype(np.longdouble) / scale[:, None].astype(np.longdouble)
    # What dividing by the scale again rounds moves y by two roundings of float64, and the residual by twice that.
    again = 4 * np.finfo(np.float64).eps * float(np.abs(y).max()) + 1e-300
    found = float(true_residual(graph, y, features, alpha, r))
    assert found <= certificate.error * alpha / system.largest_scale + again


@given(problems())
@settings(deadline=None, max_examples=60)
def test_no_entry_of_a_random_problem_is_farther_than_certified(problem):
    graph, features, alpha, r = problem
    tolerance = 1e-4 * float(np.abs(features).max() or 1)
    matrix = scipy.sparse.csr_array(features)
    try:
        z, run = propagate(graph, matrix, alpha=alpha, r=r, tolerance=tolerance, on=Local(threads=1))
    except ToleranceNotReached:  # strengths 60 orders apart, whose powers even float64 cannot tell: it is said
        assert graph.weighted
        return
    exact = exact_embedding(graph, matrix, alpha, r)
    slack = (1e-11 if graph.weighted else 1e-13) * np.abs(features).max()  # of the dense solution itself
    assert np.abs(np.asarray(z, dtype=np.float64) - exact).max() <= run.certificate.error + slack


def star(leaves):
    edges = np.column_stack([np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)])
    return Graph.from_edges(edges, nodes=np.arange(leaves + 2))  # and an isolated node


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 66, 67, 68, 130, 1000])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_neighbour_counts_once_whatever_their_number(leaves, kind, weighted):
    graph, generator = star(leaves), np.random.default_rng(leaves)
    y, start = (generator.normal(size=(leaves + 2, LANES)).astype(kind) for _ in range(2))
    indices = np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)])
    factors = np.where(graph.degrees > 0, 0.9 / np.maximum(graph.degrees, 1), 0)
    shares = generator.uniform(0.5, 2, len(graph.indices)).astype(kind) if weighted else None
    rows = np.repeat(np.arange(graph.nodes), graph.degrees)
    counts = np.ones(len(rows)) if shares is None else shares.astype(np.float64)
    matrix = scipy.sparse.csr_array((counts, (rows, graph.indices)), shape=(graph.nodes, graph.nodes))
    expected = start + factors[:, None] * (matrix @ y.astype(np.float64)) - y
    residual, size = measure(graph.indptr, indices, shares, factors, start, y)
    assert residual == pytest.approx(np.abs(expected).max(), rel=1e-12)
    assert size == np.abs(y).max()
    hub = y[0] + expected[0]
    sweep(graph.indptr, indices, shares, factors.astype(kind), start, y, kind(1))
    assert np.abs(y[0] - hub).max() <= 28 * np.finfo(kind).eps * 2 * 0.9 * np.abs(matrix @ np.ones(len(y))).max() * 5


def test_a_nan_anywhere_is_in_the_residual():
    graph = star(70)
    indices = np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)])
    start, y = np.zeros((72, LANES), np.float32), np.zeros((72, LANES), np.float32)
    y[66, 3] = np.nan
    assert np.isnan(measure(graph.indptr, indices, None, np.ones(72), start, y)[0])


def test_float32_is_enough_where_a_large_hub_meets_a_large_r():
    graph = star(20_000)
    features = scipy.sparse.random_array((20_002, 16), density=0.5, rng=np.random.default_rng(0), format="csr")
    z, run = propagate(graph, features, alpha=0.1, r=0.5, tolerance=1e-4, on=Local(engine=Sor(), threads=1))
    assert run.certificate.precision == "float32"
    # Leaves see only the hub, so the two levels solve a system of two numbers for each column.
    x, degree, keep = features.toarray(), np.array([20_000.0]), 0.9
    leaves = x[1:20_001] * 0.1
    hub = (0.1 * x[0] / degree**0.5 + keep * leaves.mean(axis=0)) / (1 - keep**2)
    exact = np.vstack([hub * degree**0.5, leaves + keep * hub, 0.1 * x[20_001]])
    assert np.abs(z - exact).max() <= run.certificate.error <= 1e-4


@pytest.mark.parametrize(
    ("entries", "kind", "whole"),
    [([100, 100], np.int8, 200.0), ([1] + [5e-8] * 1000, np.float32, 1 + 1000 * float(np.float32(5e-8)))],
)
def test_repeated_entries_of_features_are_added_in_float64(entries, kind, whole):
    """In the type of the features the first sum overflows, and the second stays what it began with."""
    features = scipy.sparse.csr_array(
        (np.array(entries, dtype=kind), np.zeros(len(entries), dtype=int), [0, len(entries), len(entries)]),
        shape=(2, 1),
    )
    found, run = propagate(Graph.from_edges([(0, 1)]), features, alpha=0.1, r=0.5, tolerance=1e-9)
    assert abs(found[0, 0] - 0.1 * whole / (1 - 0.9**2)) <= run.certificate.error
