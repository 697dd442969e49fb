"""The order in which the structure looks at nodes: it follows from ids and edges, never from a graph's rows.

Whatever is drawn at random is drawn in this order, and sums are taken in it, so that a channel is the same to the last
bit however the rows of a graph stand.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.propagation import Local, Sor

NEAR = 20_000
"""Nodes from which on neighbours are brought close to each other in memory."""


@dataclass(frozen=True, eq=False)
class Ordered:
    """A graph in the order of its ids; a large one in reverse Cuthill-McKee order from there.

    What is computed on it does not depend on the order in which the graph was given.

    Parameters
    ----------
    graph
        The graph in this order.
    order
        The row of each of its nodes in the graph as it was given.
    """

    graph: Graph
    order: Rows

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """Bring a graph into order."""
        order: Rows = np.argsort(graph.ids, kind="stable")
        ordered = _rearranged(graph, order)
        if graph.nodes >= NEAR:
            from scipy.sparse.csgraph import reverse_cuthill_mckee

            near = reverse_cuthill_mckee(ordered.to_scipy(), symmetric_mode=True).astype(np.int64)
            ordered, order = _rearranged(ordered, near), order[near]
        return cls(ordered, order)

    @cached_property
    def place(self) -> Rows:
        """Where each row of the graph as it was given stands in this order."""
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        return place


def in_this_order(threads: int | None) -> Local:
    """Return where to propagate on a graph that is in order: here, without looking for another."""
    return Local(threads=threads, engine=Sor(reorder=False))


def folds_of(count: int, folds: int, seed: int) -> NDArray[np.int64]:
    """Divide so many items into folds at random, as evenly as can be; return the fold of each."""
    generator = np.random.default_rng([seed, 11])
    return generator.permutation(count) % folds


def _rearranged(graph: Graph, order: Rows) -> Graph:
    from privge.graph._kernels import reorder, reorder_weighted

    if np.array_equal(order, np.arange(graph.nodes)):
        return graph
    if graph.weights is None:
        return Graph.with_rows(graph.ids[order], *reorder(graph.indptr, graph.indices, order, 0))
    return Graph.with_rows(graph.ids[order], *reorder_weighted(graph.indptr, graph.indices, graph.weights, order, 0))
