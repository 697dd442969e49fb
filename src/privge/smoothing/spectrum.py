"""Leading eigenvectors of the graph, and the projection on them.

The matrix is ``(D + t)^(-1/2) A (D + t)^(-1/2)`` with ``t`` the mean strength of a node: without that term the leading
eigenvectors of a sparse graph are those of small parts that hang on it by a thread.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation import Matrix
from privge.smoothing.smoother import Trace

_ACCURACY = 1e-4  # of the eigenvalues: a basis for smoothing need not be exact, as its projection is


def spectrum_of(graph: Graph, rank: int) -> Floats:
    """Return the leading eigenvectors as columns, the largest eigenvalue first; at most nodes - 2 of them.

    The same graph gives the same vectors: the iteration starts from a fixed vector, and signs do not matter here.
    """
    rank = min(rank, graph.nodes - 2)
    if rank < 1:
        return np.zeros((graph.nodes, 0))
    roots = 1 / np.sqrt(graph.strengths + max(graph.strengths.mean(), 1e-300))
    scaled = scipy.sparse.diags_array(roots)
    matrix = (scaled @ graph.to_scipy().astype(np.float64) @ scaled).tocsr()
    start = np.random.default_rng(0).normal(size=graph.nodes)
    values, vectors = scipy.sparse.linalg.eigsh(matrix, k=rank, which="LA", v0=start, tol=_ACCURACY)
    ordered: Floats = vectors[:, np.argsort(-values)]
    return ordered


@dataclass(frozen=True, eq=False)
class Spectral:
    """The projection on leading eigenvectors: what of the rows is smooth over the graph.

    Parameters
    ----------
    vectors
        The eigenvectors, one a column (`spectrum_of`).
    """

    vectors: Floats

    name: ClassVar[str] = "spectral"

    @property
    def parameters(self) -> dict[str, float]:
        """Return how many eigenvectors there are."""
        return {"rank": self.vectors.shape[1]}

    def apply(self, rows: scipy.sparse.csr_array) -> Matrix:
        """Project."""
        within = rows.T @ self._basis
        return np.asarray(self._basis @ np.asarray(within).T)

    def trace(self, weights: Floats) -> Trace:
        """Return the weighted trace, exactly: an entry of the diagonal is the square of a row of the basis."""
        return Trace(float(weights @ np.square(self._basis).sum(axis=1)))

    @cached_property
    def _basis(self) -> Floats:
        """The same space with an orthonormal basis, which a loose iteration does not give."""
        basis: Floats = np.linalg.qr(self.vectors)[0]
        return basis
