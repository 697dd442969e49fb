"""A made-up social network: communities whose members are alike and know each other, but not only each other."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.datasets.contents import Blob, Contents
from privge.graph import Graph


@dataclass(frozen=True, eq=False)
class SocialNetwork:
    """People, who knows whom, what they like, and which community they belong to."""

    graph: Graph
    features: NDArray[np.float64]
    labels: NDArray[np.int64]
    feature_names: tuple[str, ...]


def social_network(
    people: int = 3000,
    communities: int = 6,
    interests: int = 24,
    *,
    degree: float = 12.0,
    homophily: float = 0.7,
    seed: int = 0,
) -> SocialNetwork:
    """Make a degree-corrected network of homophilous communities with a profile for each person.

    Parameters
    ----------
    people, communities
        Number of nodes and of equally likely communities.
    interests
        Number of features, each from 0 to 1. A community likes a few of them more than others do.
    degree
        Average number of friends; popularity differs between people as in real networks.
    homophily
        Share of friendships that are made inside one's own community.
    seed
        The network is the same for the same seed. (It is made up; nobody's privacy depends on it.)
    """
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, communities, people)
    taste = generator.beta(1.2, 1.8, size=(communities, interests))
    features = np.clip(taste[labels] + generator.normal(0, 0.25, size=(people, interests)), 0, 1)
    popularity = generator.pareto(2.5, people) + 0.2
    edges = int(people * degree / 2)
    sources = generator.choice(people, edges, p=popularity / popularity.sum())
    targets = generator.choice(people, edges, p=popularity / popularity.sum())
    inside = generator.random(edges) < homophily
    for community in range(communities):
        members = np.flatnonzero(labels == community)
        mine = inside & (labels[sources] == community)
        if members.size:
            share = popularity[members] / popularity[members].sum()
            targets[mine] = generator.choice(members, int(mine.sum()), p=share)
    names = tuple(f"interest {i}" for i in range(interests))
    ids = np.array([f"person-{i:04d}" for i in range(people)], dtype=np.object_)
    graph = Graph.from_edges(zip(ids[sources], ids[targets], strict=True), nodes=ids)
    return SocialNetwork(graph, features, labels, names)


def read_synthetic(_blobs: Mapping[str, Blob]) -> Contents:
    """Make the network of the demo, as a dataset that needs no files."""
    network = social_network()
    links = np.column_stack(network.graph.to_scipy().nonzero()).astype(np.int64)
    communities = tuple(f"community {number}" for number in range(int(network.labels.max()) + 1))
    return Contents(links, scipy.sparse.csr_array(network.features), network.labels, communities)
