"""How many neighbours a node has, how many they have, and how many of them know each other."""

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.graph import Graph


def degree_features(graph: Graph) -> NDArray[np.float32]:
    """Return log-degree, its mean over the neighbours and over theirs, and the logarithm of the triangles.

    Degrees and triangles count edges; the means are weighted where the graph is.
    """
    own = np.log1p(graph.degrees.astype(np.float64))
    step = mean_of_neighbours(graph)
    near = step @ own
    return np.column_stack([own, near, step @ near, np.log1p(triangles(graph))]).astype(np.float32)


def mean_of_neighbours(graph: Graph) -> scipy.sparse.csr_array:
    """Return ``D^(-1) A``: each row takes the mean over the neighbours; that of an isolated node is empty."""
    inverse = np.divide(1.0, graph.strengths, out=np.zeros(graph.nodes), where=graph.strengths > 0)
    entries = np.repeat(inverse, graph.degrees)
    if graph.weights is not None:
        entries *= graph.weights
    return scipy.sparse.csr_array((entries, graph.indices, graph.indptr), shape=(graph.nodes, graph.nodes))


def triangles(graph: Graph) -> NDArray[np.int64]:
    """Return the number of triangles that each node is a corner of."""
    from privge.structure._kernels import count_triangles, point_upwards

    rank = np.empty(graph.nodes, dtype=np.int64)
    rank[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.nodes)
    starts, ends = point_upwards(graph.indptr, graph.indices, rank)
    counts = np.zeros(graph.nodes, dtype=np.int64)
    count_triangles(starts, ends, counts)
    return counts
