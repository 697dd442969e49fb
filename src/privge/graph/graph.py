"""`Graph`: node ids and a symmetric adjacency in compressed rows, without weights."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix, checked_matrix
from privge._files.tables import Column, decoded, digits, is_text
from privge._imports import needed
from privge.errors import BadData
from privge.graph._fingerprint import fingerprint_of, pieces
from privge.graph._soundness import UnsoundRows, check_rows
from privge.ids import Ids, as_ids

if TYPE_CHECKING:
    import networkx

logger = logging.getLogger(__name__)

_SAMPLE = 1_000  # ids that tell names from digits before all of them are looked at


class UnknownNode(BadData):
    """An edge ends at a node that is not among the nodes; ``row`` counts from 0."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"edge {row} has an end that is not among the nodes")


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph without weights, self-loops or repeated edges. Isolated nodes are allowed.

    Use `from_edges` or a reader; the constructor takes finished arrays, and refuses those that are no graph.

    Parameters
    ----------
    ids
        Node ids, all strings or all integers; row ``i`` of everything belongs to ``ids[i]``.
    indptr
        Where the neighbours of each row begin in ``indices``, and at last where they end.
    indices
        The neighbours of row ``i`` are ``indices[indptr[i]:indptr[i+1]]``, ascending; both ends know of each other.
    """

    ids: Ids
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    def __post_init__(self) -> None:
        indptr, indices = np.asarray(self.indptr), np.asarray(self.indices)
        if indptr.dtype != np.int64 or indptr.shape != (len(self.ids) + 1,):
            raise UnsoundRows("indptr", f"must be {len(self.ids) + 1} numbers of type int64")
        if indices.dtype != np.int32 or indices.ndim != 1:
            raise UnsoundRows("indices", "must be numbers of type int32")
        check_rows(
            self.nodes,
            len(indices),
            lambda first, last: indptr[first : last + 1],
            lambda first, last: indices[first:last],
        )
        self._freeze(self.ids, indptr, indices)

    @classmethod
    def with_rows(cls, ids: Ids, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> Self:
        """Take rows that are known to be those of a graph, without looking at them again."""
        graph = cls.__new__(cls)
        graph._freeze(ids, indptr, indices)  # noqa: SLF001 (its own)
        return graph

    def _freeze(self, ids: Ids, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
        for name, array in (("ids", ids), ("indptr", indptr), ("indices", indices)):
            frozen = array.view()
            frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)

    def __repr__(self) -> str:
        return f"Graph({self.nodes:,} nodes, {self.edges:,} edges)"

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.ids)

    @property
    def edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each node."""
        degrees = np.diff(self.indptr)
        degrees.flags.writeable = False
        return degrees

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ids and adjacency: two graphs with the same fingerprint are the same."""
        ids = (piece.tolist() for piece in pieces(self.ids))
        return fingerprint_of(ids, pieces(self.indptr), pieces(self.indices))

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[object, object]] | NDArray[np.integer] | pa.Table,
        *,
        nodes: Sequence[object] | Ids | None = None,
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
        """
        sources, targets = _columns(edges)
        ids, source_rows, target_rows = _number(sources, targets, nodes)
        del sources, targets
        pa.default_memory_pool().release_unused()  # Arrow keeps what it freed; the graph needs the memory now
        return cls.with_rows(ids, *_compress(source_rows, target_rows, len(ids)))

    @classmethod
    def from_scipy(cls, adjacency: SparseMatrix, *, ids: Sequence[object] | None = None) -> Self:
        """Build a graph from a square sparse matrix; every stored non-zero is an edge."""
        if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise BadData(f"an adjacency matrix must be square, got shape {adjacency.shape}")
        entries = scipy.sparse.coo_array(checked_matrix(adjacency))
        kept = entries.data != 0
        names = as_ids(np.arange(adjacency.shape[0]) if ids is None else ids)
        if len(names) != adjacency.shape[0]:
            raise BadData(f"ids has {len(names)} entries for {adjacency.shape[0]} nodes")
        rows, columns = (axis[kept].astype(np.int32) for axis in entries.coords)
        indptr, indices = _compress(rows, columns, len(names), entries_per_edge=2)
        if int((rows != columns).sum()) != len(indices):
            logger.warning("the adjacency is not symmetric: every entry now counts both ways")
        return cls.with_rows(names, indptr, indices)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph") -> Self:
        """Build a graph from networkx; directed edges become undirected, weights are ignored."""
        if graph.is_directed():
            logger.warning("the networkx graph is directed: every edge now counts both ways")
        return cls.from_edges(list(graph.edges()), nodes=list(graph.nodes()))

    @classmethod
    def from_pyg(cls, data: Any) -> Self:  # noqa: ANN401 (PyTorch Geometric is not a dependency)
        """Build a graph from a PyTorch Geometric ``Data``; ids are 0, 1, ...."""
        sources, targets = data.edge_index.numpy()
        ones = np.ones(len(sources), dtype=np.int8)
        return cls.from_scipy(
            scipy.sparse.coo_array((ones, (sources, targets)), shape=(data.num_nodes, data.num_nodes))
        )

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return the adjacency as a sparse matrix of ones."""
        ones = np.ones(len(self.indices), dtype=np.float32)
        return scipy.sparse.csr_array((ones, self.indices, self.indptr), shape=(self.nodes, self.nodes))

    def to_edges(self) -> pa.Table:
        """Return each edge once, as columns ``source`` and ``target``."""
        rows = np.repeat(np.arange(self.nodes, dtype=np.int32), self.degrees)
        once = rows < self.indices
        names = pa.array(self.ids)
        return pa.table(
            {"source": names.take(pa.array(rows[once])), "target": names.take(pa.array(self.indices[once]))}
        )

    def to_networkx(self) -> "networkx.Graph":
        """Return a networkx graph with the same ids."""
        with needed("a graph of networkx"):
            import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.ids.tolist())
        table = self.to_edges()
        graph.add_edges_from(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))
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


def _columns(edges: Iterable[tuple[object, object]] | NDArray[np.integer] | pa.Table) -> tuple[Column, Column]:
    """Return both ends of all edges, as 64-bit integers or strings."""
    if isinstance(edges, pa.Table):
        if edges.num_columns != 2:
            raise BadData(f"edges must be pairs, got a table of {edges.num_columns} columns")
        sources, targets = (edges.column(i) for i in range(2))
    elif isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise BadData(f"edges must be pairs, got an array of shape {edges.shape}")
        sources, targets = (pa.array(np.ascontiguousarray(edges[:, i])) for i in range(2))
    else:
        pairs = list(edges)
        if any(len(pair) != 2 for pair in pairs):
            raise BadData("edges must be pairs of ids")
        ids = as_ids((node for pair in pairs for node in pair), unique=False)
        sources, targets = pa.array(ids[0::2]), pa.array(ids[1::2])
    if sources.null_count or targets.null_count:
        raise BadData("an edge lacks an id")
    return _plain(sources), _plain(targets)


def _plain(ids: Column) -> Column:
    """Return ids as 64-bit integers or strings, without a dictionary; whatever else is refused."""
    ids = decoded(ids)
    if len(ids) == 0:
        return pa.array([], type=pa.int64())
    if pa.types.is_integer(ids.type):
        try:
            return ids.cast(pa.int64())
        except pa.ArrowInvalid:
            raise BadData("integer ids must fit 64 bits; write larger ones as strings") from None
    if is_text(ids.type):
        return ids
    raise BadData(f"ids must be integers or strings, got {ids.type}")


def _number(
    sources: Column, targets: Column, nodes: Sequence[object] | Ids | None
) -> tuple[Ids, NDArray[np.int32], NDArray[np.int32]]:
    """Replace ids by row numbers: those of ``nodes``, or in order of appearance."""
    texts = is_text(sources.type) or is_text(targets.type)
    ends = [_keys(sources), _keys(targets)]
    if nodes is None:
        encoded = _joined(ends).dictionary_encode()
        distinct = encoded.dictionary.cast(pa.large_string()) if texts else encoded.dictionary
        ids, rows = as_ids(distinct.to_numpy(zero_copy_only=False)), encoded.indices.to_numpy()
    else:
        ids = as_ids(nodes)
        known, *ends = _alike([_keys(pa.array(ids)), *ends])
        found = pc.index_in(_joined(ends), known)
        if found.null_count:
            edge = pc.index(pc.is_null(found), pa.scalar(value=True)).as_py() % len(sources)
            raise UnknownNode(edge)
        rows = found.to_numpy()
    rows = rows.astype(np.int32, copy=False)
    return ids, rows[: len(sources)], rows[len(sources) :]


def _keys(ids: Column) -> Column:
    """Return what tells ids apart: strings that are all digits as integers, which are compared much faster."""
    if not is_text(ids.type):
        return ids
    numbers = None if digits(ids.slice(0, _SAMPLE)) is None else digits(ids)
    return ids.cast(pa.large_string()) if numbers is None else numbers  # all text together may have more than 2 GB


def _alike(columns: list[Column]) -> list[Column]:
    """Return columns of one type: as 17 and "17" are one node, integers beside strings become strings."""
    if len({column.type for column in columns}) == 1:
        return columns
    return [column.cast(pa.large_string()) for column in columns]


def _joined(columns: list[Column]) -> pa.Array:
    alike = _alike(columns)
    chunks = [
        chunk for column in alike for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    ]
    return pa.concat_arrays(chunks or [pa.array([], type=alike[0].type)])


def _compress(
    sources: NDArray[np.int32], targets: NDArray[np.int32], nodes: int, *, entries_per_edge: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the symmetric compressed rows; say in the log what was dropped."""
    from privge.graph._kernels import compress

    loops = int((sources == targets).sum())
    indptr, indices = compress(sources, targets, nodes)
    repeated = max(0, len(sources) - loops - entries_per_edge * len(indices) // 2)
    if loops or repeated:
        both = "; an edge written both ways counts as repeated" if entries_per_edge == 1 else ""
        logger.info("dropped %d self-loops and %d repeated edges%s", loops, repeated, both)
    return indptr, indices
