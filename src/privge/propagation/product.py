"""A propagation whose features are a product: sparse rows times a dense matrix that is not multiplied out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation._kernels.gather import LANES
from privge.propagation.problem import Matrix, Problem


@dataclass(frozen=True, eq=False)
class ProductProblem(Problem):
    """One propagation of ``features @ right``, made column by column where an engine asks for columns.

    Parameters
    ----------
    graph, features, walk
        As of `Problem`.
    right
        A row for each column of the features.
    """

    right: Matrix

    @property
    def columns(self) -> int:
        """Number of columns of the product."""
        return int(self.right.shape[1])

    @cached_property
    def by_column(self) -> scipy.sparse.csc_array:
        """``D^(-r) X`` by columns, multiplied out: for engines that want all of it."""
        product = np.stack([self._product(j) for j in range(self.columns)], axis=1)
        return scipy.sparse.csc_array(product / self.scale[:, None])

    def column(self, j: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the rows and values of column ``j`` of ``D^(-r) X``."""
        return self._everybody, self._product(j) / self.scale

    @cached_property
    def largest(self) -> float:
        """What no ``|Z|`` exceeds."""
        return self._largest_parts[1] * self.largest_scale

    @property
    def largest_entry(self) -> float:
        """The largest entry of the product."""
        return self._largest_parts[0]

    @cached_property
    def _largest_parts(self) -> tuple[float, float]:
        """The largest entry of the product X, and of ``D^(-r) X``; some columns at once."""
        found = np.zeros(2)
        for columns in self.blocks(LANES):
            part = np.abs(self.features @ self.right[:, columns])
            by_row = part.max(axis=1, initial=0.0)
            found = np.maximum(found, [by_row.max(initial=0.0), (by_row / self.scale).max(initial=0.0)])
        return float(found[0]), float(found[1])

    @cached_property
    def _everybody(self) -> NDArray[np.int32]:
        return np.arange(self.graph.nodes, dtype=np.int32)

    def _product(self, j: int) -> Floats:
        return np.asarray(self.features @ self.right[:, j], dtype=np.float64)
