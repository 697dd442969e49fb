"""Files to graphs and features, and back. Everything is joined by id, never by position alone."""

import logging
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse
from numpy.typing import NDArray

from privge._atomic import atomic_path
from privge.errors import BadData
from privge.graph.columns import delimiter, first_line, first_null, line_of, read_table
from privge.graph.graph import Graph, UnknownNode
from privge.ids import Ids, as_ids

logger = logging.getLogger(__name__)

_EDGE_NAMES = {("source", "target"), ("src", "dst"), ("from", "to"), ("id_1", "id_2"), ("u", "v")}


@dataclass(frozen=True, eq=False)
class Features:
    """Feature rows by node id: dense or sparse."""

    ids: Ids
    matrix: NDArray[np.float64] | scipy.sparse.csr_array
    names: tuple[str, ...] | None = None


def read_graph(path: str | PathLike[str], *, nodes: str | PathLike[str] | None = None) -> Graph:
    """Read edges from CSV, TSV, Parquet or a sparse ``.npz``.

    A text file has two columns, with a header such as ``source,target``, or without one if the ids are integers.

    Parameters
    ----------
    path
        The edges. An ``.npz`` holds a scipy adjacency whose ids are 0, 1, ....
    nodes
        A table with a column ``id``: all nodes, isolated ones too, in the order that rows shall have.
    """
    path = Path(path)
    if path.suffix == ".npz":
        return Graph.from_scipy(_load_npz(path))
    table, header = _edge_table(path)
    for name in table.column_names:
        if table[name].null_count:
            raise BadData(f"{line_of(path, first_null(table[name]), header=header)}: an edge lacks its {name}")
    if nodes is None:
        return Graph.from_edges(table)
    ids = read_ids(nodes)
    try:
        return Graph.from_edges(table, nodes=ids)
    except UnknownNode as error:
        raise BadData(f"{line_of(path, error.row, header=header)}: an end of the edge is not in {nodes}") from error


def write_graph(graph: Graph, path: str | PathLike[str]) -> None:
    """Write each edge once, in the format that the name stands for; isolated nodes are not in an edge list."""
    path = Path(path)
    with atomic_path(path) as partial:
        if path.suffix == ".npz":
            with partial.open("wb") as file:
                scipy.sparse.save_npz(file, graph.to_scipy())
        elif path.suffix == ".parquet":
            pq.write_table(graph.to_edges(), partial)
        else:
            options = pa_csv.WriteOptions(delimiter=delimiter(path), quoting_style="needed")
            with (
                pa.CompressedOutputStream(str(partial), "gzip") if path.suffix == ".gz" else partial.open("wb") as sink
            ):
                pa_csv.write_csv(graph.to_edges(), sink, options)


def read_ids(path: str | PathLike[str]) -> Ids:
    """Read the column ``id`` of a table."""
    path = Path(path)
    column = _column(read_table(path), "id", path)
    return _as_ids(column, path)


def read_features(path: str | PathLike[str]) -> Features:
    """Read features: a table with a column ``id`` and one number column for each feature, or a sparse ``.npz``.

    Row ``i`` of an ``.npz`` belongs to node ``i``.
    """
    path = Path(path)
    if path.suffix == ".npz":
        matrix = _load_npz(path)
        return Features(np.arange(matrix.shape[0]), matrix)
    table = read_table(path)
    ids = _as_ids(_column(table, "id", path), path)
    names = tuple(name for name in table.column_names if name != "id")
    if not names:
        raise BadData(f"{path}: there is no feature column beside id")
    columns = [_numbers(table[name], name, path) for name in names]
    return Features(ids, np.column_stack(columns), names)


def read_labels(path: str | PathLike[str]) -> tuple[Ids, NDArray[np.object_]]:
    """Read a table with the columns ``id`` and ``label``."""
    path = Path(path)
    table = read_table(path)
    labels = _column(table, "label", path)
    return _as_ids(_column(table, "id", path), path), labels.to_numpy().astype(np.object_)


def _edge_table(path: Path) -> tuple[pa.Table, bool]:
    if path.suffix == ".parquet":
        table = read_table(path)
        return table.select(list(_edge_columns(table.column_names, path))), False
    fields = first_line(path)
    if not fields:
        raise BadData(f"{path}: the file is empty")
    header = not all(field.strip().lstrip("-").isdigit() for field in fields)
    names = _edge_columns(fields, path) if header else ("source", "target")
    if len(fields) != 2:
        raise BadData(f"{path}, line 1: an edge has two ids, this line has {len(fields)} fields")
    table = read_table(path, names=None if header else list(names))
    if any(kind not in (pa.int64(), pa.string()) for kind in table.schema.types):
        table = read_table(path, names=None if header else list(names), text=names)
    return table, header


def _edge_columns(fields: list[str], path: Path) -> tuple[str, ...]:
    lowered = {field.strip().lower(): field for field in fields}
    for pair in _EDGE_NAMES:
        if set(pair) == set(lowered):
            return tuple(lowered[name] for name in pair)
    wanted = " or ".join(",".join(pair) for pair in sorted(_EDGE_NAMES))
    raise BadData(f"{path}, line 1: unknown columns {','.join(fields)}; the header must be {wanted}")


def _column(table: pa.Table, name: str, path: Path) -> pa.ChunkedArray:
    if name not in table.column_names:
        raise BadData(f"{path}: there is no column {name!r}; the columns are {', '.join(table.column_names[:10])}")
    column = table[name]
    if column.null_count:
        raise BadData(f"{line_of(path, first_null(column), header=True)}: no {name}")
    return column


def _as_ids(column: pa.ChunkedArray, path: Path) -> Ids:
    if column.type not in (pa.int64(), pa.string(), pa.int32(), pa.large_string()):
        raise BadData(f"{path}: ids must be integers or strings, the column holds {column.type}")
    try:
        return as_ids(column.to_numpy())
    except BadData as error:
        raise BadData(f"{path}: {error}") from error


def _numbers(column: pa.ChunkedArray, name: str, path: Path) -> NDArray[np.float64]:
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)):
        raise BadData(f"{path}: feature {name!r} holds {column.type}, not numbers")
    numbers: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    return numbers


def _load_npz(path: Path) -> scipy.sparse.csr_array:
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    try:
        return scipy.sparse.csr_array(scipy.sparse.load_npz(path))
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise BadData(f"{path}: no sparse matrix of scipy ({error})") from error
