import numpy as np
import pytest

from privge.datasets import social_network
from privge.tasks import split_nodes


@pytest.fixture(scope="session")
def network():
    """A small network of communities."""
    return social_network(people=400, communities=3, degree=8, homophily=0.8, seed=1)


@pytest.fixture(scope="session")
def parts(network):
    return split_nodes(network.labels, seed=0)


@pytest.fixture
def generator():
    return np.random.default_rng(0)
