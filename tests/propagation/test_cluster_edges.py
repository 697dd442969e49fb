"""By edges, in turns and at once: graphs made to break the certificate, float32 halos beyond float32, checkpoints."""

import numpy as np
import pytest
import scipy.sparse
from distributed import Client, LocalCluster

from privge._waiting import side_by_side
from privge.graph import Graph
from privge.graph.stored import save_graph
from privge.propagation import OnCluster, propagate
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation._kernels.remain import remain
from privge.propagation.cluster import homes, regime, turns
from privge.propagation.cluster.regime import Capacity, choose, memory_for_edges
from privge.propagation.relaxation import rounding_of_residual
from privge.testing.series import exact_embedding

NODES = 60
GRAPHS = {
    "star": [(0, i) for i in range(1, NODES)],
    "star around the last": [(NODES - 1, i) for i in range(NODES - 1)],
    "path": [(i, i + 1) for i in range(NODES - 1)],
    "bipartite": [(i, j) for i in range(7) for j in range(7, NODES)],
    "two components": [(i, j) for i in range(NODES) for j in range(i) if (i < 23) == (j < 23)],
    "no edge leaves a shard": [(i, i + 1) for i in range(0, NODES, 2)],
    "mostly isolated": [(0, 1), (1, NODES - 1), (30, 31)],
    "hub with a long tail": [(0, i) for i in range(1, 40)] + [(i, i + 1) for i in range(39, NODES - 1)],
}
FEATURES = np.hstack(
    [
        np.ones((NODES, 2)),
        np.eye(NODES, 6),
        np.where(np.add.outer(np.arange(NODES), np.arange(2)) % 2, 1.0, -1.0),
        np.zeros((NODES, 1)),
        10.0 ** -np.random.default_rng(0).integers(0, 9, (NODES, 8)),
    ]
)


@pytest.fixture(scope="module")
def three():
    """Three workers, which are threads here: enough for a shard between two others."""
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


def by_edges(graph, features, client, alpha, r, tolerance, folder=None):
    place = OnCluster(client, folder=folder, regime="edges")
    return propagate(graph, scipy.sparse.csr_array(features), alpha=alpha, r=r, tolerance=tolerance, on=place)


@pytest.mark.parametrize("shape", GRAPHS)
def test_no_entry_is_farther_from_the_exact_one_than_certified(three, engine, shape):
    alpha, r, tolerance = 0.4, 1.0, 1e-10
    graph = Graph.from_edges(np.array(GRAPHS[shape]), nodes=np.arange(NODES))
    z, run = by_edges(graph, FEATURES, three, alpha, r, tolerance)
    exact = exact_embedding(graph, scipy.sparse.csr_array(FEATURES), alpha, r)
    assert run.engine == engine
    assert np.abs(np.asarray(z, dtype=np.float64) - exact).max() <= run.certificate.error + 1e-13
    assert run.certificate.error <= tolerance


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_weights_of_many_sizes_keep_the_certificate(three, engine, tolerance):
    decades, generator = 8, np.random.default_rng(8)
    ends = generator.integers(0, NODES - 4, (200, 2))  # and four isolated nodes
    ends[:50, 0] = 7
    graph = Graph.from_edges(ends, nodes=np.arange(NODES), weights=10.0 ** generator.uniform(-decades, decades, 200))
    z, run = by_edges(graph, FEATURES, three, 0.1, 0.3, tolerance)
    exact = exact_embedding(graph, scipy.sparse.csr_array(FEATURES), 0.1, 0.3)
    assert run.engine == engine
    assert np.abs(np.asarray(z, dtype=np.float64) - exact).max() <= run.certificate.error + 1e-11
    assert run.certificate.error <= tolerance


def random_graph(nodes=400, weighted=False):
    generator = np.random.default_rng(5)
    ends = generator.integers(0, nodes, (6 * nodes, 2))
    ends[:300, 0] = 3  # one node with far more than 64 neighbours
    weights = generator.uniform(0.1, 10, len(ends)) if weighted else None
    graph = Graph.from_edges(ends, nodes=np.arange(nodes + 2), weights=weights)
    return graph, generator.normal(size=(nodes + 2, 20))


