"""Fixtures for all tests."""

import gc
import os
import warnings
from pathlib import Path

import pytest

# Threads of torch that have nothing to do shall sleep: beside another process, those that spin take its processor.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# The matrices here are small: a second thread of BLAS only waits, and takes the processor of another process meanwhile.
# Tests of what threads may not change set their number themselves.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Nobody looks at the profiles and the load of the workers that distributed samples a hundred times a second.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")
os.environ.setdefault("DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL", "10s")
# A worker begins as a copy of a process that has loaded distributed, instead of loading it again.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")

pytest.register_assert_rewrite("privge.testing")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Start one process more than there are processors: some tests wait for a browser, a cluster or a database."""
    return min((os.cpu_count() or 1) + 1, 4) if config.option.numprocesses == "auto" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage in what stays: all modules and thousands of tests, gone through again and again otherwise."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Refuse a mark that the Makefile would overlook: it finds the files of tests that run alone by their text."""
    hidden = {item.path for item in items if item.get_closest_marker("alone")}
    if lost := sorted(str(path) for path in hidden if "mark.alone" not in Path(path).read_text(encoding="utf-8")):
        raise pytest.UsageError(f"write pytest.mark.alone into the file of the tests that carry it: {', '.join(lost)}")


@pytest.fixture(scope="session")
def cluster():
    """A Dask cluster of two worker processes with one thread each, shared by all tests; yields its client."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ResourceWarning)  # sockets of distributed's own start-up
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as local,
            Client(local, set_as_default=False) as client,
        ):
            yield client
