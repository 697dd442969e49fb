"""A small made-up network, its known labels, and a panel."""

import numpy as np
import pytest

import privge as pg
from privge.datasets.synthetic import social_network
from privge.perturbation.raw import raw_features_of


class Network:
    def __init__(self):
        made = social_network(people=900, communities=3, interests=8, degree=6, homophily=0.6, seed=7)
        generator = np.random.default_rng(7)
        self.graph, self.features, self.truth = made.graph, made.features, made.labels
        self.known = np.sort(generator.permutation(900)[:400])
        self.members = np.sort(generator.permutation(self.known)[:200])
        self.labels = {str(self.graph.ids[row]): f"group {self.truth[row]}" for row in self.known}
        self.campaign = pg.Campaign(dimensions=8, low=0, high=1, mechanism="hds", epsilon=2.0)

    def panel(self, rows=None):
        rows = self.members if rows is None else rows
        return raw_features_of(self.campaign, self.features[rows], self.graph.ids[rows].tolist())

    def pilot(self, seed=0, *, features=None):
        values = self.features[self.members] if features is None else features
        return self.campaign.simulate(values, ids=self.graph.ids[self.members].tolist(), seed=seed)


@pytest.fixture(scope="session")
def network():
    return Network()