def test_a_look_that_came_too_early_is_followed_by_more_sweeps(three, monkeypatch):
    monkeypatch.setattr(turns, "_LEFT_BY_CHANGE", 1e-3)
    graph = Graph.from_edges(np.array(GRAPHS["path"]), nodes=np.arange(NODES))
    z, run = by_edges(graph, FEATURES, three, 0.1, 0.5, 1e-4)
    exact = exact_embedding(graph, scipy.sparse.csr_array(FEATURES), 0.1, 0.5)
    assert np.abs(np.asarray(z) - exact).max() <= run.certificate.error <= 1e-4
    assert run.certificate.precision == "float32"  # nothing had to be corrected


@pytest.mark.parametrize("shape", ["path", "star"])
def test_sweeps_that_shrink_slowly_reach_the_tolerance_too(three, shape):
    graph = Graph.from_edges(np.array(GRAPHS[shape]), nodes=np.arange(NODES))
    z, run = by_edges(graph, FEATURES, three, 0.003, 0.5, 1e-4)
    exact = exact_embedding(graph, scipy.sparse.csr_array(FEATURES), 0.003, 0.5)
    assert np.abs(np.asarray(z) - exact).max() <= run.certificate.error <= 1e-4


def test_tasks_of_a_shard_stay_on_its_worker_however_busy_it_is(three):
    def where(_):
        import time

        from distributed import get_worker

        time.sleep(0.1)
        return get_worker().address

    shards = homes.Homes(three, 3)
    tasks = [shards.submit(0, where, number) for number in range(12)]
    assert set(three.gather(tasks)) == {shards.workers[0]}


# ---------------------------------------------------------------- what is left, and refinement


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unit", [1.0, 2.0**-90, 2.0**90])
def test_what_is_left_is_that_of_scipy(weighted, unit):
    graph, _ = random_graph(weighted=weighted)
    generator = np.random.default_rng(6)
    rows, alpha = 250, 0.1  # the other rows are halo
    indptr = graph.indptr[: rows + 1]
    neighbours, degrees = graph.indices[: indptr[-1]], np.diff(indptr)
    y = generator.normal(size=(graph.nodes, LANES)).astype(np.float32)
    right = unit * generator.normal(size=(rows, LANES))
    factors, shares = np.where(degrees > 0, (1 - alpha) / np.maximum(degrees, 1), 0.0), None
    if weighted:
        shares = graph.weights[: indptr[-1]] / np.repeat(graph.strengths[:rows], degrees)
        factors = np.where(degrees > 0, 1 - alpha, 0.0)
    counts = np.ones(indptr[-1]) if shares is None else shares
    matrix = scipy.sparse.csr_array((counts.astype(np.longdouble), neighbours, indptr), shape=(rows, graph.nodes))
    wide = y.astype(np.longdouble)
    exact = right + unit * (factors[:, None] * (matrix @ wide) - wide[:rows])
    left = np.full((rows, LANES), np.nan)
    padded = np.concatenate([neighbours, np.zeros(AHEAD, np.int32)])
    largest = remain(indptr, padded, shares, factors, right, y, unit, left)
    involved = np.abs(right).max() + 2 * unit * float(np.abs(y).max())
    assert degrees.max() > 128
    assert np.abs(left - exact).max() <= rounding_of_residual(involved, int(degrees.max()), weighted=weighted)
    assert largest == np.abs(left).max()


def test_a_nan_in_a_halo_is_left():
    indptr, indices = np.array([0, 1]), np.concatenate([[1], np.zeros(AHEAD)]).astype(np.int32)
    y = np.zeros((2, LANES), np.float32)
    y[1, 5] = np.nan
    assert np.isnan(remain(indptr, indices, None, np.ones(1), np.zeros((1, LANES)), y, 1.0, np.zeros((1, LANES))))


