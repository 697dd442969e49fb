"""The same call on a real local Dask cluster: the same bits by columns, within the certificate by edges."""

import uuid

import numpy as np
import pytest
import scipy.sparse
from distributed import Client, LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st

from privge._files.folder import Folder
from privge.errors import ClusterFailed
from privge.graph import Graph
from privge.graph.stored import StoredGraph, save_graph
from privge.propagation import OnCluster, propagate
from privge.propagation.cluster.entries import Entries, in_canonical_form, write_matrix
from privge.propagation.cluster.regime import Capacity, choose, memory_for_columns, memory_for_turns, row_cuts
from privge.propagation.cluster.tiles import TiledMatrix, tile_name
from privge.testing.series import exact_embedding

PARAMETERS = {"alpha": 0.1, "r": 0.3, "tolerance": 1e-5}


def random_problem(nodes=2000, columns=70, seed=0):
    generator = np.random.default_rng(seed)
    popularity = generator.pareto(2, nodes) + 0.1
    edges = generator.choice(nodes, (6 * nodes, 2), p=popularity / popularity.sum())
    graph = Graph.from_edges(edges, nodes=np.arange(nodes))
    features = scipy.sparse.random_array((nodes, columns), density=0.05, rng=generator, format="csr", dtype=np.float32)
    return graph, features


@pytest.mark.parametrize("columns", [20, 70])  # without and with renumbering of the nodes
def test_the_columns_regime_gives_the_bits_of_one_process(cluster, columns):
    graph, features = random_problem(columns=columns)
    here, run = propagate(graph, features, **PARAMETERS)
    there, clustered = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, regime="columns"))
    assert np.asarray(there).tobytes() == here.tobytes()
    assert clustered.certificate == run.certificate


def test_float64_is_used_on_a_cluster_where_one_process_uses_it(cluster, engine):
    graph, features = random_problem(nodes=300, columns=20)
    parameters = {**PARAMETERS, "tolerance": 1e-9}
    here, _ = propagate(graph, features, **parameters)
    for regime in ("columns", "edges"):
        there, run = propagate(graph, features, **parameters, on=OnCluster(cluster, regime=regime))
        assert there.dtype == here.dtype == np.float64
        assert run.engine == (engine if regime == "edges" else "sor")
        assert run.certificate.precision == "float64"
        assert np.abs(np.asarray(there) - here).max() <= 2e-9


SHAPES = {
    "star": [(0, i) for i in range(1, 50)],
    "chain": [(i, i + 1) for i in range(49)],
    "clique": [(i, j) for i in range(50) for j in range(i)],
    "disconnected": [(i, j) for i in range(50) for j in range(i) if (i < 25) == (j < 25)],
    "isolated": [],
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("r", [0, 0.5, 1])
def test_the_edges_regime_keeps_its_certificate(cluster, engine, shape, r):
    graph = Graph.from_edges(np.array(SHAPES[shape], dtype=np.int64).reshape(-1, 2), nodes=np.arange(53))
    features = scipy.sparse.random_array((53, 19), density=0.3, rng=np.random.default_rng(1), format="csr")
    z, run = propagate(graph, features, alpha=0.05, r=r, tolerance=1e-4, on=OnCluster(cluster, regime="edges"))
    error = np.abs(np.asarray(z) - exact_embedding(graph, features, 0.05, r)).max()
    assert run.engine == engine
    assert error <= run.certificate.error + 1e-12
    assert run.certificate.error <= 1e-4


def test_the_edges_regime_agrees_with_one_process_on_a_larger_graph(cluster, engine):
    graph, features = random_problem()
    here, run = propagate(graph, features, **PARAMETERS)
    there, clustered = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, regime="edges"))
    assert clustered.engine == engine
    assert np.abs(np.asarray(there) - here).max() <= run.certificate.error + clustered.certificate.error


def test_the_edges_regime_gives_the_same_bits_for_any_number_of_threads(cluster, engine, tmp_path):
    graph, features = random_problem()
    one, _ = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path / "one", regime="edges"))
    with (
        LocalCluster(n_workers=2, threads_per_worker=3, dashboard_address="127.0.0.1:0") as local,
        Client(local, set_as_default=False) as client,
    ):
        three, run = propagate(
            graph, features, **PARAMETERS, on=OnCluster(client, folder=tmp_path / "three", regime="edges")
        )
        assert run.engine == engine
        assert np.asarray(three).tobytes() == np.asarray(one).tobytes()


