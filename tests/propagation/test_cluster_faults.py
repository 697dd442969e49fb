"""Workers die, the scheduler goes, a disk is full, the driver is stopped: nothing wrong comes out, nothing is lost."""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest
import scipy.sparse
from distributed import Client, LocalCluster

from privge._dask import workers
from privge.errors import ClusterFailed
from privge.graph import Graph
from privge.propagation import OnCluster, propagate
from privge.propagation.cluster import homes
from privge.propagation.cluster.steps import Steps
from privge.propagation.cluster.turns import Turns

PARAMETERS = {"alpha": 0.02, "r": 0.3, "tolerance": 1e-4}
COLUMNS, NARROW = 160, 32
ITERATIONS = {"sor": Turns, "chebyshev": Steps}


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(0)
    nodes = 30_000
    graph = Graph.from_edges(generator.integers(0, nodes, (8 * nodes, 2)), nodes=np.arange(nodes))
    features = scipy.sparse.random_array((nodes, COLUMNS), density=0.01, rng=generator, format="csr", dtype=np.float32)
    return graph, features


@pytest.fixture(scope="module")
def narrow(problem):
    """The same with the first of its columns: what a step by edges does, it does for any number of them."""
    graph, features = problem
    return graph, features[:, :NARROW]


@pytest.fixture(scope="module")
def expected(problem):
    return propagate(*problem, **PARAMETERS)[0]


@pytest.fixture
def fragile():
    """A cluster that a test may break."""
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL")
    try:
        with Client(local, set_as_default=False) as client:
            yield client
    finally:
        with suppress(TimeoutError):  # a worker that was broken may not go in time; it goes with this process
            local.close()


def finished_tiles(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("run-*/*/tiles/*.json")}


class Killer:
    """Kills a worker process when so many columns are done; as a progress callback."""

    def __init__(self, client, *at):
        self.client, self.at = client, list(at)
        self.killed = 0

    def __call__(self, done, _total):
        while self.at and done >= self.at[0]:
            self.at.pop(0)
            self.kill()

    def kill(self):
        self.client.wait_for_workers(2, timeout=60)  # one dies at a time: the other goes on
        pids = self.client.run(os.getpid, on_error="ignore")  # one that was killed may be on its way back
        os.kill(min(pids.values()), signal.SIGKILL)
        self.killed += 1


def test_a_worker_killed_twice_changes_no_bit(problem, expected, fragile, tmp_path):
    killer = Killer(fragile, 16, 64)
    z, _ = propagate(*problem, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="columns"), progress=killer)
    assert killer.killed == 2
    assert np.asarray(z).tobytes() == expected.tobytes()


def test_shards_of_killed_workers_are_computed_again(narrow, expected, fragile, engine, tmp_path, monkeypatch):
    iteration = ITERATIONS[engine]
    killer, judge, steps = Killer(fragile), iteration._judge, []

    def judge_and_kill(self, *arguments):
        steps.append(1)
        if len(steps) in (6, 15):
            killer.kill()
        return judge(self, *arguments)

    monkeypatch.setattr(iteration, "_judge", judge_and_kill)
    monkeypatch.setattr(homes, "CHECKPOINT_SECONDS", 0.5)
    z, _ = propagate(*narrow, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="edges"))
    assert killer.killed == 2
    assert np.abs(np.asarray(z) - expected[:, :NARROW]).max() <= 2e-4


class StoppedError(Exception):
    pass


def stop_at_step(last, problem, cluster, folder, monkeypatch, iteration=Turns):
    """Run by edges, with a checkpoint after every step, and stop the driver at one of them."""
    judge, steps = iteration._judge, []

    def judge_until(self, *arguments):
        steps.append(1)
        if len(steps) == last:
            raise StoppedError
        return judge(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(iteration, "_judge", judge_until)
        patched.setattr(homes, "CHECKPOINT_SECONDS", 0.0)
        with pytest.raises(StoppedError):
            propagate(*problem, **PARAMETERS, on=OnCluster(cluster, folder=folder, regime="edges"))


def test_a_stopped_iteration_goes_on_from_its_checkpoint(narrow, cluster, engine, tmp_path, monkeypatch, caplog):
    whole, _ = propagate(*narrow, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path / "whole", regime="edges"))
    stop_at_step(12, narrow, cluster, tmp_path / "cut", monkeypatch, ITERATIONS[engine])
    (checkpoints,) = (tmp_path / "cut").glob("run-*/edges/checkpoints")
    for file in checkpoints.glob("*-t*-*"):  # a later save that was cut off left some files, and no note of them
        (checkpoints / re.sub("-t[0-9]+-", "-t00099-", file.name)).write_bytes(b"half")
    caplog.set_level("INFO")
    monkeypatch.setattr(homes, "CHECKPOINT_SECONDS", 0.0)
    again, run = propagate(*narrow, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path / "cut", regime="edges"))
    sweeps = sum(map(int, re.findall("going on from the checkpoint after ([0-9]+) sweeps", caplog.text)))
    # At once, that is the whole state. In turns, each block has its own, and one may have stopped while it was saved.
    assert sweeps == 11 or (engine == "sor" and sweeps == 10)
    assert run.engine == engine
    assert np.asarray(again).tobytes() == np.asarray(whole).tobytes()
    assert not list(checkpoints.iterdir())


