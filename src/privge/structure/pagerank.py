"""Personalized PageRank of pairs of nodes, in its symmetric form (r = 1/2)."""

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs
from privge.propagation import HERE, Local, propagate

COLUMNS = 512
"""Of the personalized PageRank matrix at once."""


def pagerank_of_pairs(
    graph: Graph,
    pairs: NodePairs,
    *,
    alpha: float,
    tolerance: float = 1e-4,
    on: Local = HERE,
) -> Floats:
    """Return how much of a walk that starts at one end of a pair is at the other.

    The form is symmetric, so one end of a pair suffices: columns are computed for a set of nodes that touches
    every pair, a block at a time.

    Parameters
    ----------
    graph
        The graph; weights are honoured.
    pairs
        Rows of nodes.
    alpha, tolerance, on
        Of `privge.propagate`.
    """
    sources, targets = _cover(pairs, graph.nodes)
    scores = np.empty(len(pairs))
    wanted = np.unique(sources)
    for start in range(0, len(wanted), COLUMNS):
        block = wanted[start : start + COLUMNS]
        ones = np.ones(len(block), dtype=np.float32)
        begin = scipy.sparse.csr_array((ones, (block, np.arange(len(block)))), shape=(graph.nodes, len(block)))
        proximity, _ = propagate(graph, begin, alpha=alpha, r=0.5, tolerance=tolerance, on=on)
        mine = np.flatnonzero((sources >= block[0]) & (sources <= block[-1]))
        scores[mine] = proximity[targets[mine], np.searchsorted(block, sources[mine])]
    return scores


def part_of_degrees(graph: Graph, pairs: NodePairs) -> Floats:
    """Return what the leading eigenvector contributes, if the graph is connected: it knows degrees only."""
    part: Floats = np.sqrt(graph.degrees[pairs].prod(axis=1)) / max(1, len(graph.indices))
    return part


def _cover(pairs: NodePairs, nodes: int) -> tuple[Rows, Rows]:
    """Turn each pair so that its first end is the one in more pairs: fewer different first ends remain."""
    count = np.bincount(pairs.ravel(), minlength=nodes)
    turned = count[pairs[:, 1]] > count[pairs[:, 0]]
    return np.where(turned, pairs[:, 1], pairs[:, 0]), np.where(turned, pairs[:, 0], pairs[:, 1])
