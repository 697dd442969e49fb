"""What every smoother answers: a matrix ``H`` that depends on the graph alone, by what it does and by its diagonal.

A smoother turns noisy rows ``Y`` into ``H Y``: each node becomes a weighted sum of its own row and those of others. As
``H`` does not depend on ``Y``, the risk of the result is known up to the trace of ``H``: see `privge.smoothing.risk`.
"""

from typing import ClassVar, NamedTuple, Protocol

import scipy.sparse

from privge._typing import Floats
from privge.propagation import Matrix


class Trace(NamedTuple):
    """The sum of the diagonal of ``H``, each entry times a weight, and its standard error, 0 if it is exact.

    With weights of 1 the sum is the degrees of freedom.
    """

    value: float
    error: float = 0.0


class Smoother(Protocol):
    """A linear smoother over the nodes of one graph."""

    name: ClassVar[str]
    """The family."""

    @property
    def parameters(self) -> dict[str, float]:
        """What tells it from others of its family."""

    def apply(self, rows: scipy.sparse.csr_array) -> Matrix:
        """Return ``H`` times a matrix with one row for each node."""
        ...

    def trace(self, weights: Floats) -> Trace:
        """Return the sum of ``weights[i] * H[i, i]`` over the nodes."""
        ...
