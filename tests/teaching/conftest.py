from types import SimpleNamespace

import numpy as np
import pytest

from privge.datasets import social_network
from privge.questions import Encoding
from privge.tasks import split_nodes
from privge.teaching import public_prior


@pytest.fixture(scope="session")
def world():
    """A small network in which the graph says something of the class and the profile says more."""
    made = social_network(people=1200, communities=3, interests=12, degree=5, homophily=0.75, seed=3)
    split = split_nodes(made.labels, seed=0, shares=(0.4, 0.2, 0.4))
    known = np.full(len(made.labels), -1)
    for rows in (split.train, split.validation):
        known[rows] = made.labels[rows]
    return SimpleNamespace(
        graph=made.graph,
        features=made.features,
        labels=made.labels,
        known=known,
        split=split,
        encoding=Encoding.numbers(12, 0.0, 1.0),
        structure=public_prior(made.graph, known, train=split.train, validation=split.validation),
    )
