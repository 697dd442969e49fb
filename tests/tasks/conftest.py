from types import SimpleNamespace

import numpy as np
import pytest

from privge import Campaign, embed
from privge.datasets import social_network
from privge.tasks import split_edges, split_nodes


@pytest.fixture(scope="session")
def network():
    """A small network with an embedding on all edges and one on training edges only."""
    made = social_network(people=400, communities=4, interests=16, degree=10, homophily=0.9, seed=1)
    campaign = Campaign(dimensions=16, low=0, high=1, mechanism="hds", epsilon=8.0, k=8)
    reports = campaign.simulate(made.features, ids=made.graph.ids, seed=0)
    nodes, edges = split_nodes(made.labels, seed=0), split_edges(made.graph, seed=0)
    return SimpleNamespace(
        graph=made.graph,
        labels=made.labels,
        reports=reports,
        nodes=nodes,
        edges=edges,
        matrix=embed(made.graph, reports, alpha=0.1, r=0.5).matrix.astype(np.float32),
        train_matrix=embed(edges.train_graph, reports, alpha=0.1, r=0.5).matrix.astype(np.float32),
    )
