"""Files to graphs and features, and back. Everything is joined by id, never by position alone.

Ids of a text file are text, ids of a Parquet column are what the column holds. Whoever wants integers from text says so
(``integer_ids``); then every id must be the plain spelling of an integer.
"""

import logging
import zipfile
import zlib
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from tokenize import TokenError

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse
from numpy.typing import NDArray

from privge._atomic import atomic_path
from privge._folder import Folder
from privge._parquet import opened_parquet, read_parquet
from privge.errors import BadData
from privge.graph.columns import (
    EDGE_NAMES,
    decoded,
    delimiter,
    digits,
    first_line,
    first_null,
    first_other_than_digits,
    first_spoiled,
    first_text,
    is_text,
    line_of,
    read_table,
)
from privge.graph.graph import Graph, UnknownNode
from privge.graph.stored import StoredGraph
from privge.ids import Ids, as_ids, first_repeated
from privge.tables import Features, checked_matrix, numbers, pick, remark_extra

logger = logging.getLogger(__name__)

_NO_MATRIX = (
    OSError, ValueError, KeyError, IndexError, EOFError, TypeError, AttributeError, NotImplementedError, OverflowError,
    SyntaxError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What NumPy and scipy raise about an archive that is none of a matrix."""


def read_graph(
    path: str | PathLike[str], *, nodes: str | PathLike[str] | None = None, integer_ids: bool = False
) -> Graph:
    """Read edges from CSV, TSV, Parquet or a sparse ``.npz``, or open a stored graph.

    A text file has two columns, with a header such as ``source,target``, or without one if the ids of the first line
    are numbers.

    Parameters
    ----------
    path
        The edges. An ``.npz`` holds a scipy adjacency whose ids are 0, 1, .... A folder or an address such as
        ``s3://bucket/big.graph`` is a graph that `save_graph` or `convert_graph` wrote; a folder is mapped, not read.
    nodes
        A table with a column ``id``: all nodes, isolated ones too, in the order that rows shall have.
    integer_ids
        Read ids that are text as integers; one that is not the plain spelling of an integer is refused.
    """
    if "://" in fspath(path) or Path(path).is_dir():
        return _stored_graph(path, nodes)
    path = Path(path)
    if path.suffix == ".npz":
        return _graph_from_npz(path, nodes)
    table, header = _edge_table(path)
    for name in table.column_names:
        if table[name].null_count:
            raise BadData(f"{line_of(path, first_null(table[name]), header=header)}: an edge lacks its {name}")
    if integer_ids:
        table = pa.table({name: _integers(table[name], path, header=header) for name in table.column_names})
    ids = None if nodes is None else read_ids(nodes, integer_ids=integer_ids)
    try:
        graph = Graph.from_edges(table, nodes=ids)
    except UnknownNode as error:
        raise BadData(f"{line_of(path, error.row, header=header)}: an end of the edge is not in {nodes}") from error
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    if _spoiled(graph.ids):
        for name in table.column_names:
            _refuse_spoiled(table[name], path, header=header)
    return graph


def write_graph(graph: Graph, path: str | PathLike[str]) -> None:
    """Write each edge once, in the format that the name stands for; isolated nodes are not in an edge list."""
    path = Path(path)
    if _spoiled(graph.ids):
        raise BadData(f"{path}: an id begins or ends with white space, and would be refused when it is read")
    if path.suffix == ".npz" and graph.ids.tolist() != list(range(graph.nodes)):
        raise BadData(f"{path}: an .npz keeps no ids, so it can hold only a graph whose ids are 0, 1, ...")
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


def read_ids(path: str | PathLike[str], *, integer_ids: bool = False) -> Ids:
    """Read the column ``id`` of a table; see `read_graph` for ``integer_ids``."""
    path = Path(path)
    return _ids(read_table(path, text=["id"]), path, integer_ids=integer_ids)


def read_features(
    path: str | PathLike[str],
    *,
    leave_out: Sequence[str] = (),
    wanted: Sequence[str] | None = None,
    integer_ids: bool = False,
) -> Features:
    """Read features: a table with a column ``id`` and one number column for each feature, or a sparse ``.npz``.

    Row ``i`` of an ``.npz`` belongs to node ``i``, and its columns have no names.

    Parameters
    ----------
    path
        The table or matrix.
    leave_out
        Columns that are no features.
    wanted
        Names of the features, in the order that columns shall have; any other column is left out, with a remark.
    integer_ids
        As for `read_graph`.
    """
    path = Path(path)
    if path.suffix == ".npz":
        matrix = _load_npz(path)
        try:
            return Features(np.arange(matrix.shape[0]), matrix)
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
    table = read_table(path, text=["id"])
    features = _features(table, path, leave_out, wanted, integer_ids=integer_ids)
    if wanted is not None:
        remark_extra([name for name in table.column_names if name not in {"id", *leave_out, *wanted}])
    return features


def read_features_part(
    folder: Folder, name: str, *, leave_out: Sequence[str] = (), wanted: Sequence[str] | None = None
) -> Features:
    """Read features from one Parquet file of a folder, which may be an address that fsspec knows; as `read_features`.

    There is no remark on other columns, which all parts have.
    """
    try:
        return _features(read_parquet(folder, name), Path(name), leave_out, wanted)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: no Parquet file ({error})") from error
    except BadData as error:
        raise BadData(f"{folder.file('')}{error}") from error


def read_feature_names(folder: Folder, name: str) -> tuple[str, ...]:
    """Return the feature columns of one Parquet file of a folder; no row is read."""
    try:
        with opened_parquet(folder, name) as (parquet, _):
            return tuple(column for column in parquet.schema_arrow.names if column != "id")
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: no Parquet file ({error})") from error


def _features(
    table: pa.Table, path: Path, leave_out: Sequence[str], wanted: Sequence[str] | None, *, integer_ids: bool = False
) -> Features:
    ids = _ids(table, path, integer_ids=integer_ids)
    names = tuple(name for name in table.column_names if name != "id" and name not in leave_out)
    if not names:
        raise BadData(f"{path}: there is no feature column beside id")
    if wanted is not None:
        try:
            names = tuple(names[place] for place in pick(names, wanted)[0])
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
    columns = [_numbers(table[name], name, path) for name in names]
    return Features(ids, np.column_stack(columns), names)


def read_labels(path: str | PathLike[str], *, integer_ids: bool = False) -> tuple[Ids, NDArray[np.object_]]:
    """Read a table with the columns ``id`` and ``label``; see `read_graph` for ``integer_ids``."""
    path = Path(path)
    table = read_table(path, text=["id"])
    labels = _column(table, "label", path)
    return _ids(table, path, integer_ids=integer_ids), labels.to_numpy().astype(np.object_)


def _edge_table(path: Path) -> tuple[pa.Table, bool]:
    if path.suffix == ".parquet":
        table = read_table(path)
        return pa.table({name: decoded(table[name]) for name in _edge_columns(table.column_names, path)}), False
    fields = first_line(path)
    if not fields:
        raise BadData(f"{path}: the file is empty")
    header = not all(field.strip().lstrip("-").isdigit() for field in fields)
    names = _edge_columns(fields, path) if header else ("source", "target")
    if len(fields) != 2:
        raise BadData(f"{path}, line 1: an edge has two ids, this line has {len(fields)} fields")
    return read_table(path, names=None if header else list(names), text=names), header


def _stored_graph(path: str | PathLike[str], nodes: str | PathLike[str] | None) -> Graph:
    if nodes is not None:
        raise BadData(f"{path}: a stored graph has all its nodes already; leave out {nodes}")
    return StoredGraph.open(path).graph()


def _graph_from_npz(path: Path, nodes: str | PathLike[str] | None) -> Graph:
    if nodes is not None:
        raise BadData(f"{path}: an .npz has all its nodes already, 0, 1, ...; leave out {nodes}")
    adjacency = _load_npz(path)
    try:
        return Graph.from_scipy(adjacency)
    except BadData as error:
        raise BadData(f"{path}: {error}") from error


def _edge_columns(fields: list[str], path: Path) -> tuple[str, ...]:
    lowered = {field.strip().lower(): field for field in fields}
    for pair in EDGE_NAMES:
        if set(pair) == set(lowered):
            return tuple(lowered[name] for name in pair)
    wanted = " or ".join(",".join(pair) for pair in sorted(EDGE_NAMES))
    # Those of a text are not told: without a header, the first edge would stand there.
    found = f": unknown columns {','.join(fields)}" if path.suffix == ".parquet" else ", line 1: unknown columns"
    raise BadData(f"{path}{found}; the header must be {wanted}")


def _column(table: pa.Table, name: str, path: Path) -> pa.ChunkedArray:
    if name not in table.column_names:
        # The names of the other columns are not told: without a header, the first person would stand there.
        raise BadData(f"{path}: there is no column {name!r} among its {table.num_columns}; it needs a header with it")
    column = table[name]
    if column.null_count:
        raise BadData(f"{line_of(path, first_null(column), header=True)}: no {name}")
    return column


def _ids(table: pa.Table, path: Path, *, integer_ids: bool) -> Ids:
    column = decoded(_column(table, "id", path))
    if not (pa.types.is_integer(column.type) or is_text(column.type)):
        raise BadData(f"{path}: ids must be integers or strings, the column holds {column.type}")
    _refuse_spoiled(column, path, header=True)
    if integer_ids:
        column = _integers(column, path, header=True)
    try:
        ids = as_ids(column.to_numpy(), unique=False)
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    repeated = first_repeated(ids)
    if repeated is not None:
        raise BadData(f"{line_of(path, repeated, header=True)}: this id appears twice")
    return ids


def _spoiled(ids: Ids) -> bool:
    return ids.dtype == np.object_ and first_spoiled(pa.array(ids)) is not None


def _refuse_spoiled(column: pa.ChunkedArray, path: Path, *, header: bool) -> None:
    if is_text(column.type) and (row := first_spoiled(column)) is not None:
        raise BadData(f"{line_of(path, row, header=header)}: an id is empty, or begins or ends with white space")


def _integers(column: pa.ChunkedArray, path: Path, *, header: bool) -> pa.ChunkedArray:
    """Return ids that are text as the integers that the caller says they are."""
    if not is_text(column.type):
        return column
    numbers = digits(column)
    if numbers is None:
        row = first_other_than_digits(column)
        raise BadData(
            f"{line_of(path, row or 0, header=header)}: an id is no integer of 64 bits in its plain spelling "
            "(7, not 007, +7 or 7.0); read the ids as text"
        )
    return numbers


def _numbers(column: pa.ChunkedArray, name: str, path: Path) -> NDArray[np.float64]:
    if column.type == pa.string() and (row := first_text(column)) is not None:
        raise BadData(f"{line_of(path, row, header=True)}: feature {name!r} is not a number")
    try:
        return numbers(column)
    except BadData as error:
        raise BadData(f"{path}: feature {name!r} {error}") from error


def _load_npz(path: Path) -> scipy.sparse.csr_array:
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    if not zipfile.is_zipfile(path):  # numpy would leave the file open, or take it for something else
        raise BadData(f"{path}: no sparse matrix of scipy (no archive, or a truncated one)")
    try:
        matrix = scipy.sparse.csr_array(checked_matrix(scipy.sparse.load_npz(path)))
    except _NO_MATRIX as error:
        raise BadData(f"{path}: no sparse matrix of scipy ({error})") from error
    if matrix.ndim != 2:
        raise BadData(f"{path}: a matrix has two dimensions, this one has {matrix.ndim}")
    return matrix
