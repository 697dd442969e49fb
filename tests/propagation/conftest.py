"""Fixtures for tests of propagation."""

import multiprocessing

import pytest

_OF_WORKERS = ["distributed", "numba", "numpy", "pandas", "pyarrow.parquet", "scipy.sparse"]
"""What every worker loads before it does its first task."""


@pytest.fixture(scope="session", autouse=True)
def ready_workers():
    """Let workers begin as copies of a process that has loaded what they need: tests start, kill and replace many."""
    from distributed.utils import get_mp_context

    get_mp_context()  # which says once what is loaded, and would say it again over this
    multiprocessing.set_forkserver_preload(_OF_WORKERS)


@pytest.fixture(params=["sor", "chebyshev"])
def engine(request, monkeypatch):
    """Both ways to iterate by edges: shards in turns, and at once. A test that asks for it runs by each."""
    from privge.propagation.cluster import regime

    if request.param == "chebyshev":
        monkeypatch.setattr(regime, "_TAKE_TURNS", 0)
    return request.param