def test_too_large_numbers_for_float32_are_done_in_float64(cluster, engine):
    graph, features = random_problem(nodes=200, columns=5)
    features.data = features.data.astype(np.float64) * 1e39
    for regime in ("columns", "edges"):
        z, run = propagate(graph, features, alpha=0.3, r=0, tolerance=1e33, on=OnCluster(cluster, regime=regime))
        assert run.engine == (engine if regime == "edges" else "sor")
        assert np.abs(np.asarray(z) - exact_embedding(graph, features, 0.3, 0)).max() <= run.certificate.error + 1e26


def test_a_graph_on_disk_is_used_where_it_lies(cluster, tmp_path):
    graph, features = random_problem(nodes=500, columns=20)
    stored = save_graph(graph, tmp_path / "g.graph")
    here, _ = propagate(graph, features, **PARAMETERS)
    there, _ = propagate(
        stored, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path / "run", regime="columns")
    )
    assert not list((tmp_path / "run").glob("graph*"))
    assert np.asarray(there).tobytes() == here.tobytes()


@pytest.mark.parametrize("regime", ["columns", "edges"])
def test_a_run_lives_in_an_object_store_too(regime):
    graph, features = random_problem(nodes=400, columns=40)
    here, _ = propagate(graph, features, **PARAMETERS)
    # Objects in memory are seen only by threads of one process.
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0") as local,
        Client(local, set_as_default=False) as client,
    ):
        there, _ = propagate(
            graph, features, **PARAMETERS, on=OnCluster(client, folder=f"memory://{uuid.uuid4()}", regime=regime)
        )
        assert np.abs(np.asarray(there) - here).max() <= 2e-5


@pytest.mark.parametrize("regime", ["columns", "edges"])
def test_a_finished_run_is_not_computed_again(cluster, tmp_path, regime):
    graph, features = random_problem(nodes=400, columns=40)
    first, _ = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path, regime=regime))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("run-*/*/tiles/*")}
    assert before
    again, _ = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path))  # keeps the regime
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("run-*/*/tiles/*")} == before
    assert np.asarray(first).tobytes() == np.asarray(again).tobytes()


def test_runs_with_other_inputs_share_a_folder_but_no_files(cluster, tmp_path):
    graph, features = random_problem(nodes=100, columns=20)
    other_graph = random_problem(nodes=100, seed=1)[0]
    calls = [
        (graph, features, PARAMETERS),
        (graph, features, {**PARAMETERS, "alpha": 0.2}),
        (graph, features, {**PARAMETERS, "r": 0.4}),
        (graph, features, {**PARAMETERS, "tolerance": 1e-3}),
        (graph, 2 * features, PARAMETERS),
        (other_graph, features, PARAMETERS),
    ]
    there = [propagate(g, x, **p, on=OnCluster(cluster, folder=tmp_path))[0] for g, x, p in calls]
    assert len(list(tmp_path.glob("run-*"))) == len(calls)
    for (g, x, p), result in zip(calls, there, strict=True):
        assert np.asarray(result).tobytes() == propagate(g, x, **p)[0].tobytes()


def test_a_tile_without_certificate_is_never_part_of_a_result(cluster, tmp_path):
    graph, features = random_problem(nodes=100, columns=40)
    propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path))
    (run,) = tmp_path.glob("run-*/columns")
    (run / "tiles" / "r00000-c00001.json").unlink()
    np.save(run / "tiles" / "r00000-c00001.npy", np.zeros((100, 16), np.float32))  # as if half a run had left it
    again, _ = propagate(graph, features, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path))
    assert np.asarray(again).tobytes() == propagate(graph, features, **PARAMETERS)[0].tobytes()


def test_workers_that_do_not_see_the_folder_are_named(cluster, tmp_path, monkeypatch):
    graph, features = random_problem(nodes=20, columns=3)
    monkeypatch.setattr(Folder, "write_document", lambda *_: None)  # what a disk of its own looks like to a worker
    with pytest.raises(ClusterFailed, match="2 of the workers do not see this folder"):
        propagate(graph, features, on=OnCluster(cluster, folder=tmp_path))


def test_dask_knows_what_vectors_weigh():
    from dask.sizeof import sizeof

    from privge.propagation.cluster.shards import ShardVectors

    assert sizeof(ShardVectors(np.zeros((2, 1000, 16), np.float32))) >= 128_000


def test_a_scheduler_that_is_not_there_is_said_in_one_line():
    graph, features = random_problem(nodes=20, columns=3)
    with pytest.raises(ClusterFailed, match="no Dask scheduler at tcp:"):
        propagate(graph, features, on=OnCluster("tcp://127.0.0.1:9"))


# ---------------------------------------------------------------- regime


