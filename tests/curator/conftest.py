from datetime import date

import numpy as np
import pytest

from privge import Campaign, Graph
from privge.collect.stores import Upload, open_store

NODES, DIMENSIONS = 40, 6


@pytest.fixture
def campaign():
    return Campaign(dimensions=DIMENSIONS, low=0, high=1, mechanism="hds", epsilon=2.0, k=3, levels=33)


@pytest.fixture
def reports(campaign):
    values = np.random.default_rng(1).random((NODES, DIMENSIONS))
    return campaign.simulate(values, ids=[f"n{i}" for i in range(NODES)], seed=1)


@pytest.fixture
def graph():
    pairs = [(f"n{i}", f"n{(i + step) % NODES}") for i in range(NODES) for step in (1, 2)]
    return Graph.from_edges(pairs, nodes=[f"n{i}" for i in range(NODES)])


@pytest.fixture
def smaller():
    """The graph before its last ten nodes came."""
    pairs = [(f"n{i}", f"n{j}") for i in range(NODES - 10) for j in (i + 1, i + 2) if j < NODES - 10]
    return Graph.from_edges(pairs, nodes=[f"n{i}" for i in range(NODES - 10)])


@pytest.fixture
def store(tmp_path, campaign):
    store = open_store(str(tmp_path / "app.db"))
    store.add_campaign(campaign)
    yield store
    store.close()


@pytest.fixture
def put(store):
    def put(reports, rows, store=store):
        uploads = [Upload(reports.ids[i], reports.codes[i].astype("<u2").tobytes()) for i in rows]
        store.put(reports.campaign.id, uploads, day=date(2027, 1, 1))

    return put


@pytest.fixture
def apart():
    def apart(one, other):
        """How far two embeddings differ, beyond what both certify."""
        far = np.abs(one.matrix.astype(float) - other.matrix).max()
        return far - one.provenance.run.certificate - other.provenance.run.certificate

    return apart
