"""Random numbers for nodes, drawn in the order of their ids: the order of a graph's rows changes nothing."""

import numpy as np
from numpy.typing import NDArray

from privge.graph import Graph
from privge.graph.labelled import Rows


def by_id(graph: Graph, rows: Rows) -> Rows:
    """Return rows in the order of their ids."""
    ordered: Rows = rows[np.argsort(graph.ids[rows], kind="stable")]
    return ordered


def folds_of(count: int, folds: int, seed: int) -> NDArray[np.int64]:
    """Divide so many items into folds at random, as evenly as can be; return the fold of each."""
    generator = np.random.default_rng([seed, 11])
    return generator.permutation(count) % folds


def starting_block(graph: Graph, columns: int, seed: int) -> NDArray[np.float32]:
    """Return a matrix of random numbers from the normal distribution, one row for each node."""
    generator = np.random.default_rng([seed, 12])
    block = np.empty((graph.nodes, columns), dtype=np.float32)
    block[by_id(graph, np.arange(graph.nodes))] = generator.standard_normal((graph.nodes, columns), dtype=np.float32)
    return block
