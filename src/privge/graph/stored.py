"""A graph on disk, in the form in which it is used: looked at once, then mapped rather than read, shared by processes.

```text
graph.json       written last: format, sizes, fingerprint
indptr.npy       int64, nodes + 1
indices.npy      int32, entries, then PADDING zeros
weights.npy      float64, entries; only of a graph with weights
strengths.npy    float64, nodes: sums of weights; only of a graph with weights
ids.npy          int64; or, for strings, in Arrow's layout:
ids-offsets.npy  int64, nodes + 1
ids-text.npy     uint8, UTF-8
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privge._files.folder import Folder
from privge._typing import Floats
from privge.errors import BadData
from privge.graph._fingerprint import pieces
from privge.graph._stored_document import FIELD_NAMES, FORMAT, PADDING, WEIGHTED_FORMAT, checked_fields, fields_of
from privge.graph._stored_files import check_files
from privge.graph.graph import Graph
from privge.ids import Ids, as_ids

__all__ = ["FORMAT", "PADDING", "StoredGraph", "rows_among_sorted", "save_graph"]

_DOCUMENT = "graph.json"


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """A graph in a folder; nothing of it is in memory until it is asked for.

    Use `open`, `save_graph` or `convert_graph`.

    Parameters
    ----------
    folder
        Where it lies.
    nodes, entries
        Number of nodes, and of entries of the adjacency: two for each edge.
    kind
        Whether ids are integers or strings.
    sorted_ids
        Whether ids ascend: integers by value, strings by their UTF-8 bytes.
    padding
        Zeros after the last entry of the indices.
    largest_degree
        Number of neighbours of the node that has most.
    fingerprint
        That of the `Graph`.
    loops, repeated
        Edges that were dropped when the graph was made.
    heaviest
        The largest strength of a graph with weights; None if it has none.
    """

    folder: Folder
    nodes: int
    entries: int
    kind: Literal["integers", "strings"]
    sorted_ids: bool
    padding: int
    largest_degree: int
    fingerprint: str
    loops: int = 0
    repeated: int = 0
    heaviest: float | None = None

    @property
    def edges(self) -> int:
        """Number of undirected edges."""
        return self.entries // 2

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.heaviest is not None

    @property
    def largest_strength(self) -> float:
        """The largest sum of the weights of a node's edges; of a graph without weights, the largest degree."""
        return float(self.largest_degree) if self.heaviest is None else self.heaviest

    @classmethod
    def open(cls, place: str | PathLike[str] | Folder) -> "StoredGraph":
        """Open a graph; what is absent, incomplete or damaged is refused with the file's name.

        All of it is looked at once, piece by piece: that rows and neighbours are in range and in order, that both ends
        of an edge know of each other, that ids are texts or numbers, each once, in the order that is promised. That
        takes less than one sweep of a propagation, and is what lets compiled code work without looking.
        """
        folder = Folder.of(place)
        if not folder.exists(_DOCUMENT):
            there = folder.exists() and bool(folder.names())
            missing = f"there is no {_DOCUMENT}: this is not a graph, or one that was never finished"
            raise BadData(f"{folder.address}: {missing if there else 'there is no such graph'}; see privge convert")
        stored = cls(folder, **checked_fields(folder, folder.document(_DOCUMENT)))
        check_files(stored)
        return stored

    def save(self) -> "StoredGraph":
        """Write ``graph.json``, which makes the files beside it a graph."""
        told = {FIELD_NAMES.get(name, name): getattr(self, name) for name in fields_of(weighted=self.weighted)}
        self.folder.write_document(_DOCUMENT, {"format": WEIGHTED_FORMAT if self.weighted else FORMAT, **told})
        return self

    def indptr(self, first: int = 0, last: int | None = None) -> NDArray[np.int64]:
        """Return where rows begin: of rows ``first`` to ``last``, and where the last of them ends."""
        return self.folder.read("indptr.npy", first, None if last is None else last + 1)

    def indices(self, first: int = 0, last: int | None = None) -> NDArray[np.int32]:
        """Return the neighbours of all rows and the padding, or only entries ``first`` to ``last``."""
        return self.folder.read("indices.npy", first, last)

    def weights(self, first: int = 0, last: int | None = None) -> Floats | None:
        """Return the weights of entries ``first`` to ``last``, or None if the graph has none."""
        return self.folder.read("weights.npy", first, last) if self.weighted else None

    def strengths(self, first: int = 0, last: int | None = None) -> Floats:
        """Return the sums of weights, or else the degrees, of rows ``first`` to before ``last``."""
        if self.weighted:
            return self.folder.read("strengths.npy", first, last)
        return np.diff(self.indptr(first, last)).astype(np.float64)

    def strengths_at(self, rows: NDArray[np.int64]) -> Floats:
        """Return the sums of weights, or else the degrees, of some rows."""
        if self.weighted:
            return np.asarray(self.strengths())[rows]
        indptr = self.indptr()
        return (indptr[rows + 1] - indptr[rows]).astype(np.float64)

    def ids(self, first: int = 0, last: int | None = None) -> Ids:
        """Return the ids of rows ``first`` to ``last``; integers are mapped, strings become Python's."""
        if self.kind == "integers":
            return self.folder.read("ids.npy", first, last)
        texts: NDArray[np.object_] = self.texts()[first:last].to_numpy(zero_copy_only=False)
        return texts

    def texts(self) -> pa.Array:
        """Return the ids, if they are strings, as Arrow's: mapped, not copied."""
        offsets, text = self.folder.read("ids-offsets.npy"), self.folder.read("ids-text.npy")
        return pa.LargeStringArray.from_buffers(self.nodes, pa.py_buffer(offsets), pa.py_buffer(text))

    def graph(self) -> Graph:
        """Return the graph: arrays are mapped, or read if the folder is at an address that is not a path."""
        # Plain arrays instead of NumPy's own mapped ones, though still mapped: compiled code takes them faster.
        ids: Ids = np.asarray(self.ids())  # type: ignore[assignment]
        weights = None if not self.weighted else np.asarray(self.weights())
        return Graph.with_rows(ids, np.asarray(self.indptr()), np.asarray(self.indices(0, self.entries)), weights)

    def rows_of(self, ids: Sequence[object] | Ids) -> NDArray[np.int64]:
        """Return the row of each id, and -1 for ids that are not in the graph."""
        asked = as_ids(ids, unique=False)
        if self.kind == "integers":
            known: NDArray[np.int64] = np.asarray(self.ids(), dtype=np.int64)
            if self.sorted_ids and asked.dtype == np.int64:
                found = [rows_among_sorted(known, piece) for piece in pieces(asked)]
                return np.concatenate([np.empty(0, dtype=np.int64), *found])
            return Graph.with_rows(known, np.zeros(len(known) + 1, np.int64), np.zeros(0, np.int32)).rows_of(asked)
        wanted = pa.array(asked).cast(pa.large_string())
        rows: NDArray[np.int64] = pc.fill_null(pc.index_in(wanted, self.texts()), -1).to_numpy().astype(np.int64)
        return rows


