"""Edges in tables, arrays and lists of pairs, as a graph."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Table, is_pandas
from privge.errors import BadData
from privge.graph.edge_columns import Chosen, EdgeColumns, remark_unused, usual_weight
from privge.graph.graph import Graph
from privge.ids import Ids

logger = logging.getLogger(__name__)

Weight: TypeAlias = str | bool | None
"""The name of weights, True for the usual one, None or False for none."""

Nodes: TypeAlias = Sequence[object] | Ids


def graph_of_table(data: Table, columns: EdgeColumns, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of an edge table; columns that are not used are named in the log."""
    names = _names(data)
    if columns.source is None and names == ["0", "1"]:  # two columns that pandas has merely numbered
        columns = replace(columns, source="0", target="1")
    try:
        named = usual_weight(names) if weight is True else weight or None
        chosen = replace(columns, weight=named).choose(names)
    except BadData as error:
        raise BadData(f"{error}; the table has {', '.join(names[:10])}") from error
    table = _arrow(data, names, chosen)
    weights = None if chosen.weight is None else table[chosen.weight]
    graph = Graph.from_edges(table.select(list(chosen.ends)), nodes=nodes, weights=weights)
    if (unused := remark_unused(chosen, "weight={!r}")) is not None:
        logger.warning("%s", unused)
    return graph


def graph_of_array(data: NDArray[Any], weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of an array of shape ``(m, 2)``."""
    if data.ndim != 2 or data.shape[1] != 2:
        raise BadData(
            f"an array of edges has shape (m, 2), got {data.shape}; transpose an edge_index, and make a dense "
            "adjacency sparse (scipy.sparse.csr_array)"
        )
    if weight:
        raise BadData("an array of pairs has no weights; give a table with a column of weights, or triples")
    return Graph.from_edges(data.tolist() if data.dtype == np.object_ else data, nodes=nodes)


def graph_of_pairs(data: Iterable[object], weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of pairs of ids; if weights are asked for, of triples whose third entry is the weight."""
    edges = [_entries(edge, row) for row, edge in enumerate(data)]
    lengths = {len(edge) for edge in edges}
    if not lengths <= ({3} if weight else {2, 3}) or len(lengths) > 1:
        rule = "three entries: both ends and a weight" if weight else "two ends"
        raise BadData(f"every edge has {rule}; here edges have {' and '.join(map(str, sorted(lengths)))} entries")
    if lengths == {3} and not weight:
        remark_weights("the third entry of edges", "weight=True")
    weights = [edge[2] for edge in edges] if weight else None
    return Graph.from_edges([(edge[0], edge[1]) for edge in edges], nodes=nodes, weights=weights)


def remark_weights(what: str, option: str) -> None:
    """Say that edges have weights which nobody asked for, and how to ask."""
    logger.warning("the graph is read without weights: %s is not used; %s honours it", what, option)


def _names(data: Table) -> list[str]:
    if is_pandas(data):
        return list(map(str, data.columns))
    try:
        return list(pa.table(data).column_names)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise BadData(f"a {type(data).__name__} is not a table of edges ({type(error).__name__})") from error


def _arrow(data: Table, names: list[str], chosen: Chosen) -> pa.Table:
    """Return the chosen columns as Arrow sees them."""
    columns = list(chosen.read)
    if repeated := [name for name in columns if names.count(name) > 1]:
        raise BadData(f"the column {repeated[0]!r} appears twice")
    try:
        if is_pandas(data):
            frame = data.iloc[:, [names.index(name) for name in columns]].set_axis(columns, axis=1)
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.table(data).select(columns)
    except (pa.ArrowException, TypeError) as error:
        raise BadData(f"a column of {', '.join(columns)} holds values of several types") from error


def _entries(edge: object, row: int) -> Sequence[Any]:
    """Return an edge as a sequence; a word of two letters is not a pair."""
    if not isinstance(edge, tuple | list | np.ndarray):
        raise BadData(f"edge {row} is not a pair of ids but of type {type(edge).__name__}")
    return list(edge)
