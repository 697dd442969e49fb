"""A block takes as much precision as its tolerance wants, and no more memory than that precision needs."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from privge.graph import Graph
from privge.propagation import Walk, block
from privge.propagation._kernels.gather import LANES
from privge.propagation.block import _NARROWED, _narrowed, solve_block
from privge.propagation.system import Order, System

LEAVES = 30_000
ALPHA, R = 0.1, 0.5
WAYS = [
    (1, 1e-3, "float32"),
    (1, 1e-7, "corrected"),
    (1e-30, 1e-7, "corrected"),
    (1e30, 1e-9, "corrected"),
    (1e39, 1e-7, "float64"),
]
STEPS = {"float32": ["float32"], "corrected": ["float32", "float32"], "float64": ["float32", "float64"]}


def star(*, weighted):
    edges = np.column_stack([np.zeros(LEAVES, dtype=int), np.arange(1, LEAVES + 1)])
    weights = np.random.default_rng(1).uniform(0.1, 10, LEAVES) if weighted else None
    return Graph.from_edges(edges, nodes=np.arange(LEAVES + 1), weights=weights)


def exact(graph, features):
    """Leaves see only the hub, so two numbers a column are to be found: in the extended precision of this machine."""
    wide = np.longdouble
    strengths = graph.strengths.astype(wide) / (graph.largest_strength if graph.weighted else 1)
    start, keep = wide(ALPHA) * features.astype(wide) / strengths[:, None] ** wide(R), 1 - wide(ALPHA)
    shares = strengths[1:] / strengths[1:].sum()
    hub = (start[0] + keep * shares @ start[1:]) / (1 - keep**2)
    return np.vstack([hub, start[1:] + keep * hub]) * strengths[:, None] ** wide(R)


def solved(graph, features, tolerance, monkeypatch):
    """Return what a block ends with, its certificate, and the precisions in which was swept."""
    system = System.of(Order.of(graph, reorder=True), graph.strengths, Walk(ALPHA, R, tolerance))
    out, kinds = np.empty((graph.nodes, LANES)), []

    def fill(start):
        start[system.order.place] = ALPHA * (features / system.scale[:, None])

    def relax(system, start, y, *rest, **options):
        kinds.append(y.dtype.name)
        return original(system, start, y, *rest, **options)

    original = block.relax
    monkeypatch.setattr(block, "relax", relax)
    return out, solve_block(system, fill, out, slice(0, LANES)), kinds


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("size", "tolerance", "way"), WAYS)
def test_the_precision_is_what_the_tolerance_wants_and_the_certificate_holds(
    size, tolerance, way, weighted, monkeypatch
):
    graph = star(weighted=weighted)
    features = size * np.random.default_rng(0).normal(size=(graph.nodes, LANES))
    out, certificate, kinds = solved(graph, features, tolerance * size, monkeypatch)
    assert kinds == STEPS[way]
    assert certificate.precision == ("float32" if way == "float32" else "float64")
    assert float(np.abs(out - exact(graph, features)).max()) <= certificate.error <= tolerance * size


def test_a_correction_takes_three_vectors_of_float32_and_float64_takes_four():
    graph = star(weighted=False)
    features = np.random.default_rng(0).normal(size=(graph.nodes, LANES))
    vector = graph.nodes * LANES * 4
    for size, tolerance, expected in ((1, 1e-3, 2), (1, 1e-7, 3), (1e39, 1e-3, 4)):
        system = System.of(Order.of(graph, reorder=False), graph.strengths, Walk(ALPHA, R, tolerance * size))
        out = np.empty((graph.nodes, LANES))
        right = size * ALPHA * (features / system.scale[:, None])
        fill = partial(np.copyto, src=right, casting="same_kind")
        solve_block(system, fill, out, slice(0, LANES))  # compiled
        tracemalloc.start()
        solve_block(system, fill, out, slice(0, LANES))
        taken = tracemalloc.get_traced_memory()[1] / vector
        tracemalloc.stop()
        assert expected <= taken < expected + 0.7


@pytest.mark.parametrize("rows", [1, 2, 17, _NARROWED - 1, 2 * _NARROWED + 3])
def test_numbers_are_narrowed_in_the_memory_that_they_had(rows):
    wide = np.random.default_rng(rows).normal(size=(rows, LANES))
    expected = (wide / 0.25).astype(np.float32)
    narrow, rest = _narrowed(wide, 0.25)
    assert np.array_equal(narrow, expected)
    assert not rest.any()
    assert narrow.base is rest.base
    assert not np.shares_memory(narrow, rest)
