"""A cluster that nobody works for says so; what cannot go better the next time is not tried again."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import numpy as np
import pytest
import scipy.sparse
from distributed import Client, LocalCluster

from privge._dask import completed
from privge._waiting import RETRIES, gathered
from privge.errors import BadData, ClusterFailed
from privge.graph import Graph
from privge.propagation import OnCluster, propagate
from privge.propagation.cluster import homes
from privge.propagation.cluster.steps import Steps
from privge.propagation.cluster.turns import Turns

PARAMETERS = {"alpha": 0.02, "r": 0.3, "tolerance": 1e-4}


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 3_000, (20_000, 2)), nodes=np.arange(3_000))
    features = scipy.sparse.random_array((3_000, 48), density=0.01, rng=generator, format="csr", dtype=np.float32)
    return graph, features


@pytest.fixture
def local():
    """Two workers that a test may take away."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(local):
    with Client(local, set_as_default=False) as client:
        yield client


@pytest.fixture
def impatient():
    with dask.config.set({"privge.patience": "2s"}):
        yield


def test_a_result_that_takes_long_to_fetch_does_not_spoil_the_client(client):
    """Fetching waits for one of a few places; on a busy machine longer than the time between two looks."""

    async def occupy(take):
        for _ in range(5):
            await client._gather_semaphore.acquire() if take else client._gather_semaphore.release()

    with dask.config.set({"privge.patience": "0.4s"}), ThreadPoolExecutor(1) as pool:
        future = client.submit(divmod, 7, 2)
        future.result()
        client.sync(occupy, take=True)
        fetched = pool.submit(gathered, client, [future])
        time.sleep(0.5)
        client.sync(occupy, take=False)
        assert fetched.result(timeout=10) == [(3, 1)]
    assert gathered(client, [client.submit(divmod, 9, 2)]) == [(4, 1)]


def once(action):
    """Return a function that does something when it is called first, and nothing later."""
    calls = []

    def act(*_arguments):
        calls.append(1)
        if len(calls) == 1:
            action()

    return act


def with_the_steps(monkeypatch, action):
    """Call something after every step by edges, in turns or at once."""

    def acting(judge):
        def judge_and_act(self, *arguments):
            action()
            return judge(self, *arguments)

        return judge_and_act

    for iteration in (Turns, Steps):
        monkeypatch.setattr(iteration, "_judge", acting(iteration._judge))


def kill_all(client):
    """Kill every worker process at once; their nannies start others, at other addresses."""
    client.wait_for_workers(2, timeout=60)
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)


def lose_all(local, client):
    """Kill every worker process, and start no others."""
    for nanny in local.workers.values():
        nanny.close_gracefully()  # which means: do not start it again
    kill_all(client)


GONE = r"all workers of the cluster at tcp://.* are gone, and none came for 2 seconds; start some.*run the same command"


def slow_tasks(client, count=12):
    """Yield the results of tasks, which take half a second each."""

    def wait(number):
        import time

        time.sleep(0.5)
        return number

    return completed(client, wait, [(number,) for number in range(count)])


@pytest.mark.usefixtures("impatient")
def test_tasks_of_a_cluster_that_lost_all_workers_end_with_a_message(local, client):
    results = slow_tasks(client)
    next(results)
    lose_all(local, client)
    with pytest.raises(ClusterFailed, match=GONE):
        list(results)


def test_tasks_go_on_when_workers_come_back_in_time(client):
    results = slow_tasks(client)
    first = next(results)
    kill_all(client)
    assert sorted([first, *results]) == list(range(12))


@pytest.mark.usefixtures("impatient")
def test_by_edges_a_cluster_that_lost_all_workers_says_so(problem, local, client, tmp_path, monkeypatch):
    with_the_steps(monkeypatch, once(lambda: lose_all(local, client)))
    with pytest.raises(ClusterFailed, match=GONE):
        propagate(*problem, **PARAMETERS, on=OnCluster(client, folder=tmp_path, regime="edges"))


@pytest.mark.parametrize("checkpoints", [0.0, 60.0], ids=["with a checkpoint", "before the first checkpoint"])
def test_by_edges_a_run_goes_on_when_all_workers_are_replaced_at_once(
    problem, client, engine, tmp_path, monkeypatch, caplog, checkpoints
):
    steps = []

    def kill_at_the_fifth_step():
        steps.append(1)
        if len(steps) == 5:
            kill_all(client)

    with_the_steps(monkeypatch, kill_at_the_fifth_step)
    monkeypatch.setattr(homes, "CHECKPOINT_SECONDS", checkpoints)
    caplog.set_level("INFO")
    z, run = propagate(*problem, **PARAMETERS, on=OnCluster(client, folder=tmp_path, regime="edges"))
    assert run.engine == engine
    assert "workers were lost; going back" in caplog.text
    assert ("going on from the checkpoint" in caplog.text) == (checkpoints == 0.0)
    expected, alone = propagate(*problem, **PARAMETERS)
    assert np.abs(np.asarray(z) - expected).max() <= run.certificate.error + alone.certificate.error


def test_by_edges_workers_that_die_again_and_again_at_the_same_step_are_given_up(
    problem, client, tmp_path, monkeypatch
):
    with_the_steps(monkeypatch, lambda: kill_all(client))
    monkeypatch.setattr(homes, "CHECKPOINT_SECONDS", 60.0)
    with pytest.raises(ClusterFailed, match="lost 3 times after 1 sweeps"):
        propagate(*problem, **PARAMETERS, on=OnCluster(client, folder=tmp_path, regime="edges"))


def failing(folder, kind, times):
    """A task that fails so often; local functions are sent to the workers, which have no tests."""

    def fail(number):
        import uuid

        (Path(folder) / f"{number}-{uuid.uuid4()}").touch()
        if len(list(Path(folder).glob(f"{number}-*"))) <= times:
            raise kind("of no use")
        return number

    return fail


def runs(folder):
    return len(list(folder.iterdir()))


@pytest.mark.parametrize("kind", [BadData, ValueError, ZeroDivisionError])
def test_a_task_that_fails_for_its_data_fails_at_once(cluster, tmp_path, kind):
    with pytest.raises(kind, match="of no use"):
        list(completed(cluster, failing(tmp_path, kind, 99), [(1,)]))
    assert runs(tmp_path) == 1


def test_a_task_that_could_not_write_is_tried_again(cluster, tmp_path):
    assert sorted(completed(cluster, failing(tmp_path, OSError, RETRIES), [(1,), (2,)])) == [1, 2]
    assert runs(tmp_path) == 2 * (RETRIES + 1)


def test_a_task_that_never_can_write_is_given_up(cluster, tmp_path):
    with pytest.raises(ClusterFailed, match="a worker could not read or write"):
        list(completed(cluster, failing(tmp_path, OSError, 99), [(1,)]))
    assert runs(tmp_path) == RETRIES + 1


def test_tasks_behind_one_that_failed_are_run_when_it_was_tried_again(cluster, tmp_path):
    first = cluster.submit(failing(tmp_path, OSError, 1), 1, pure=False)
    behind = [cluster.submit(lambda one, more: one + more, first, more, pure=False) for more in (10, 20)]
    assert gathered(cluster, behind) == [11, 21]
    assert runs(tmp_path) == 2
