import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.graph import _compression
from privge.graph._compression import compress

EDGES = st.integers(1, 60).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes), st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=200)
    )
)


def columns(pairs):
    return tuple(np.array([pair[side] for pair in pairs], dtype=np.int32) for side in range(2))


def plainly(pairs, nodes):
    """The same without a thought for speed."""
    neighbours = [set() for _ in range(nodes)]
    for s, t in pairs:
        if s != t:
            neighbours[s].add(t)
            neighbours[t].add(s)
    indptr = np.cumsum([0, *map(len, neighbours)])
    return sum(s == t for s, t in pairs), indptr.tolist(), [t for row in neighbours for t in sorted(row)]


def on_processors(monkeypatch, number):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(number)), raising=False)


@given(EDGES, st.sampled_from([1, 2, 3]), st.sampled_from([1, 4, 1 << 15]))
@settings(max_examples=100, deadline=None)
def test_rows_are_those_of_the_edges_however_they_are_grouped(drawn, processors, group):
    nodes, pairs = drawn
    with pytest.MonkeyPatch.context() as patch:
        on_processors(patch, processors)
        patch.setattr(_compression, "_GROUP", group)
        loops, indptr, indices = compress(*columns(pairs), nodes)
    assert (loops, indptr.tolist(), indices.tolist()) == plainly(pairs, nodes)
    assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)


def test_a_graph_without_nodes_or_edges_has_empty_rows():
    nothing = np.empty(0, dtype=np.int32)
    assert [len(array) for array in compress(nothing, nothing, 0)[1:]] == [1, 0]
    assert [len(array) for array in compress(nothing, nothing, 3)[1:]] == [4, 0]


@pytest.mark.parametrize("nodes", [3000, 2**17 + 1])  # one digit and two of a row, of a target two and more
def test_hubs_and_many_groups_give_the_same_rows_on_any_number_of_processors(monkeypatch, nodes):
    generator = np.random.default_rng(3)
    sources = np.where(generator.random(60_000) < 0.5, nodes - 1, generator.integers(0, nodes, 60_000)).astype(np.int32)
    targets = generator.integers(0, nodes, 60_000).astype(np.int32)
    found = []
    for number in (1, 2, 5):
        on_processors(monkeypatch, number)
        found.append(compress(sources, targets, nodes))
    both = np.unique(np.concatenate([sources * np.int64(nodes) + targets, targets * np.int64(nodes) + sources]))
    rows, others = np.divmod(both, nodes)
    kept = rows != others
    for loops, indptr, indices in found:
        assert loops == (sources == targets).sum()
        assert np.array_equal(np.repeat(np.arange(nodes), np.diff(indptr)), rows[kept])
        assert np.array_equal(indices, others[kept])
