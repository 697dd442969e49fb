"""Files to graphs, and back.

Ids of a text file are text, ids of a Parquet column are what the column holds. Whoever wants integers from text says so
(``integer_ids``); then every id must be the plain spelling of an integer.
"""

from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse

from privge._files.atomic import atomic_path
from privge._files.columns import integers, read_ids, refuse_spoiled, spoiled
from privge._files.matrices import load_npz
from privge._files.tables import (
    EDGE_NAMES,
    decoded,
    delimiter,
    first_line,
    first_null,
    line_of,
    read_table,
)
from privge.errors import BadData
from privge.graph.graph import Graph, UnknownNode
from privge.graph.stored import StoredGraph


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
        table = pa.table({name: integers(table[name], path, header=header) for name in table.column_names})
    ids = None if nodes is None else read_ids(nodes, integer_ids=integer_ids)
    try:
        graph = Graph.from_edges(table, nodes=ids)
    except UnknownNode as error:
        raise BadData(f"{line_of(path, error.row, header=header)}: an end of the edge is not in {nodes}") from error
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    if spoiled(graph.ids):
        for name in table.column_names:
            refuse_spoiled(table[name], path, header=header)
    return graph


def write_graph(graph: Graph, path: str | PathLike[str]) -> None:
    """Write each edge once, in the format that the name stands for; isolated nodes are not in an edge list."""
    path = Path(path)
    if spoiled(graph.ids):
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
    adjacency = load_npz(path)
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
