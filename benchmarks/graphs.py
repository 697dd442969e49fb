"""Graphs to measure on."""

import os
from pathlib import Path

import numpy as np

from privge.graph import Graph, read_graph


def facebook():
    """The Facebook page network from the data cache (PRIVGE_DATA), or None if it is not there."""
    for folder in (os.environ.get("PRIVGE_DATA"), "../shared/datasets"):
        path = Path(folder or "") / "facebook" / "facebook_edges.csv"
        if folder and path.exists():
            return read_graph(path)
    return None


def power_law(nodes, edges, seed=0):
    """A graph whose degrees follow a power law; made on the spot, in little memory."""
    generator = np.random.default_rng(seed)
    chances = np.cumsum((1 - generator.random(nodes)) ** -0.4)
    ends = np.empty((edges, 2), dtype=np.int32)
    for side in range(2):
        for first in range(0, edges, 1 << 20):
            part = slice(first, min(first + (1 << 20), edges))
            ends[part, side] = np.searchsorted(chances, generator.random(part.stop - first) * chances[-1])
    return Graph.from_edges(ends, nodes=np.arange(nodes))
