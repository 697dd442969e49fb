"""Files that an earlier run on a cluster left are looked at before compiled code takes them for granted."""

import ctypes
import mmap
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from privge._files.folder import Folder
from privge.errors import BadData
from privge.graph import Graph, save_graph
from privge.graph.stored import PADDING
from privge.propagation import Walk
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation._kernels.relax import sweep
from privge.propagation.cluster import columns, shards
from privge.propagation.cluster.entries import write_matrix
from privge.propagation.cluster.run import Run
from privge.propagation.system import Order

NODES = 40


@pytest.fixture
def run(tmp_path):
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, NODES, (150, 2)), nodes=np.arange(NODES))
    features = scipy.sparse.csr_array(generator.random((NODES, 3)))
    entries = write_matrix(Folder(str(tmp_path / "entries")), features, np.ones(NODES))
    stored = save_graph(graph, tmp_path / "a.graph")
    return Run(Folder(str(tmp_path / "run")), stored, entries, Walk(), "float32", (0, 25, NODES), (0, 3))


def spoil(folder, name, position, value):
    array = np.array(folder.read(name))
    array[position] = value
    folder.write(name, array)


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("indices.npy", 0, 10**9),
        ("indices.npy", 5, -3),
        ("indptr.npy", 3, 10**9),
        ("place.npy", 0, 10**9),
        ("place.npy", 0, 1),
    ],
)
def test_a_damaged_order_is_refused_by_name(run, name, position, value):
    columns.write_order(run)
    folder = run.folder.sub("order")
    sound = columns._read_order(folder, run.graph)
    spoil(folder, name, position, value if sound.place[0] != value else value + 1)
    with pytest.raises(BadData, match="order: damaged"):
        columns._read_order(folder, run.graph)


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("s00001-indices.npy", 0, 10**9),
        ("s00001-indices.npy", 0, -1),
        ("s00001-indptr.npy", 2, 10**9),
        ("s00001-indptr.npy", 0, 1),
        ("s00001-halo.npy", 0, 24),
        ("s00001-halo.npy", -1, 10**9),
    ],
)
def test_a_damaged_shard_is_made_again(run, name, position, value):
    halo = shards.prepare(run, 1)
    folder = run.folder.sub("shards")
    sound = {each: np.array(folder.read(each)) for each in folder.names()}
    spoil(folder, name, position, value)
    assert shards.prepare(run, 1) == halo
    for each, array in sound.items():
        np.testing.assert_array_equal(folder.read(each), array)


def test_a_sound_shard_is_left_alone(run):
    shards.prepare(run, 0)
    folder = run.folder.sub("shards")
    before = {name: (folder.path / name).stat().st_mtime_ns for name in folder.names()}
    shards.prepare(run, 0)
    assert before == {name: (folder.path / name).stat().st_mtime_ns for name in folder.names()}


def test_a_shard_of_other_cuts_is_made_again(run):
    shards.prepare(run, 0)
    other = replace(run, row_cuts=(0, 10, NODES))
    shards.prepare(other, 0)
    assert len(other.folder.sub("shards").read("s00000-indptr.npy")) == 11


@pytest.fixture
def weighted_run(run, tmp_path):
    graph = run.graph.graph()
    weights = np.random.default_rng(1).uniform(0.1, 10, graph.edges)
    heavy = Graph.from_edges(graph.to_edges(), nodes=graph.ids, weights=weights)
    return replace(run, graph=save_graph(heavy, tmp_path / "b.graph"))


@pytest.mark.parametrize(("position", "value"), [(0, 11.0), (3, -1.0), (5, np.nan)])
def test_a_damaged_order_of_a_weighted_graph_is_refused_by_name(weighted_run, position, value):
    columns.write_order(weighted_run)
    folder = weighted_run.folder.sub("order")
    columns._read_order(folder, weighted_run.graph)
    spoil(folder, "weights.npy", position, value)
    with pytest.raises(BadData, match="order: damaged"):
        columns._read_order(folder, weighted_run.graph)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("position", "value"), [(0, 0.9), (3, -0.1), (5, np.nan)])
def test_damaged_shares_of_a_shard_are_made_again(weighted_run, precision, position, value):
    shards.prepare(weighted_run, 1)
    folder, name = weighted_run.folder.sub("shards"), f"s00001-shares-{precision}.npy"
    sound = np.array(folder.read(name))
    spoil(folder, name, position, value)
    shards.prepare(weighted_run, 1)
    np.testing.assert_array_equal(folder.read(name), sound)


def test_kernels_look_nowhere_beyond_the_entries_that_a_stored_graph_has(run):
    order = columns._order(run)
    assert len(order.indices) == run.graph.entries + PADDING < run.graph.entries + AHEAD
    with pytest.raises(ValueError, match="more entries"):
        Order(order.indptr, order.indices[: run.graph.entries], None)
    # An array whose last byte is that of its memory: the next page cannot be read.
    page, libc = mmap.PAGESIZE, ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    memory = mmap.mmap(-1, 2 * page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(begin + page, page, 0) == 0
    try:
        room = np.frombuffer(memory, np.int32, page // 4)
        indices = room[len(room) - len(order.indices) :]
        indices[:] = order.indices
        y, start = np.ones((NODES, LANES), np.float32), np.ones((NODES, LANES), np.float32)
        expected = y.copy()
        factors = np.full(NODES, 0.01, np.float32)
        sweep(order.indptr, indices, None, factors, start, y, np.float32(1))
        sweep(
            order.indptr,
            np.concatenate([order.indices, np.zeros(AHEAD, np.int32)]),
            None,
            factors,
            start,
            expected,
            np.float32(1),
        )
        assert np.array_equal(y, expected)
    finally:
        libc.mprotect(begin + page, page, mmap.PROT_READ | mmap.PROT_WRITE)
