"""What a block of columns is solved on: the graph in the order of the sweeps, and the numbers of its nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation._kernels.gather import AHEAD, GROUP
from privge.propagation.strengths import node_factors, node_scale, shares_of
from privge.propagation.walk import Walk

_CACHED = 1 << 18  # rows of 16 columns in float32 that a cache holds: 16 MB
_WINDOW = 1 << 10  # rows
_REORDER_CACHED, _REORDER = 4, 12  # blocks from which on renumbering pays, within a cache and beyond


def pays_to_reorder(nodes: int, blocks: int) -> bool:
    """Say whether sweeps over so many blocks of columns gain more by another order of the nodes than it costs.

    Beyond a cache it takes what it saves in 50 sweeps over a block where there are communities, in 180 where not.
    """
    return nodes > 1 and blocks >= (_REORDER_CACHED if nodes <= _CACHED else _REORDER)


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """The graph in the order of the sweeps.

    Parameters
    ----------
    indptr, indices
        Compressed rows, with some more entries that the kernels may look at, ``GROUP`` at least.
    place
        Where a node of the graph stands in this order; None if nothing moved.
    weights
        The weight of each entry; None if the graph has none.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    place: NDArray[np.int64] | None
    weights: Floats | None = None

    def __post_init__(self) -> None:
        if len(self.indices) < int(self.indptr[-1]) + GROUP:  # compiled code would look beyond their end
            raise ValueError(f"indices need {GROUP} more entries behind the last one")

    @classmethod
    def of(cls, graph: Graph, *, reorder: bool) -> "Order":
        """Renumber the nodes so that neighbours are close in memory (breadth first, from a hub), or leave them.

        Where all rows fit a cache, being close matters less than that rows of equal length follow each other: the
        processor foresees where they end. So nodes are sorted by degree then, within windows that stay close.
        """
        from privge.graph._kernels import reorder as renumber
        from privge.graph._kernels import reorder_weighted as renumber_weighted
        from privge.propagation._kernels.order import breadth_first

        if not reorder or graph.nodes < 2:
            return cls(graph.indptr, np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)]), None, graph.weights)
        order = breadth_first(graph.indptr, graph.indices, int(np.argmax(graph.degrees)))
        if graph.nodes <= _CACHED:
            order = order[np.lexsort([-graph.degrees[order], np.arange(graph.nodes) // _WINDOW])]
        place = np.empty(graph.nodes, dtype=np.int64)
        place[order] = np.arange(graph.nodes)
        if graph.weights is None:
            indptr, indices = renumber(graph.indptr, graph.indices, order, AHEAD)
            return cls(indptr, indices, place)
        indptr, indices, weights = renumber_weighted(graph.indptr, graph.indices, graph.weights, order, AHEAD)
        return cls(indptr, indices, place, weights)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    def places(self, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return where rows of the graph stand."""
        return rows if self.place is None else self.place[rows]

    def moved(self, by_row: Floats) -> Floats:
        """Return numbers of nodes, given in the order of the graph, in this order."""
        if self.place is None:
            return by_row
        ordered = np.empty_like(by_row)
        ordered[self.place] = by_row
        return ordered


@dataclass(frozen=True, eq=False, slots=True)
class System:
    """The linear system in the order of the sweeps, and how exactly it shall be solved.

    Parameters
    ----------
    order
        The graph, and where its nodes stand in this order.
    factors
        What the sum of a node's neighbours is multiplied with, in that order: ``(1-alpha) / degree``, or ``1-alpha``
        where neighbours count by their shares; 0 for isolated nodes.
    strengths
        Degrees, or sums of weights, in that order.
    shares
        By how much each neighbour counts, in float32, shared by all blocks; None if all count alike.
    scale
        ``strength^r`` in the order of the graph.
    alpha
        The decay factor.
    tolerance
        Largest error allowed in any entry of Z.
    largest_degree
        Of all nodes.
    """

    order: Order
    factors: Floats
    strengths: Floats
    shares: NDArray[np.floating] | None
    scale: Floats
    alpha: float
    tolerance: float
    largest_degree: int

    @classmethod
    def of(cls, order: Order, strengths: Floats, walk: Walk) -> "System":
        """Derive factors and scale from the strengths of the nodes, given in the order of the graph."""
        weighted = order.weights is not None
        unit = (float(strengths.max(initial=0.0)) or 1.0) if weighted else 1.0
        scale, ordered = node_scale(strengths, walk.r, unit), order.moved(strengths)
        factors = np.where(ordered > 0, 1 - walk.alpha, 0.0) if weighted else node_factors(ordered, walk.alpha)
        largest = int(np.diff(order.indptr).max(initial=0))
        shares = None if order.weights is None else shares_of(order.indptr, order.weights, ordered, np.float32)
        return cls(order, factors, ordered, shares, scale, walk.alpha, walk.tolerance, largest)

    def shares_in(self, kind: type[np.floating]) -> NDArray[np.floating] | None:
        """Return by how much each neighbour counts, in a precision; None if all count alike."""
        weights = self.order.weights
        if weights is None or kind is np.float32:
            return self.shares
        return shares_of(self.order.indptr, weights, self.strengths, kind)

    @property
    def weighted(self) -> bool:
        """Whether neighbours count by their shares."""
        return self.order.weights is not None

    @property
    def largest_scale(self) -> float:
        """What an error in y can grow by in Z."""
        return float(self.scale.max(initial=1.0))
