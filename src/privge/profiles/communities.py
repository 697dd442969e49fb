"""Groups found in the public graph: communities by the Leiden algorithm of igraph."""

import random

import numpy as np

from privge._imports import needed
from privge.errors import BadData
from privge.graph import GraphData, as_graph
from privge.profiles.groups import Groups
from privge.structure.order import Ordered


def find_communities(graph: GraphData, *, resolution: float = 1.0, smallest: int = 10, seed: int = 0) -> Groups:
    """Cut a public graph into communities of high modularity. It reads no report and costs no privacy.

    Communities are called ``community 1``, ``community 2``, ..., the largest first. Nodes are brought into the order of
    their ids before the search, so it does not matter how the rows of the graph stand.

    Parameters
    ----------
    graph
        The graph, in any form that `privge.as_graph` takes; weights count.
    resolution
        Above 1 gives more and smaller communities.
    smallest
        Whoever is in a community of fewer people is in none.
    seed
        The same seed gives the same communities on the same version of igraph.
    """
    with needed("finding communities"):
        import igraph

    network = Ordered.of(as_graph(graph)).graph
    upper = network.to_scipy().tocoo()
    once = upper.row < upper.col
    edges = list(zip(upper.row[once].tolist(), upper.col[once].tolist(), strict=True))
    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311 (of a public graph)
    try:
        found = igraph.Graph(n=network.nodes, edges=edges).community_leiden(
            "modularity", weights=upper.data[once].tolist(), resolution=resolution, n_iterations=-1
        )
    finally:
        igraph.set_random_number_generator(random)
    kept = sorted((community for community in found if len(community) >= smallest), key=_size_then_first)
    if not kept:
        raise BadData(
            f"the graph has no community of {smallest} people; ask for a smaller resolution, or for smaller ones"
        )
    rows = np.array([row for community in kept for row in community])
    places = np.repeat(np.arange(len(kept)), [len(community) for community in kept])
    return Groups(network.ids[rows], places, tuple(f"community {number}" for number in range(1, len(kept) + 1)))


def _size_then_first(community: list[int]) -> tuple[int, int]:
    return -len(community), min(community)