def save_graph(graph: Graph, place: str | PathLike[str] | Folder) -> StoredGraph:
    """Write a graph to a folder, from where it can be opened without reading it.

    Parameters
    ----------
    graph
        Any graph; its order of rows stays.
    place
        A path, conventionally ``*.graph``, or an address such as ``s3://bucket/big.graph``.
    """
    folder = Folder.of(place)
    folder.remove([_DOCUMENT, "weights.npy", "strengths.npy"])  # until the new one is complete there is no graph here
    folder.write("indptr.npy", np.asarray(graph.indptr, dtype=np.int64))
    folder.write("indices.npy", np.concatenate([graph.indices, np.zeros(PADDING, np.int32)]))
    kind: Literal["integers", "strings"] = "integers"
    if graph.ids.dtype == np.int64:
        folder.write("ids.npy", graph.ids)
    else:
        kind = "strings"
        _write_texts(folder, graph.ids)
    if graph.weights is not None:
        folder.write("weights.npy", graph.weights)
        folder.write("strengths.npy", graph.strengths)
    return StoredGraph(
        folder,
        graph.nodes,
        len(graph.indices),
        kind,
        sorted_ids=_ascend(graph.ids),
        padding=PADDING,
        largest_degree=int(graph.degrees.max(initial=0)),
        fingerprint=graph.fingerprint,
        heaviest=graph.largest_strength if graph.weighted else None,
    ).save()


def rows_among_sorted(known: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of each id among ascending ones, -1 if it is not there."""
    if not len(known):
        return np.full(len(asked), -1, dtype=np.int64)
    order = np.argsort(asked)  # in order, the search walks through the ids instead of jumping about
    ordered = asked[order]
    places = np.minimum(np.searchsorted(known, ordered), len(known) - 1)
    rows = np.empty(len(asked), dtype=np.int64)
    rows[order] = np.where(known[places] == ordered, places, -1)
    return rows


def _write_texts(folder: Folder, ids: Ids) -> None:
    texts = pa.array(ids, type=pa.large_string())
    _, offsets, text = texts.buffers()
    starts: NDArray[np.int64] = np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1)
    folder.write("ids-offsets.npy", starts)
    folder.write("ids-text.npy", np.frombuffer(text, dtype=np.uint8, count=int(starts[-1])))


def _ascend(ids: Ids) -> bool:
    """Say whether ids ascend; Python orders strings by code point, which is the order of their UTF-8 bytes."""
    ordered: Any = ids[:-1] <= ids[1:]
    return bool(np.all(ordered))
