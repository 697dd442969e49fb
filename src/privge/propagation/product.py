"""A propagation whose features are a product: sparse rows times a dense matrix that is not multiplied out."""

from dataclasses import dataclass
from functools import cached_property
from threading import local
from typing import Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation._kernels.gather import LANES
from privge.propagation.problem import Matrix, Problem
from privge.propagation.walk import Walk


@dataclass(frozen=True, eq=False)
class Product:
    """``left @ right``, made 16 columns at a time; each thread keeps those that it asked for last."""

    left: scipy.sparse.csr_array
    right: Matrix

    @cached_property
    def largest_of_rows(self) -> Floats:
        """The largest size of an entry in each row."""
        parts = (self._block(first) for first in range(0, self.right.shape[1], LANES))
        largest: Floats = np.zeros(self.left.shape[0])
        for part in parts:
            np.maximum(largest, np.abs(part).max(axis=1, initial=0.0), out=largest)
        return largest

    def column(self, j: int) -> Floats:
        """Return one column."""
        first = j - j % LANES
        if getattr(self._kept, "first", None) != first:
            self._kept.first, self._kept.block = first, self._block(first)
        return np.asarray(self._kept.block[:, j - first], dtype=np.float64)

    def _block(self, first: int) -> Matrix:
        return np.asarray(self.left @ self.right[:, first : first + LANES])

    @cached_property
    def _kept(self) -> local:
        return local()


@dataclass(frozen=True, eq=False)
class ProductProblem(Problem):
    """One propagation of ``features @ right``, made where an engine asks for columns.

    Parameters
    ----------
    graph, features, walk
        As of `Problem`.
    product
        The features times something: what is known of it is known to problems with another walk, too.
    """

    product: Product

    @classmethod
    def of(cls, graph: Graph, features: scipy.sparse.csr_array, walk: Walk, right: Matrix) -> Self:
        """Propagate ``features @ right``, where ``right`` has a row for each column of the features."""
        return cls(graph, features, walk, Product(features, right))

    @property
    def columns(self) -> int:
        """Number of columns of the product."""
        return int(self.product.right.shape[1])

    @cached_property
    def by_column(self) -> scipy.sparse.csc_array:
        """``D^(-r) X`` by columns, multiplied out: for engines that want all of it."""
        product = np.stack([self.product.column(j) for j in range(self.columns)], axis=1)
        return scipy.sparse.csc_array(product / self.scale[:, None])

    def column(self, j: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the rows and values of column ``j`` of ``D^(-r) X``."""
        return self._everybody, self.product.column(j) / self.scale

    @cached_property
    def largest(self) -> float:
        """What no ``|Z|`` exceeds."""
        return float((self.product.largest_of_rows / self.scale).max(initial=0.0)) * self.largest_scale

    @property
    def largest_entry(self) -> float:
        """The largest entry of the product."""
        return float(self.product.largest_of_rows.max(initial=0.0))

    @cached_property
    def _everybody(self) -> NDArray[np.int32]:
        return np.arange(self.graph.nodes, dtype=np.int32)
