"""Files to graphs, and back.

Ids are text in a text file, and in Parquet what the column holds. With ``integer_ids``, every text must be an integer,
plainly spelled.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import scipy.sparse
from numpy.typing import NDArray

from privge._files.atomic import atomic_path
from privge._files.columns import integers, read_ids, refuse_spoiled, spoiled
from privge._files.formats import MATRICES
from privge._files.tables import (
    column_names,
    decoded,
    first_null,
    first_row,
    first_text,
    is_columnar,
    is_text,
    line_of,
    read_table,
    refuse_repeated,
)
from privge._files.texts import separator_of_name
from privge.errors import BadData
from privge.graph._edges import Ends, UnknownNode, WrongIds, number_ends
from privge.graph._weights import as_weights
from privge.graph.edge_columns import Chosen, EdgeColumns, remark_unused
from privge.graph.graph import Graph
from privge.graph.plain_edges import read_plain_edges
from privge.graph.stored import StoredGraph

logger = logging.getLogger(__name__)

_NUMBERS = "data"  # what scipy calls the numbers of a matrix in its files
AS_RECOGNISED = EdgeColumns()
"""Columns that have one of the known pairs of names, and no weights."""


def read_graph(
    path: str | PathLike[str],
    *,
    nodes: str | PathLike[str] | None = None,
    integer_ids: bool = False,
    columns: EdgeColumns = AS_RECOGNISED,
) -> Graph:
    """Read edges from a text file, a columnar file or a sparse matrix, or open a stored graph.

    A text file is ``.csv`` or ``.tsv``, separated by commas, semicolons or tabs; or ``.txt`` or ``.edgelist``,
    separated by white space, where ``#`` begins a comment. Its header names two columns such as ``source,target``;
    other columns are not used, and named in the log. If the first line has nothing but numbers, there is no header,
    and the first two columns are the ends.

    Parameters
    ----------
    path
        The edges. The nodes of a sparse matrix, such as a scipy adjacency in an ``.npz``, are 0, 1, .... A folder or an
        address such as ``s3://bucket/big.graph`` is a graph that `save_graph` or `convert_graph` wrote; a folder is
        mapped, not read.
    nodes
        A table with a column ``id``: all nodes, isolated ones too, in the order that rows shall have.
    integer_ids
        Read ids that are text as integers; one that is not the plain spelling of an integer is refused.
    columns
        What the columns are called, if they have other names; and which of them is the weight.
    """
    if "://" in fspath(path) or Path(path).is_dir():
        return _stored_graph(path, nodes, columns)
    path = Path(path)
    if path.suffix in MATRICES:
        return _graph_of_matrix(path, nodes, columns)
    edges = _edge_file(path, columns)
    ends, weights = edges.read(integer_ids=integer_ids)
    ids = None if nodes is None else read_ids(nodes, integer_ids=integer_ids, column=columns.id_column)
    try:
        checked = None if weights is None else as_weights(weights, len(weights))
        numbered = number_ends(ends, ids)
        del ends  # the graph needs the memory now
        graph = Graph.from_numbered(numbered, checked)
    except UnknownNode as error:
        raise BadData(f"{edges.line(error.row)}: an end of the edge is not in {nodes}") from error
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    if spoiled(numbered.names):
        edges.refuse_spoiled()
    edges.remark()
    return graph


@dataclass(frozen=True, slots=True)
class _EdgeFile:
    """A table of edges, what its columns are, and how to speak of its rows."""

    path: Path
    chosen: Chosen
    fields: list[str]
    header: bool

    def line(self, row: int) -> str:
        return line_of(self.path, row, header=self.header)

    def read(self, *, integer_ids: bool) -> tuple[Ends, NDArray[np.float64] | None]:
        """Return both ends of all edges and, if they were asked for, weights: each a finite number above 0."""
        if not is_columnar(self.path) and (plain := read_plain_edges(self.path, self.fields, header=self.header)):
            sources, targets = (plain[self.names.index(name)] for name in self.chosen.ends)  # there is no third column
            return Ends(sources, targets, texts=not integer_ids), None
        table = self.table()
        self._refuse_missing(table)
        both = [decoded(table[name]) for name in self.chosen.ends]
        if integer_ids:
            both = [integers(column, self.path, header=self.header) for column in both]
        try:
            return Ends.of(*both), self._weights(table)
        except WrongIds as error:
            raise BadData(f"{self.path}: {error}") from error

    def table(self) -> pa.Table:
        """Return the columns that are used."""
        if is_columnar(self.path):
            return read_table(self.path, columns=self.chosen.read)
        names = None if self.header else self.names
        return read_table(self.path, names=names, text=self.chosen.ends, columns=self.chosen.read)

    @property
    def names(self) -> list[str]:
        """The names of all columns; those that have none are numbered."""
        return self.fields if self.header else [str(number) for number in range(1, len(self.fields) + 1)]

    def _weights(self, table: pa.Table) -> NDArray[np.float64] | None:
        if self.chosen.weight is None:
            return None
        column = table[self.chosen.weight]
        if is_text(column.type) and (row := first_text(column)) is not None:
            raise BadData(f"{self.line(row)}: the weight is not a number")
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            raise BadData(f"{self.path}: column {self.chosen.weight!r} holds {column.type}, not numbers")
        weights: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
        wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
        if wrong.size:
            raise BadData(f"{self.line(int(wrong[0]))}: a weight must be a finite number above 0")
        return weights

    def _refuse_missing(self, table: pa.Table) -> None:
        for role, name in zip(("source", "target", "weight"), self.chosen.read, strict=False):
            if table[name].null_count:
                raise BadData(f"{self.line(first_null(table[name]))}: an edge lacks its {role}")

    def refuse_spoiled(self) -> None:
        """Read the ids again, to refuse one that is empty or has white space around it by its line."""
        table = self.table()
        for name in self.chosen.ends:
            refuse_spoiled(decoded(table[name]), self.path, header=self.header)

    def remark(self) -> None:
        """Say what was assumed and what is not used."""
        if not self.header and not is_columnar(self.path):
            logger.info("%s: there is no header, so the first line is an edge", self.path)
        if (unused := remark_unused(self.chosen)) is not None:
            logger.info("%s: %s", self.path, unused)


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
            options = pa_csv.WriteOptions(delimiter=separator_of_name(path), quoting_style="needed")
            with (
                pa.CompressedOutputStream(str(partial), "gzip") if path.suffix == ".gz" else partial.open("wb") as sink
            ):
                pa_csv.write_csv(graph.to_edges(), sink, options)


def _edge_file(path: Path, columns: EdgeColumns) -> _EdgeFile:
    """Find the columns of a table of edges."""
    if is_columnar(path):
        names = column_names(path)
        with _at(str(path), f"the columns are {', '.join(names[:10])}"):
            return _EdgeFile(path, columns.choose(names), names, header=False)
    place, fields = first_row(path)
    if len(fields) < 2:
        raise BadData(f"{place}: an edge has two ids, this line has {len(fields)} field")
    header = _has_header(path, fields, columns)
    with _at(place, "if this line is not a header, say header=False, on the command line --no-header"):
        chosen = columns.choose(fields) if header else columns.choose_unnamed(len(fields))
    if header:
        refuse_repeated(fields, path)
    return _EdgeFile(path, chosen, fields, header)


def _has_header(path: Path, fields: list[str], columns: EdgeColumns) -> bool:
    """Say whether the first line names the columns: it does not if it has only numbers; an edge list seldom does."""
    if columns.header is not None:
        return columns.header
    if all(_is_number(field) for field in fields):
        return False
    if ".edgelist" not in path.suffixes:
        return True
    try:
        columns.choose(fields)
    except BadData:
        return False
    return True


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


@contextmanager
def _at(place: str, more: str) -> Iterator[None]:
    """Put the place before the message of an error, and what may help after it."""
    try:
        yield
    except BadData as error:
        raise BadData(f"{place}: {error}; {more}") from error


def _stored_graph(path: str | PathLike[str], nodes: str | PathLike[str] | None, columns: EdgeColumns) -> Graph:
    if columns.stated:
        raise BadData(f"{path}: a stored graph has no columns; --source, --target and --weight belong to an edge list")
    if nodes is not None:
        raise BadData(f"{path}: a stored graph has all its nodes already; leave out {nodes}")
    return StoredGraph.open(path).graph()


def _graph_of_matrix(path: Path, nodes: str | PathLike[str] | None, columns: EdgeColumns) -> Graph:
    weighted = columns.weight == _NUMBERS
    if columns.stated and columns != EdgeColumns(weight=_NUMBERS, id_column=columns.id_column):
        raise BadData(
            f"{path}: a matrix has no columns with names; --source and --target belong to an edge list, and its "
            f"numbers are called {_NUMBERS}"
        )
    if nodes is not None:
        raise BadData(f"{path}: a matrix has all its nodes already, 0, 1, ...; leave out {nodes}")
    adjacency = MATRICES[path.suffix](path)
    try:
        graph = Graph.from_scipy(adjacency, weighted=weighted)
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    if not weighted and len(np.unique(adjacency.data[adjacency.data != 0])) > 1:
        logger.info("%s: the numbers of the matrix are not used; --weight %s honours them", path, _NUMBERS)
    return graph
