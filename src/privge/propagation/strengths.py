"""What the walk makes of degrees, or of strengths where edges have weights."""

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph, StoredGraph


def unit_of(graph: Graph | StoredGraph) -> float:
    """Return what strengths are measured in: the largest of them, or 1 where they are degrees.

    The embedding does not depend on it: see `privge.propagation.problem`.
    """
    return graph.largest_strength or 1.0 if graph.weighted else 1.0


def node_scale(strengths: NDArray[np.number], r: float, unit: float) -> Floats:
    """Return ``strength^r`` of each node, 1 for isolated nodes."""
    measured = np.where(strengths > 0, strengths / unit, 1.0)
    scale: Floats = measured**r
    return scale


def largest_scale_of(graph: Graph | StoredGraph, r: float) -> float:
    """Return the largest ``strength^r`` of all nodes: what an error in y can grow by in Z."""
    return float(node_scale(np.array([graph.largest_strength]), r, unit_of(graph))[0])


def node_factors(strengths: NDArray[np.number], alpha: float) -> Floats:
    """Return ``(1-alpha) / strength`` of each node, 0 for isolated nodes."""
    factors: Floats = np.divide(1 - alpha, strengths, out=np.zeros(len(strengths)), where=strengths > 0)
    return factors


def shares_of(indptr: NDArray[np.int64], weights: Floats, strengths: Floats, kind: type) -> NDArray[np.floating]:
    """Return the share of each entry in its row, ``weight / strength``: the entries of P."""
    from privge.propagation._kernels.relax import write_shares

    shares: NDArray[np.floating] = np.empty(len(weights), dtype=kind)
    write_shares(indptr, weights, strengths, shares)
    return shares