def test_a_checkpoint_that_lost_a_file_is_no_checkpoint(narrow, cluster, tmp_path, monkeypatch):
    stop_at_step(5, narrow, cluster, tmp_path, monkeypatch)
    next(iter(tmp_path.glob("run-*/edges/checkpoints/*.npy"))).unlink()
    _, run = propagate(*narrow, **PARAMETERS, on=OnCluster(cluster, folder=tmp_path, regime="edges"))
    assert run.certificate.error <= PARAMETERS["tolerance"]


def test_a_full_disk_fails_with_one_message_and_the_rest_is_kept(problem, expected, fragile, tmp_path):
    def limit_file_size(size):  # local, so that it is sent to the workers, which have no tests
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    def fill_disks(done, _total):  # a limit on the size of a file is what a full disk looks like to a process
        if done >= 32:
            fragile.run(limit_file_size, 100_000)

    with pytest.raises(ClusterFailed, match=r"a worker's disk is full.*run the same command again"):
        propagate(*problem, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="columns"), progress=fill_disks)
    done = finished_tiles(tmp_path)
    assert 2 <= len(done) < COLUMNS // 16
    fragile.run(limit_file_size, resource.RLIM_INFINITY)
    z, _ = propagate(*problem, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="columns"))
    assert np.asarray(z).tobytes() == expected.tobytes()
    assert {name: finished_tiles(tmp_path)[name] for name in done} == done


def test_one_worker_with_a_full_disk_does_not_spoil_the_run(problem, expected, fragile, tmp_path):
    def limit_file_size(size):
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    first = min(workers(fragile))
    fragile.run(limit_file_size, 100_000, workers=[first])
    with suppress(ClusterFailed):  # unless the other worker took over every task
        propagate(*problem, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="columns"))
    fragile.run(limit_file_size, resource.RLIM_INFINITY, workers=[first])
    z, _ = propagate(*problem, **PARAMETERS, on=OnCluster(fragile, folder=tmp_path, regime="columns"))
    assert np.asarray(z).tobytes() == expected.tobytes()


@contextmanager
def by_hand(port):
    """A scheduler and two workers, each a process of its own, as an operator starts them."""
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = [*dask, "worker", address, "--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    processes = [subprocess.Popen(command, **quiet) for command in (scheduler, worker)]
    try:
        yield address, processes[0]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_a_lost_scheduler_is_said_and_a_new_one_goes_on(problem, expected, tmp_path):
    port = free_port()
    with by_hand(port) as (address, scheduler):
        await_workers(address)

        def lose(done, _total):
            if done >= 32:
                scheduler.kill()

        with pytest.raises(ClusterFailed, match="scheduler was lost"):
            propagate(*problem, **PARAMETERS, on=OnCluster(address, folder=tmp_path, regime="columns"), progress=lose)
    done = finished_tiles(tmp_path)
    assert 2 <= len(done) < COLUMNS // 16
    with by_hand(port) as (address, _):
        await_workers(address)
        z, _ = propagate(*problem, **PARAMETERS, on=OnCluster(address, folder=tmp_path, regime="columns"))
    assert np.asarray(z).tobytes() == expected.tobytes()
    assert {name: finished_tiles(tmp_path)[name] for name in done} == done


def await_workers(address):
    deadline = time.monotonic() + 60
    while True:
        try:
            with Client(address, timeout=5, set_as_default=False) as client:
                return client.wait_for_workers(2, timeout=60)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
