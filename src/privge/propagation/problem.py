"""What is solved, and what an engine must say about its answer.

The embedding is ``Z = sum over l of alpha (1-alpha)^l M^l X`` with ``M = D^(r-1) A D^(-r)``. With ``y = D^(-r) Z`` and
the row-stochastic ``P = D^(-1) A`` this is the linear system

    ``(I - (1-alpha) P) y = alpha D^(-r) X =: start``,    ``Z = D^r y``,

``D`` holds the degrees: sum the neighbours, scale by ``(1-alpha) / degree``. Where edges have weights, ``A`` holds them
and ``D`` the strengths, their sums; a neighbour counts by its *share* ``weight / strength``, an entry of P. A node
without neighbours has ``z = alpha x``, as the series says (its degree counts as 1 in the powers of D).

*The unit of weights does not matter.* With all weights multiplied by c, P stays and ``D^r`` and ``D^(-r)`` become
``c^r D^r`` and ``c^(-r) D^(-r)``, which cancel in ``M``. So strengths are measured in the largest of them, as numbers
from 0 to 1 whose powers are harmless however large or small the weights are; degrees are measured in 1.

*Certificate.* Row sums of P are at most 1, so ``|y - y*| <= |residual| / alpha`` in the maximum norm for any ``y``. An
engine bounds its residual, rounding included, and reports the bound of the error of Z, which is larger by at
most the largest ``degree^r``. An update relies on this form of the bound: see `privge.propagation.growth`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import checked_matrix
from privge._typing import Floats, Progress
from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation.strengths import node_factors, node_scale, unit_of
from privge.propagation.walk import Walk

Matrix: TypeAlias = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A guarantee about a block of columns, or about all of them.

    Parameters
    ----------
    error
        No entry of Z is farther than this from the exact solution.
    sweeps
        Passes over the edges; for ``push``, edge visits divided by edges.
    precision
        ``float32``, or ``float64`` where float32 alone was not enough.
    """

    error: float
    sweeps: float
    precision: str

    def plus(self, error: float) -> "Certificate":
        """Return the certificate with a further error added."""
        return Certificate(self.error + error, self.sweeps, self.precision)

    @classmethod
    def worst(cls, parts: list["Certificate"]) -> "Certificate":
        """Combine the certificates of all blocks."""
        if not parts:
            return cls(0.0, 0.0, "float32")
        return cls(*(max(getattr(part, name) for part in parts) for name in ("error", "sweeps", "precision")))


@dataclass(frozen=True, slots=True)
class Propagation:
    """What a propagation did: its guarantee and its cost."""

    engine: str
    tolerance: float
    certificate: Certificate
    seconds: float
    bytes: int

    def checked(self) -> "Propagation":
        """Return this, if the certificate is what was asked for."""
        if not self.certificate.error <= self.tolerance:
            raise ToleranceNotReached(
                f"engine {self.engine} certifies {self.certificate.error:.3g}, not the tolerance {self.tolerance:.3g}; "
                "ask for a larger one"
            )
        return self


