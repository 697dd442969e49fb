"""Edges as pairs of ids, to edges as pairs of rows."""

from collections.abc import Iterable, Sequence
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

_SAMPLE = 1_000  # ids that tell names from digits before all of them are looked at


class UnknownNode(BadData):
    """An edge ends at a node that is not among the nodes; ``row`` counts from 0."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"edge {row} has an end that is not among the nodes")


def edge_columns(edges: EdgeData) -> tuple[Column, Column]:
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


def number_ends(
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
