"""Edges as pairs of ids, to edges as pairs of rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privge._files.tables import Column, decoded, digits, is_text
from privge.errors import BadData
from privge.ids import Ids, as_ids

EdgeData: TypeAlias = Iterable[tuple[object, object]] | NDArray[np.integer] | pa.Table
"""Pairs of ids: any iterable, an ``m x 2`` array, or an Arrow table with two columns."""

Rows: TypeAlias = NDArray[np.int32]

_SAMPLE = 1_000  # ids that tell names from digits before all of them are looked at
_DENSE = 8  # integers lie close together if there are at most so many times as many between them as there are edges
_LARGE = 2**31


class UnknownNode(BadData):
    """An edge ends at a node that is not among the nodes; ``row`` counts from 0."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"edge {row} has an end that is not among the nodes")


class WrongIds(BadData):
    """A column holds what cannot be an id."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Both ends of all edges, in a form in which ids are compared fast.

    Parameters
    ----------
    sources, targets
        64-bit integers or strings.
    texts
        Whether the ids are text: integers here are those that the texts spell.
    """

    sources: Column
    targets: Column
    texts: bool

    @classmethod
    def of(cls, sources: Column, targets: Column) -> "Ends":
        """Take columns of integers or strings."""
        sources, targets = _plain(sources), _plain(targets)
        return cls(_keys(sources), _keys(targets), is_text(sources.type) or is_text(targets.type))


def ends_of(edges: EdgeData) -> Ends:
    """Return both ends of all edges."""
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
    return Ends.of(sources, targets)


def _plain(ids: Column) -> Column:
    """Return ids as 64-bit integers or strings, without a dictionary; whatever else is refused."""
    ids = decoded(ids)
    if len(ids) == 0:
        return pa.array([], type=pa.int64())
    if pa.types.is_integer(ids.type):
        try:
            return ids.cast(pa.int64())
        except pa.ArrowInvalid:
            raise WrongIds("integer ids must fit 64 bits; write larger ones as strings") from None
    if is_text(ids.type):
        return ids
    raise WrongIds(f"ids must be integers or strings, got {ids.type}")


@dataclass(frozen=True, slots=True)
class NumberedEnds:
    """The rows of both ends of all edges, and the ids of the rows.

    Parameters
    ----------
    names
        Ids; or what tells them apart, in Arrow's memory.
    texts
        Whether the ids are text.
    sources, targets
        Rows.
    """

    names: Ids | pa.Array
    texts: bool
    sources: Rows
    targets: Rows

    def ids(self) -> Ids:
        """Return the ids; what tells texts apart becomes text, of which each is there once."""
        if isinstance(self.names, np.ndarray):
            return self.names
        if not self.texts:
            return np.asarray(self.names)
        texts = self.names.cast(pa.large_string())
        empty = len(texts) > 0 and pc.min(pc.binary_length(texts)).as_py() == 0
        ids: NDArray[np.object_] = texts.to_numpy(zero_copy_only=False)
        return as_ids(ids) if empty else ids  # which says what is wrong


def number_ends(ends: Ends, nodes: Sequence[object] | Ids | None) -> NumberedEnds:
    """Replace ids by row numbers: those of ``nodes``, or in order of appearance."""
    if nodes is None:
        names, rows = _appearing(*_alike([ends.sources, ends.targets]))
    else:
        names = as_ids(nodes)
        known, *asked = _alike([_keys(pa.array(names)), ends.sources, ends.targets])
        found = pc.index_in(_joined(asked), known)
        if found.null_count:
            raise UnknownNode(pc.index(pc.is_null(found), pa.scalar(value=True)).as_py() % len(ends.sources))
        rows = found.to_numpy().astype(np.int32, copy=False)
    return NumberedEnds(names, ends.texts, rows[: len(ends.sources)], rows[len(ends.sources) :])


def _appearing(sources: Column, targets: Column) -> tuple[pa.Array, Rows]:
    """Return the distinct ids in order of appearance, and the number of each id."""
    if sources.type == pa.int64() and len(sources):
        bounds = [pc.min_max(column).as_py() for column in (sources, targets)]
        first, last = min(bound["min"] for bound in bounds), max(bound["max"] for bound in bounds)
        if last - first < _DENSE * len(sources):
            return _in_table([sources, targets], first, last)
    encoded = _joined([sources, targets]).dictionary_encode()
    if not encoded.num_chunks:
        return pa.array([], type=sources.type), np.empty(0, dtype=np.int32)
    rows = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return encoded.chunk(0).dictionary, rows  # all chunks have the same one


def _in_table(columns: list[Column], first: int, last: int) -> tuple[pa.Array, Rows]:
    """Return the same of integers that lie close together, by a table."""
    from privge.graph._kernels import number_values

    table = np.full(last - first + 1, -1, dtype=np.int32)
    rows = np.empty(sum(map(len, columns)), dtype=np.int32)
    known, begin = 0, 0
    for chunk in _joined(columns).chunks:
        known = number_values(chunk.to_numpy(), first, table, known, rows[begin : begin + len(chunk)])
        begin += len(chunk)
    seen = np.flatnonzero(table >= 0)
    distinct = np.empty(known, dtype=np.int64)
    distinct[table[seen]] = seen + first
    return pa.array(distinct), rows


def _keys(ids: Column) -> Column:
    """Return what tells ids apart: strings that are all digits as integers, which are compared much faster."""
    if not is_text(ids.type):
        return ids
    numbers = None if digits(ids.slice(0, _SAMPLE)) is None else digits(ids)
    return ids if numbers is None else numbers


def _alike(columns: list[Column]) -> list[Column]:
    """Return columns of one type: as 17 and "17" are one node, integers beside strings become strings.

    Distinct strings together may have more than 2 GB, which only large ones can hold.
    """
    if len({column.type for column in columns}) == 1 and sum(column.nbytes for column in columns) < _LARGE:
        return columns
    same_integers = all(pa.types.is_integer(column.type) for column in columns)
    return columns if same_integers else [column.cast(pa.large_string()) for column in columns]


def _joined(columns: list[Column]) -> pa.ChunkedArray:
    """Return columns of one type one after the other, without a copy."""
    chunks = [
        chunk for column in columns for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    ]
    return pa.chunked_array(chunks, type=columns[0].type)
