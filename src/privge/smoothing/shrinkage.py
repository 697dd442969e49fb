"""Shrinkage towards the mean: no smoothing at all, with the factor that James and Stein gave every row."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.propagation import Matrix
from privge.smoothing.smoother import Trace


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """``H = I``: with the best factor (`privge.smoothing.risk.Risk.factor`) this is the estimate of James and Stein."""

    name: ClassVar[str] = "shrinkage"

    @property
    def parameters(self) -> dict[str, float]:
        """None: the factor is found with the risk."""
        return {}

    def apply(self, rows: scipy.sparse.csr_array) -> Matrix:
        """Return the rows."""
        return np.asarray(rows.toarray())

    def trace(self, weights: Floats) -> Trace:
        """Return the sum of the weights: every diagonal entry is 1."""
        return Trace(float(weights.sum()))
