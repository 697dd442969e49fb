"""Fixtures for all tests."""

import os
import warnings

import pytest

# Threads of torch that have nothing to do shall sleep: beside another process, those that spin take its processor.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

pytest.register_assert_rewrite("privge.testing")


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