@dataclass(frozen=True, eq=False)
class Problem:
    """One propagation: a graph, its features, and the walk.

    Features that do not fit the graph, or are not finite, are refused.

    Parameters
    ----------
    graph
        The public graph, whose nodes are the rows of the result.
    features
        One sparse row for each node, in the graph's order.
    walk
        ``alpha``, ``r`` and the tolerance.
    """

    graph: Graph
    features: scipy.sparse.csr_array
    walk: Walk

    def __post_init__(self) -> None:
        if self.features.shape[0] != self.graph.nodes:
            raise ValueError(f"features have {self.features.shape[0]} rows for {self.graph.nodes} nodes")
        checked_matrix(self.features)
        if not np.isfinite(self.features.data).all():
            raise ValueError("features hold a value that is not finite")

    @property
    def alpha(self) -> float:
        """The decay factor."""
        return self.walk.alpha

    @property
    def tolerance(self) -> float:
        """Largest error allowed in any entry of Z."""
        return self.walk.tolerance

    @property
    def columns(self) -> int:
        """Number of feature columns."""
        return int(self.features.shape[1])

    @cached_property
    def scale(self) -> Floats:
        """``degree^r`` of each node, or that of its strength; 1 for isolated nodes."""
        return node_scale(self.graph.strengths, self.walk.r, unit_of(self.graph))

    @cached_property
    def largest_scale(self) -> float:
        """What an error in y can grow by in Z."""
        return float(self.scale.max(initial=1.0))

    @cached_property
    def factors(self) -> Floats:
        """``(1-alpha) / degree`` of each node, or that of its strength; 0 for isolated nodes."""
        return node_factors(self.graph.strengths, self.alpha)

    @cached_property
    def largest_degree(self) -> int:
        """Number of neighbours of the node that has most."""
        return int(self.graph.degrees.max(initial=0))

    @cached_property
    def by_column(self) -> scipy.sparse.csc_array:
        """``D^(-r) X`` by columns."""
        scaled = scipy.sparse.csc_array(self.features, dtype=np.float64)  # by columns
        scaled.sum_duplicates()  # in float64: in a narrow type of their own, sums of entries would round or overflow
        data = scaled.data / self.scale[scaled.indices]
        return scipy.sparse.csc_array((data, scaled.indices, scaled.indptr), shape=scaled.shape)

    def column(self, j: int) -> tuple[NDArray[np.int32], Floats]:
        """Return the rows and values of column ``j`` of ``D^(-r) X``."""
        part = slice(self.by_column.indptr[j], self.by_column.indptr[j + 1])
        return self.by_column.indices[part], self.by_column.data[part]

    @cached_property
    def largest(self) -> float:
        """What no ``|Z|`` exceeds: no ``|y|`` exceeds the largest of ``|D^(-r) X|``."""
        return float(np.abs(self.by_column.data).max(initial=0.0)) * self.largest_scale

    def for_output(self, kind: np.dtype[np.floating]) -> "Problem":
        """Return the problem with the part of the tolerance set aside that storing its result will take."""
        return replace(self, walk=replace(self.walk, tolerance=tolerance_left(self.tolerance, kind, self.largest)))

    def write(self, out: Matrix, columns: slice, y: Matrix) -> float:
        """Write ``Z = D^r y`` and return what rounding it to the precision of ``out`` may cost."""
        z = y * self.scale[:, None]
        out[:, columns] = z
        return rounding(out.dtype, float(np.abs(z).max(initial=0.0)))

    def blocks(self, width: int) -> Iterator[slice]:
        """Yield slices of at most ``width`` columns."""
        for first in range(0, self.columns, width):
            yield slice(first, min(first + width, self.columns))


def output_kind(tolerance: float, largest: float) -> type[np.floating]:
    """Return the precision of a result: float32, or float64 if rounding alone would take half of the tolerance."""
    return np.float64 if rounding(np.float32, largest) > tolerance / 2 else np.float32


def tolerance_left(tolerance: float, kind: np.dtype[np.floating] | type[np.floating], largest: float) -> float:
    """Return what an engine must certify when storing its result takes a part of the tolerance."""
    return max(tolerance - rounding(kind, largest), tolerance / 2)


def rounding(kind: np.dtype[np.floating] | type[np.floating], largest: float) -> float:
    """Return what storing numbers of at most a size in a precision may cost each of them."""
    limits = np.finfo(kind)
    return (
        math.inf if largest > float(limits.max) else float(limits.eps / 2) * largest + float(limits.smallest_subnormal)
    )


def storing(kind: np.dtype[np.floating], alpha: float, largest_y: float, largest_scale: float) -> float:
    """Return what storing a result once adds to the bound of its residual, as an error of Z.

    Rounding moves y by so much, and the residual ``start - (I - (1-alpha) P) y`` by ``2 - alpha`` times that at most.
    """
    return (2 - alpha) / alpha * rounding(kind, largest_y) * largest_scale


class Engine(Protocol):
    """Anything that fills the embedding and certifies it."""

    name: ClassVar[str]

    def solve(self, problem: Problem, out: Matrix, *, threads: int, progress: Progress | None) -> Certificate:
        """Write Z into ``out`` (nodes x columns), with every error at most the problem's tolerance."""
        ...
