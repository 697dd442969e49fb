"""Places for the nodes of a small graph: the spring model of Fruchterman and Reingold."""

import numpy as np
from numpy.typing import NDArray

from privge.graph import Graph


def spring_layout(graph: Graph, rounds: int = 80, seed: int = 0) -> NDArray[np.float64]:
    """Return a place in the plane for each node; friends attract, all others repel. For some 1,000 nodes."""
    generator = np.random.default_rng(seed)
    adjacency = graph.to_scipy()
    places = generator.normal(size=(graph.nodes, 2))
    ideal = 1 / np.sqrt(max(1, graph.nodes))
    for step in np.linspace(0.1, 0.002, rounds):
        apart = places[:, None, :] - places[None, :, :]
        squares = (apart**2).sum(axis=2) + 1e-9
        repulsion = (apart * (ideal**2 / squares)[:, :, None]).sum(axis=1)
        lengths = np.sqrt(squares)
        pull = adjacency.multiply(lengths / ideal)
        attraction = np.asarray(pull @ places) - np.asarray(pull.sum(axis=1)).reshape(-1, 1) * places
        force = repulsion + attraction - 0.02 * places
        places += force / np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9) * step
    return places
