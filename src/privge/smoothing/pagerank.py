"""Personalized PageRank as a smoother: the paper's propagation, with the trace of its matrix.

``H = alpha (I - (1-alpha) M)^(-1)`` with ``M = D^(r-1) A D^(-r)``. For every r this is ``S = D^(-1/2) A D^(-1/2)`` in
other units of the nodes, so its diagonal does not depend on r: one diagonal serves all members with the same alpha.

*Trace.* On small graphs the diagonal is that of a dense inverse, exactly. On larger ones it is probed: for a vector
``z`` of random signs the mean of ``z[i] (H z)[i]`` is ``H[i, i]`` (Hutchinson). Only what is left of ``H`` after walks
of at most two steps is probed; those have the diagonal ``alpha (1 + (1-alpha)^2 sum_j S[i, j]^2)``. The standard error
comes from the differences between probes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation import Local, Matrix, Walk
from privge.propagation.propagate import propagate_here
from privge.smoothing.smoother import Trace

SMALL = 1500
"""Up to so many nodes the diagonal is exact."""

ACCURACY = 1e-4
"""Of an entry of the result, as a share of the largest entry of the rows."""


@dataclass(frozen=True, eq=False)
class Diagonal:
    """The diagonal of personalized PageRank for one alpha, and any r.

    What is costly is computed when it is first asked for, and then kept.

    Parameters
    ----------
    graph
        The graph that is walked over.
    alpha
        Decay factor.
    probes
        How many vectors of random signs a larger graph is probed with.
    """

    graph: Graph
    alpha: float
    probes: int = 64

    def trace(self, weights: Floats) -> Trace:
        """Return the weighted sum of the diagonal."""
        if self.graph.nodes <= SMALL:
            return Trace(float(weights @ self._exact))
        sums = weights @ self._probed
        error = float(sums.std(ddof=1) / np.sqrt(self.probes))
        return Trace(float(weights @ self._short + sums.mean()), error)

    @cached_property
    def _exact(self) -> Floats:
        from scipy.linalg import inv  # slow to load, and few commands look for a smoother

        system = np.eye(self.graph.nodes) - (1 - self.alpha) * symmetric(self.graph).toarray()
        diagonal: Floats = self.alpha * np.diag(inv(system, overwrite_a=True, assume_a="pos"))
        return diagonal

    @cached_property
    def _short(self) -> Floats:
        """The diagonal of walks of at most two steps."""
        matrix = symmetric(self.graph)
        returns = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        short: Floats = self.alpha * (1 + (1 - self.alpha) ** 2 * returns)
        return short

    @cached_property
    def _probed(self) -> Matrix:
        """What each probe says of the diagonal of longer walks, nodes x probes."""
        matrix, keep = symmetric(self.graph), 1 - self.alpha
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(self.graph.nodes, self.probes))
        once = keep * (matrix @ signs)
        short = self.alpha * (signs + once + keep * (matrix @ once))
        whole = walked(self.graph, scipy.sparse.csr_array(signs), self.alpha, 0.5)
        longer: Matrix = (signs * (whole - short)).astype(np.float32)
        return longer


@dataclass(frozen=True, eq=False)
class PageRank:
    """Personalized PageRank with one alpha and one r.

    Its matrix ``H`` is stated above.

    Parameters
    ----------
    diagonal
        Graph and alpha, with the diagonal that members with another r share.
    r
        Convolution coefficient of the paper.
    """

    diagonal: Diagonal
    r: float

    name: ClassVar[str] = "pagerank"

    @classmethod
    def family(
        cls, graph: Graph, alphas: Sequence[float], rs: Sequence[float], *, probes: int = 64
    ) -> "list[PageRank]":
        """Return one smoother for each alpha and r."""
        return [cls(diagonal, r) for diagonal in (Diagonal(graph, alpha, probes) for alpha in alphas) for r in rs]

    @property
    def parameters(self) -> dict[str, float]:
        """Return alpha and r."""
        return {"alpha": self.diagonal.alpha, "r": self.r}

    def apply(self, rows: scipy.sparse.csr_array) -> Matrix:
        """Propagate."""
        return walked(self.diagonal.graph, rows, self.diagonal.alpha, self.r)

    def trace(self, weights: Floats) -> Trace:
        """Return the weighted trace; exact on small graphs."""
        return self.diagonal.trace(weights)


def walked(graph: Graph, rows: scipy.sparse.csr_array, alpha: float, r: float) -> Matrix:
    """Propagate with an error that is small beside the largest entry, as the engine certifies."""
    largest = float(np.abs(rows.data).max(initial=0.0))
    if largest == 0:
        return np.zeros(rows.shape, dtype=np.float32)
    return propagate_here(graph, rows, Walk(alpha, r, ACCURACY * largest), Local(), None)[0]


def symmetric(graph: Graph) -> scipy.sparse.csr_array:
    """Return ``S = D^(-1/2) A D^(-1/2)``; the row of an isolated node is empty."""
    roots = 1 / np.sqrt(np.where(graph.strengths > 0, graph.strengths, 1.0))
    scaled = scipy.sparse.diags_array(roots)
    return scipy.sparse.csr_array(scaled @ graph.to_scipy().astype(np.float64) @ scaled)
