"""The projection on leading eigenvectors of the graph."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation import Matrix
from privge.smoothing.smoother import Trace
from privge.structure.spectrum import leading


def spectrum_of(graph: Graph, rank: int) -> Floats:
    """Return the leading eigenvectors as columns, the largest eigenvalue first; the same graph gives the same ones."""
    return leading(graph, rank, seed=0)[1].astype(np.float64)


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
        dense = rows.toarray()
        basis = self._basis.astype(dense.dtype, copy=False)
        return np.asarray(basis @ (basis.T @ dense))

    def trace(self, weights: Floats) -> Trace:
        """Return the weighted trace, exactly: an entry of the diagonal is the square of a row of the basis."""
        return Trace(float(weights @ np.square(self._basis).sum(axis=1)))

    @cached_property
    def _basis(self) -> Floats:
        """The same space with an orthonormal basis, which a loose iteration does not give."""
        basis: Floats = np.linalg.qr(self.vectors)[0]
        return basis
