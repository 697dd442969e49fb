"""The default engine stops when it can prove the tolerance: graphs made to show that it stopped too soon."""

import numpy as np
import pytest
import scipy.sparse

from privge.graph import Graph
from privge.propagation import Local, Sor, propagate
from privge.testing.series import exact_embedding

NODES = 60
GRAPHS = {
    "star": [(0, i) for i in range(1, NODES)],
    "path": [(i, i + 1) for i in range(NODES - 1)],
    "ring": [(i, (i + 1) % NODES) for i in range(NODES)],
    "bipartite": [(i, j) for i in range(7) for j in range(7, NODES)],
    "hub with a long tail": [(0, i) for i in range(1, 40)] + [(i, i + 1) for i in range(39, NODES - 1)],
    "two cliques and a bridge": [(i, j) for i in range(NODES) for j in range(i) if (i < 30) == (j < 30)] + [(29, 30)],
    "nested degrees": [(i, j) for i in range(NODES) for j in range(i) if i + j < NODES],
    "pairs": [(i, i + 1) for i in range(0, NODES - 2, 2)],
}
FEATURES = {
    "one sign": np.ones((NODES, 17)),
    "one node": np.eye(NODES, 17),
    "alternating": np.where(np.add.outer(np.arange(NODES), np.arange(17)) % 2, 1.0, -1.0),
    "of all sizes": 10.0 ** -np.random.default_rng(0).integers(0, 7, (NODES, 17)),
}


@pytest.mark.parametrize("gentle", [False, True])
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("shape", GRAPHS)
def test_no_entry_is_farther_from_the_exact_one_than_certified(shape, features, gentle):
    graph = Graph.from_edges(np.array(GRAPHS[shape]), nodes=np.arange(NODES))
    matrix, on = scipy.sparse.csr_array(FEATURES[features]), Local(engine=Sor(gentle=gentle), threads=1)
    for alpha in (0.02, 0.3, 0.9):
        for r in (0, 0.5, 1):
            for tolerance in (1e-2, 1e-4, 1e-7):
                z, run = propagate(graph, matrix, alpha=alpha, r=r, tolerance=tolerance, on=on)
                error = np.abs(np.asarray(z, dtype=np.float64) - exact_embedding(graph, matrix, alpha, r)).max()
                assert error <= run.certificate.error <= tolerance
