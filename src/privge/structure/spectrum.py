"""The leading eigenvectors of ``(D + tau)^(-1/2) A (D + tau)^(-1/2)``, regularised by the mean degree tau.

Without the regularisation the leading eigenvectors of a sparse graph belong to its loosest corners: small trees that
hang on the rest by one edge.
"""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from privge.graph import Graph
from privge.structure.order import starting_block


def leading(graph: Graph, count: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the largest eigenvalues, descending, and their eigenvectors as columns; at most ``nodes - 2``."""
    count = min(count, graph.nodes - 2)
    if count < 1 or graph.edges == 0:
        return np.empty(0), np.empty((graph.nodes, 0), dtype=np.float32)
    scale = 1 / np.sqrt(graph.strengths + graph.strengths.mean())
    entries = np.repeat(scale, graph.degrees) * scale[graph.indices]
    if graph.weights is not None:
        entries *= graph.weights
    matrix = scipy.sparse.csr_array((entries, graph.indices, graph.indptr), shape=(graph.nodes, graph.nodes))
    start = starting_block(graph, 1, seed)[:, 0].astype(np.float64)
    values, vectors = scipy.sparse.linalg.eigsh(matrix, k=count, which="LA", v0=start, tol=1e-3, maxiter=2000)
    order = np.argsort(-values)
    return values[order], vectors[:, order].astype(np.float32)


def spectral_features(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row at unit length (where in the spectrum a node is) and as it is (how much of it is there)."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    unit = vectors / np.maximum(lengths, 1e-6)[:, None]
    raw = np.arcsinh(vectors * np.float32(np.sqrt(len(vectors))))
    return np.hstack([unit, raw])
