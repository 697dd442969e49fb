"""`Graph`: node ids and a symmetric adjacency in compressed rows, with or without weights."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix
from privge._imports import needed
from privge._typing import Floats
from privge.graph._adjacency import names_of_rows, rows_of_matrix, weighted_rows_of_matrix, weights_of_networkx
from privge.graph._edges import EdgeData, NumberedEnds, UnknownNode, ends_of, number_ends
from privge.graph._fingerprint import fingerprint_of, pieces
from privge.graph._soundness import check_arrays
from privge.graph._weights import UnusableWeight, WeightData, as_weights, compress_edges, strengths_of
from privge.ids import Ids, as_ids

if TYPE_CHECKING:
    import networkx

__all__ = ["Graph", "UnknownNode", "UnusableWeight"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without self-loops or repeated edges. Isolated nodes are allowed.

    Use `from_edges` or a reader; the constructor takes finished arrays, and refuses those that are not a graph.

    Parameters
    ----------
    ids
        Node ids, all strings or all integers; row ``i`` of everything belongs to ``ids[i]``.
    indptr
        Where the neighbours of each row begin in ``indices``, and at last where they end.
    indices
        The neighbours of row ``i`` are ``indices[indptr[i]:indptr[i+1]]``, ascending; both ends know of each other.
    weights
        The weight of each entry of ``indices``, a finite number above 0, the same both ways; None for a graph without
        weights, in which every edge counts the same.
    """

    ids: Ids
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Floats | None = None

    def __post_init__(self) -> None:
        indptr, indices = np.asarray(self.indptr), np.asarray(self.indices)
        weights = None if self.weights is None else np.asarray(self.weights)
        check_arrays(self.nodes, indptr, indices, weights)
        self._freeze(self.ids, indptr, indices, weights)

    @classmethod
    def with_rows(
        cls, ids: Ids, indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: Floats | None = None
    ) -> Self:
        """Take rows that are known to be those of a graph, without looking at them again."""
        graph = cls.__new__(cls)
        graph._freeze(ids, indptr, indices, weights)  # noqa: SLF001 (its own)
        return graph

    def _freeze(self, ids: Ids, indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: Floats | None) -> None:
        for name, array in (("ids", ids), ("indptr", indptr), ("indices", indices), ("weights", weights)):
            frozen = None if array is None else array.view()
            if frozen is not None:
                frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)

    def __repr__(self) -> str:
        return f"Graph({self.nodes:,} nodes, {self.edges:,} {'weighted ' if self.weighted else ''}edges)"

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.ids)

    @property
    def edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.weights is not None

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each node."""
        degrees = np.diff(self.indptr)
        degrees.flags.writeable = False
        return degrees

    @cached_property
    def strengths(self) -> Floats:
        """Sum of the weights of each node's edges; its degree, if edges have no weights."""
        strengths = self.degrees.astype(np.float64) if self.weights is None else strengths_of(self.indptr, self.weights)
        strengths.flags.writeable = False
        return strengths

    @property
    def largest_strength(self) -> float:
        """The largest of all strengths, 0 for a graph without edges."""
        return float(self.strengths.max(initial=0.0))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ids, adjacency and weights: two graphs with the same fingerprint are the same."""
        ids = (piece.tolist() for piece in pieces(self.ids))
        weights = [] if self.weights is None else [pieces(self.weights)]
        return fingerprint_of(ids, pieces(self.indptr), pieces(self.indices), *weights)

    @classmethod
    def from_edges(
        cls, edges: EdgeData, *, nodes: Sequence[object] | Ids | None = None, weights: WeightData | None = None
    ) -> Self:
        """Build a graph from pairs of ids.

        Parameters
        ----------
        edges
            Pairs, an ``m x 2`` array, or an Arrow table with two columns. Each pair is one undirected edge,
            whichever way round it is written; self-loops and repetitions are dropped and counted in the log.
        nodes
            All node ids, in the order that rows should have. By default the ids in order of appearance; give
            them to have isolated nodes.
        weights
            One finite number above 0 for each of the edges, in their order. The weights of all edges between two nodes
            are added, whichever way round they are written; how many were repeated is in the log.
        """
        ends = ends_of(edges)
        numbers = None if weights is None else as_weights(weights, len(ends.sources))
        numbered = number_ends(ends, nodes)
        del ends
        return cls.from_numbered(numbered, numbers)

    @classmethod
    def from_numbered(cls, numbered: NumberedEnds, weights: Floats | None = None) -> Self:
        """Build a graph as `from_edges` does, from ends that are numbered and weights that are checked."""
        pa.default_memory_pool().release_unused()  # Arrow keeps what it freed; the graph needs the memory now
        ids = numbered.ids()
        return cls.with_rows(ids, *compress_edges(numbered.sources, numbered.targets, weights, len(ids)))

    @classmethod
    def from_scipy(
        cls, adjacency: SparseMatrix, *, ids: Sequence[object] | None = None, weighted: bool = False
    ) -> Self:
        """Build a graph from a square sparse matrix; every stored non-zero is an edge.

        Parameters
        ----------
        adjacency
            A symmetric matrix. Any other is read as that of a directed graph, and a warning says so: every entry
            counts both ways, and the weights of both directions are added.
        ids
            One id for each row; by default 0, 1, ....
        weighted
            Whether the numbers in the matrix are weights; otherwise they do not matter.
        """
        names = names_of_rows(adjacency, ids)
        return cls.with_rows(names, *(weighted_rows_of_matrix if weighted else rows_of_matrix)(adjacency))

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph", *, weight: str | None = None) -> Self:
        """Build a graph from networkx; directed edges become undirected, and a warning says so.

        Parameters
        ----------
        graph
            A graph of any kind.
        weight
            The attribute of edges that is their weight; every edge must have it. The weights of all edges between two
            nodes are added, whichever way they go. None leaves weights aside.
        """
        if graph.is_directed():
            added = "" if weight is None else ", and the weights of both directions are added"
            logger.warning("the networkx graph is directed: every edge now counts both ways%s", added)
        weights = None if weight is None else weights_of_networkx(graph, weight)
        return cls.from_edges(list(graph.edges()), nodes=list(graph.nodes()), weights=weights)

    @classmethod
    def from_pyg(cls, data: Any, *, weight: str | None = None) -> Self:  # noqa: ANN401 (no dependency)
        """Build a graph from a PyTorch Geometric ``Data``; ids are 0, 1, ....

        Parameters
        ----------
        data
            With ``edge_index``, and ``num_nodes``.
        weight
            The attribute that holds one weight for each column of ``edge_index``, such as ``edge_weight``; see
            `from_scipy`. None leaves weights aside.
        """
        sources, targets = data.edge_index.numpy()
        given = np.ones(len(sources)) if weight is None else np.asarray(getattr(data, weight)).reshape(-1)
        numbers = as_weights(given, len(sources))
        matrix = scipy.sparse.coo_array((numbers, (sources, targets)), shape=(data.num_nodes, data.num_nodes))
        return cls.from_scipy(matrix, weighted=weight is not None)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return the adjacency as a sparse matrix of the weights, or of ones."""
        numbers = np.ones(len(self.indices), dtype=np.float32) if self.weights is None else self.weights
        return scipy.sparse.csr_array((numbers, self.indices, self.indptr), shape=(self.nodes, self.nodes))

    def to_edges(self) -> pa.Table:
        """Return each edge once, as columns ``source`` and ``target`` and, if there are weights, ``weight``."""
        rows = np.repeat(np.arange(self.nodes, dtype=np.int32), self.degrees)
        once = rows < self.indices
        names = pa.array(self.ids)
        ends = {"source": names.take(pa.array(rows[once])), "target": names.take(pa.array(self.indices[once]))}
        return pa.table(ends if self.weights is None else {**ends, "weight": self.weights[once]})

    def to_networkx(self) -> "networkx.Graph":
        """Return a networkx graph with the same ids; weights are the attribute ``weight``."""
        with needed("a graph of networkx"):
            import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.ids.tolist())
        columns = [column.to_pylist() for column in self.to_edges().columns]
        add = graph.add_weighted_edges_from if self.weighted else graph.add_edges_from
        add(zip(*columns, strict=True))
        return graph

    @cached_property
    def _sorted_ids(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ids: NDArray[np.int64] = np.asarray(self.ids, dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        return order, ids[order]

    def rows_of(self, ids: Sequence[object] | Ids) -> NDArray[np.int64]:
        """Return the row of each id, and -1 for ids that are not in the graph."""
        asked = as_ids(ids, unique=False)
        if asked.dtype == self.ids.dtype == np.int64:
            order, ordered = self._sorted_ids
            places = np.minimum(np.searchsorted(ordered, asked), max(0, len(ordered) - 1))
            found = ordered[places] == asked if len(ordered) else np.zeros(len(asked), dtype=bool)
            return np.where(found, order[places] if len(order) else 0, -1)
        wanted, known = pa.array(asked), pa.array(self.ids)
        if wanted.type != known.type:
            wanted, known = wanted.cast(pa.string()), known.cast(pa.string())
        rows: NDArray[np.int64] = pc.fill_null(pc.index_in(wanted, known), -1).to_numpy().astype(np.int64)
        return rows
