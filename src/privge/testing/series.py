"""The embedding by its definition, for small graphs: dense float64, nothing of the package's own engines."""

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.graph import Graph


def exact_embedding(graph: Graph, features: scipy.sparse.csr_array, alpha: float, r: float) -> Floats:
    """Solve ``Z = alpha (I - (1-alpha) D^(r-1) A D^(-r))^(-1) X``; isolated nodes have degree 1 in the powers."""
    adjacency = graph.to_scipy().toarray().astype(np.float64)
    sums = adjacency.sum(axis=1)
    degrees = np.where(sums > 0, sums, 1.0)
    operator = np.diag(degrees ** (r - 1)) @ adjacency @ np.diag(degrees**-r)
    dense = features.toarray().astype(np.float64)
    solved: Floats = alpha * np.linalg.solve(np.eye(graph.nodes) - (1 - alpha) * operator, dense)
    return solved


def algorithm_3(
    graph: Graph, features: scipy.sparse.csr_array, alpha: float, r: float, rmax: float
) -> tuple[Floats, Floats]:
    """Transcribe the paper's Algorithm 3 line by line (with ``R = D^(-r) X`` on its first line).

    Pushes are done in rounds over all (v, j) above the threshold, first in first out.
    """
    neighbours = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(graph.nodes)]
    degree = [max(1, len(friends)) for friends in neighbours]
    reserve = np.zeros(features.shape)
    residue = features.toarray().astype(np.float64) / (np.array(degree) ** r)[:, None]
    for j in range(features.shape[1]):
        queue = [v for v in range(graph.nodes) if abs(residue[v, j]) > rmax]
        while queue:
            v = queue.pop(0)
            if abs(residue[v, j]) <= rmax:
                continue
            amount = residue[v, j]
            reserve[v, j] += alpha * amount
            residue[v, j] = 0
            for u in neighbours[v]:
                residue[u, j] += (1 - alpha) * amount / degree[u]
                if abs(residue[u, j]) > rmax and u not in queue:
                    queue.append(u)
    return reserve * (np.array(degree) ** r)[:, None], residue
