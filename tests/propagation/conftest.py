"""Fixtures for tests of propagation."""

import pytest


@pytest.fixture(params=["sor", "chebyshev"])
def engine(request, monkeypatch):
    """Both ways to iterate by edges: shards in turns, and at once. A test that asks for it runs by each."""
    from privge.propagation.cluster import regime

    if request.param == "chebyshev":
        monkeypatch.setattr(regime, "_TAKE_TURNS", 0)
    return request.param
