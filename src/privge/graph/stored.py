"""A graph on disk, in the form in which it is used: looked at once, then mapped rather than read, shared by processes.

```text
graph.json       written last: format, sizes, fingerprint
indptr.npy       int64, nodes + 1
indices.npy      int32, entries, then PADDING zeros
ids.npy          int64; or, for strings, in Arrow's layout:
ids-offsets.npy  int64, nodes + 1
ids-text.npy     uint8, UTF-8
```
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike, NDArray

from privge._files.folder import Folder
from privge.errors import BadData
from privge.graph._fingerprint import PIECE, pieces
from privge.graph._soundness import UnsoundRows, check_rows
from privge.graph.graph import Graph
from privge.ids import Ids, as_ids

FORMAT = "privge.graph/1"
PADDING = 24
"""Zeros after the last entry: compiled code asks for the data of entries ahead of their turn."""

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

    @property
    def edges(self) -> int:
        """Number of undirected edges."""
        return self.entries // 2

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
            missing = f"there is no {_DOCUMENT}: this is no graph, or one that was never finished"
            raise BadData(f"{folder.address}: {missing if there else 'there is no such graph'}; see privge convert")
        document = {"loops": 0, "repeated": 0, **folder.document(_DOCUMENT)}
        if document.get("format") != FORMAT:
            raise BadData(f"{folder.address}/{_DOCUMENT}: the format is not {FORMAT!r}")
        for name, is_right in _FIELDS.items():
            if name not in document:
                raise BadData(f"{folder.address}/{_DOCUMENT}: there is no {name!r}")
            if not is_right(document[name]):
                raise BadData(f"{folder.address}/{_DOCUMENT}: {name!r} is not what it must be")
        stored = cls(folder, *(document[name] for name in _FIELDS))
        stored._check_sizes()
        stored._check_ids()
        stored._check_rows()
        return stored

    def save(self) -> "StoredGraph":
        """Write ``graph.json``, which makes the files beside it a graph."""
        self.folder.write_document(
            _DOCUMENT,
            {
                "format": FORMAT, "nodes": self.nodes, "entries": self.entries, "ids": self.kind,
                "sorted_ids": self.sorted_ids, "padding": self.padding, "largest_degree": self.largest_degree,
                "fingerprint": self.fingerprint, "loops": self.loops, "repeated": self.repeated,
            },
        )  # fmt: skip
        return self

    def indptr(self, first: int = 0, last: int | None = None) -> NDArray[np.int64]:
        """Return where rows begin: of rows ``first`` to ``last``, and where the last of them ends."""
        return self.folder.read("indptr.npy", first, None if last is None else last + 1)

    def indices(self, first: int = 0, last: int | None = None) -> NDArray[np.int32]:
        """Return the neighbours of all rows and the padding, or only entries ``first`` to ``last``."""
        return self.folder.read("indices.npy", first, last)

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
        """Return the graph: arrays are mapped, or read if the folder is at an address that is no path."""
        # Plain arrays instead of NumPy's own mapped ones, though still mapped: compiled code takes them faster.
        ids: Ids = np.asarray(self.ids())  # type: ignore[assignment]
        return Graph.with_rows(ids, np.asarray(self.indptr()), np.asarray(self.indices(0, self.entries)))

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

    def _check_sizes(self) -> None:
        """Refuse files that are absent, cut short or of another size than ``graph.json`` says."""
        self._check_array("indptr.npy", np.int64, self.nodes + 1)
        self._check_array("indices.npy", np.int32, self.entries + self.padding)
        if self.kind == "integers":
            self._check_array("ids.npy", np.int64, self.nodes)
        else:
            self._check_array("ids-offsets.npy", np.int64, self.nodes + 1)
            length = int(self.folder.read("ids-offsets.npy", self.nodes)[0])
            if length < 0:
                raise self._damaged("ids-offsets.npy", "an offset is negative")
            self._check_array("ids-text.npy", np.uint8, length)

    def _check_rows(self) -> None:
        """Refuse rows that compiled code could not take for granted, or that have another largest degree."""
        try:
            largest = check_rows(self.nodes, self.entries, self.indptr, self.indices)
        except UnsoundRows as error:
            raise self._damaged(f"{error.array}.npy", error.problem) from error
        if largest != self.largest_degree:
            raise self._damaged(_DOCUMENT, f"the largest degree is {largest}")

    def _check_ids(self) -> None:
        """Refuse ids that are no texts, that are there twice, or that are not in the order that is promised."""
        if self.kind == "strings":
            self._check_texts()
            return
        if self.sorted_ids:
            for first in range(0, self.nodes, PIECE):
                piece = np.asarray(self.ids(first, first + PIECE + 1), dtype=np.int64)
                if not _ascend_strictly(piece):
                    raise self._damaged("ids.npy", "the ids do not ascend")
        elif not _ascend_strictly(np.sort(np.asarray(self.ids(), dtype=np.int64))):
            raise self._damaged("ids.npy", "an id is there twice")

    def _check_texts(self) -> None:
        try:
            texts = self.texts()
            texts.validate(full=True)
        except pa.ArrowException:  # its message may quote an id
            raise self._damaged("ids-offsets.npy", "the ids are no texts") from None
        if not pc.all(pc.greater(pc.binary_length(texts), 0), min_count=0).as_py():
            raise self._damaged("ids-offsets.npy", "an id is empty")
        if self.sorted_ids:
            for first in range(0, self.nodes, PIECE):
                piece = texts[first : first + PIECE + 1]
                if not pc.all(pc.less(piece[:-1], piece[1:]), min_count=0).as_py():
                    raise self._damaged("ids-text.npy", "the ids do not ascend")
        elif pc.count_distinct(texts).as_py() != self.nodes:
            raise self._damaged("ids-text.npy", "an id is there twice")

    def _damaged(self, name: str, problem: str) -> BadData:
        return BadData(f"{self.folder.address}/{name}: damaged, {problem}")

    def _check_array(self, name: str, kind: DTypeLike, length: int) -> None:
        """Read only the end: the last entry must be there, and none after it."""
        place = f"{self.folder.address}/{name}"
        try:
            end = self.folder.read(name, max(0, length - 1), length + 1)
        except FileNotFoundError as error:
            raise BadData(f"{place}: the file is missing") from error
        except (OSError, ValueError, EOFError) as error:
            raise BadData(f"{place}: damaged ({error})") from error
        if end.dtype != kind or end.shape != (min(1, length),):
            raise BadData(f"{place}: damaged, it does not hold {length} numbers of type {np.dtype(kind)}")


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**62


_FIELDS: dict[str, Callable[[object], bool]] = {
    "nodes": lambda value: _is_count(value) and value < 2**31,  # type: ignore[operator]
    "entries": _is_count,
    "ids": lambda value: value in ("integers", "strings"),
    "sorted_ids": lambda value: isinstance(value, bool),
    "padding": lambda value: _is_count(value) and PADDING <= value < 2**31,  # type: ignore[operator]
    "largest_degree": _is_count,
    "fingerprint": lambda value: isinstance(value, str),
    "loops": _is_count,
    "repeated": _is_count,
}
"""What ``graph.json`` must say, in the order of the fields of `StoredGraph` after the folder."""


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
    folder.remove([_DOCUMENT])  # until the new one is complete there is no graph here
    folder.write("indptr.npy", np.asarray(graph.indptr, dtype=np.int64))
    folder.write("indices.npy", np.concatenate([graph.indices, np.zeros(PADDING, np.int32)]))
    kind: Literal["integers", "strings"] = "integers"
    if graph.ids.dtype == np.int64:
        folder.write("ids.npy", graph.ids)
    else:
        kind = "strings"
        _write_texts(folder, graph.ids)
    return StoredGraph(
        folder, graph.nodes, len(graph.indices), kind, _ascend(graph.ids), PADDING,
        int(graph.degrees.max(initial=0)), graph.fingerprint,
    ).save()  # fmt: skip


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


def _ascend_strictly(ids: NDArray[np.int64]) -> bool:
    return bool(np.all(ids[:-1] < ids[1:]))


def _ascend(ids: Ids) -> bool:
    """Say whether ids ascend; Python orders strings by code point, which is the order of their UTF-8 bytes."""
    ordered: Any = ids[:-1] <= ids[1:]
    return bool(np.all(ordered))