def sizes(nodes, entries, columns):
    graph = StoredGraph(Folder("/nowhere"), nodes, entries, "integers", True, 24, 10, "")
    return graph, Entries(Folder("/nowhere"), 1, columns, 1.0)


def test_the_regime_follows_from_the_sizes_and_says_why(tmp_path):
    graph, entries = sizes(10_000_000, 200_000_000, 64)
    need = memory_for_columns(graph, entries.blocks)
    roomy = Capacity(4, need, need)
    fits = choose(graph, entries, roomy)
    assert fits.regime == "columns"
    assert "the graph fits" in fits.reason
    with pytest.raises(ClusterFailed, match="add workers or give them more memory"):
        choose(graph, entries, Capacity(4, 1e8, 1e8))
    stored = save_graph(random_problem()[0], tmp_path / "g")
    forced = choose(stored, entries, roomy, "edges")
    assert forced.regime == "edges"
    assert "asked for" in forced.reason
    threaded = Capacity(4, need, memory_for_columns(stored, entries.blocks) - 1)  # a worker of many threads
    assert choose(stored, entries, threaded).regime == "edges"
    assert "does not fit" in choose(stored, entries, threaded).reason


def test_float64_counts_twice():
    graph, entries = sizes(10_000_000, 50_000_000, 64)
    need = memory_for_columns(graph, entries.blocks)
    assert memory_for_columns(graph, entries.blocks, double=True) == need + 64 * graph.nodes
    assert choose(graph, entries, Capacity(4, need, need)).regime == "columns"
    with pytest.raises(ClusterFailed):
        choose(graph, entries, Capacity(4, need, need), double=True)


def test_columns_at_a_time_follow_from_the_memory(tmp_path):
    stored = save_graph(random_problem()[0], tmp_path / "g")
    entries = sizes(2000, 0, 160)[1]
    for blocks in (1, 2, 5, 10):
        need = memory_for_turns(stored, 4, blocks)
        capacity = Capacity(4, need, need)
        layout = choose(stored, entries, capacity, "edges")
        assert layout.column_cuts[1] == 16 * blocks
        assert layout.column_cuts[-1] == 160


def test_shards_have_about_the_same_work(tmp_path):
    graph = save_graph(random_problem()[0], tmp_path / "g")
    cuts = row_cuts(graph, 7)
    work = np.diff(np.asarray(graph.indptr())[list(cuts)]) + 4 * np.diff(cuts)
    assert cuts[0] == 0
    assert cuts[-1] == graph.nodes
    assert work.max() <= work.mean() + graph.largest_degree + 8


# ---------------------------------------------------------------- files of a run


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_tiles_are_the_matrix_they_were_cut_from(tmp_path_factory, data):
    rows, columns = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 40))
    matrix = np.random.default_rng(0).random((rows, columns), dtype=np.float32)
    row_cuts_, column_cuts = (
        tuple(sorted({0, size} | data.draw(st.sets(st.integers(0, size), max_size=3)))) for size in (rows, columns)
    )
    folder = Folder(str(tmp_path_factory.mktemp("tiles")))
    for i in range(len(row_cuts_) - 1):
        for j in range(len(column_cuts) - 1):
            tile = matrix[row_cuts_[i] : row_cuts_[i + 1], column_cuts[j] : column_cuts[j + 1]]
            folder.write(f"{tile_name(i, j)}.npy", tile)
    tiled = TiledMatrix(folder, row_cuts_, column_cuts, matrix.dtype)
    assert tiled.shape == matrix.shape
    assert (np.asarray(tiled) == matrix).all()
    row = data.draw(st.integers(-rows, rows - 1))
    assert (tiled[row] == matrix[row]).all()
    part = data.draw(st.slices(rows))
    assert (tiled[part] == matrix[part]).all()
    some = np.array(data.draw(st.lists(st.integers(0, rows - 1), max_size=5)), dtype=np.int64)
    assert (tiled[some] == matrix[some]).all()


def test_entries_give_back_every_number_once(tmp_path):
    _, features = random_problem(nodes=200, columns=37)
    entries = write_matrix(Folder(str(tmp_path)), in_canonical_form(features), np.ones(200))
    dense = np.zeros((200, 48))
    for block in range(entries.blocks):
        for first, last in ((0, 60), (60, 61), (61, None)):
            for rows, lanes, values in entries.read(block, first, last):
                assert (dense[rows, 16 * block + lanes] == 0).all()
                dense[rows, 16 * block + lanes] = values
    assert (dense[:, :37] == features.toarray()).all()
    assert not dense[:, 37:].any()
    assert entries.largest == np.abs(features.data).max()