@pytest.mark.parametrize("weighted", [False, True])
def test_float32_halos_reach_what_float32_cannot(three, weighted, monkeypatch):
    certify, certified = turns.Turns._certify, []

    def note(self, block, *arguments):
        found = certify(self, block, *arguments)
        certified.append((block.number, block.refined, found[0].error))
        return found

    monkeypatch.setattr(turns.Turns, "_certify", note)
    graph, features = random_graph(weighted=weighted)
    tolerance = 1e-11
    z, run = by_edges(graph, features, three, 0.1, 0.5, tolerance)
    exact = exact_embedding(graph, scipy.sparse.csr_array(features), 0.1, 0.5)
    assert z.dtype == np.float64
    assert run.certificate.precision == "float64"
    assert np.abs(np.asarray(z) - exact).max() <= run.certificate.error + 1e-13
    assert run.certificate.error <= tolerance
    first = [error for _, refined, error in certified if refined == 0]
    assert len(first) == 2  # blocks
    assert min(first) > 1e3 * tolerance  # of the float32 solution, before it was corrected


class StoppedError(Exception):
    """As if the driver was killed."""


@pytest.fixture(scope="module")
def uncut(three, tmp_path_factory):
    """A run that is not stopped: with what it was called, and its result."""
    call = (*random_graph(), three, 0.1, 0.5, 1e-11)
    return call, np.asarray(by_edges(*call, tmp_path_factory.mktemp("uncut"))[0]).tobytes()


@pytest.mark.parametrize("since", [1, 4])
def test_a_correction_goes_on_from_its_checkpoint_with_the_same_bits(uncut, tmp_path, monkeypatch, caplog, since):
    call, whole = uncut
    judge = turns.Turns._judge

    def judge_until(self, block, *arguments):
        if block.refined == 1 and block.since == since:
            raise StoppedError
        return judge(self, block, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(turns.Turns, "_judge", judge_until)
        patched.setattr(homes, "CHECKPOINT_SECONDS", 0.0)
        with pytest.raises(StoppedError):
            by_edges(*call, tmp_path / "cut")
    assert list((tmp_path / "cut").glob("run-*/edges/checkpoints/*-total.npy"))
    caplog.set_level("INFO")
    monkeypatch.setattr(regime, "_TAKE_TURNS", 0)  # a run that was begun keeps its way
    again, run = by_edges(*call, tmp_path / "cut")
    assert "going on from the checkpoint" in caplog.text
    assert run.engine == "sor"
    assert np.asarray(again).tobytes() == whole


# ---------------------------------------------------------------- which way, and chains of tasks


def test_shards_take_turns_if_there_are_blocks_for_half_of_the_threads(tmp_path):
    graph, _ = random_graph()
    stored = save_graph(graph, tmp_path / "g")

    class Columns:
        columns, blocks = 64, 4

    def chosen(workers, threads):
        room = 2 * memory_for_edges(stored, workers, 4)
        return choose(stored, Columns, Capacity(workers, room, room / threads, threads), "edges")

    assert chosen(4, 2).engine == "sor"
    assert "in turns" in chosen(4, 2).reason
    assert chosen(5, 2).engine == "chebyshev"
    assert "at once" in chosen(5, 2).reason
    Columns.columns, Columns.blocks = 1600, 100
    assert chosen(32, 2).engine == "sor"
    assert chosen(33, 2).engine == "chebyshev"


def test_chains_get_the_results_of_their_own_futures_in_the_order_they_asked(three):
    seen = {}

    def chain(name, steps):
        seen[name] = []
        for step in range(steps):
            seen[name].append((yield [three.submit(pow, step + 2, power, pure=False) for power in (3, 2)]))

    side_by_side(three, [chain("short", 1), chain("long", 3), chain("none", 0)])
    assert seen == {"short": [[8, 4]], "long": [[8, 4], [27, 9], [64, 16]], "none": []}


def test_what_fails_in_a_chain_ends_all_of_them(three):
    def chain(divisor):
        yield [three.submit(divmod, 1, divisor, pure=False)]
        yield [three.submit(divmod, 1, divisor - 1, pure=False)]

    with pytest.raises(ZeroDivisionError):
        side_by_side(three, [chain(1), chain(2)])
