"""Edges in tables, arrays and lists of pairs, as a graph."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Floats, Table, is_pandas
from privge.errors import BadData
from privge.graph.edge_columns import EdgeColumns, remark_unused, usual_weight
from privge.graph.graph import Graph
from privge.ids import Ids

logger = logging.getLogger(__name__)

Weight: TypeAlias = str | bool | None
Nodes: TypeAlias = Sequence[object] | Ids


def graph_of_table(data: Table, columns: EdgeColumns, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of an edge table; columns that are not used are named in the log."""
    names = _names(data)
    if weight:
        columns = replace(columns, weight=usual_weight(names) if weight is True else weight)
    numbered = names == [str(number) for number in range(len(names))]  # by pandas, which was given no names
    columns = replace(columns, source="0", target="1") if numbered and not columns.source else columns
    try:
        chosen = columns.choose(names)
    except BadData as error:
        raise BadData(f"{error}; the table has {', '.join(names[:10])}") from error
    table = _arrow(data, list(chosen.read))
    if (remark := remark_unused(chosen, "weight={!r}")) is not None:
        logger.warning(remark)
    weights = None if chosen.weight is None else _numbers(table[chosen.weight].to_numpy(), f"column {chosen.weight!r}")
    return graph_of_edges(table.select(list(chosen.ends)), nodes, weights)


def graph_of_array(data: NDArray[Any], weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of an array of shape ``(m, 2)``."""
    if data.ndim != 2 or data.shape[1] != 2:
        raise BadData(
            f"an array of edges has shape (m, 2), got {data.shape}; transpose an edge_index, and make a dense "
            "adjacency sparse (scipy.sparse.csr_array)"
        )
    if weight:
        raise BadData("an array of pairs has no weights; give a table with a column of weights, or triples")
    return graph_of_edges(data.tolist() if data.dtype == np.object_ else data, nodes)


def graph_of_pairs(data: Iterable[object], weight: Weight, nodes: Nodes | None) -> Graph:
    """Return the graph of pairs of ids; if weights are asked for, of triples whose third entry is the weight."""
    edges = [_entries(edge, row) for row, edge in enumerate(data)]
    lengths = {len(edge) for edge in edges}
    if not lengths <= ({3} if weight else {2, 3}) or len(lengths) > 1:
        rule = "three entries: both ends and a weight" if weight else "two ends"
        raise BadData(f"every edge has {rule}; here edges have {' and '.join(map(str, sorted(lengths)))} entries")
    if lengths == {3} and not weight:
        logger.warning("the third entry of each edge is not used; weight=True honours it as its weight")
    weights = _numbers([edge[2] for edge in edges], "the third entry") if weight else None
    return graph_of_edges([(edge[0], edge[1]) for edge in edges], nodes, weights)


def graph_of_edges(
    edges: Iterable[tuple[object, object]] | NDArray[Any] | pa.Table, nodes: Nodes | None, weights: Floats | None = None
) -> Graph:
    """Build the graph, with weights if there are any."""
    options: dict[str, Any] = {} if weights is None else {"weights": weights}
    return Graph.from_edges(edges, nodes=nodes, **options)


def _names(data: Table) -> list[str]:
    if is_pandas(data):
        return list(map(str, data.columns))
    try:
        return list(pa.table(data.head(0) if hasattr(data, "head") else data).column_names)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise BadData(f"a {type(data).__name__} is not a table of edges ({type(error).__name__})") from error


def _arrow(data: Table, columns: list[str]) -> pa.Table:
    """Return some columns as Arrow sees them; two of one name are refused."""
    names = _names(data)
    repeated = [name for name in columns if names.count(name) > 1]
    if repeated:
        raise BadData(f"the column {repeated[0]!r} appears twice")
    try:
        if is_pandas(data):
            chosen = data.iloc[:, [names.index(name) for name in columns]].set_axis(columns, axis=1)
            return pa.Table.from_pandas(chosen, preserve_index=False)
        return pa.table(data).select(columns)
    except (pa.ArrowException, TypeError) as error:
        raise BadData(f"a column of {', '.join(columns)} holds values of several types") from error


def _entries(edge: object, row: int) -> Sequence[object]:
    """Return an edge as a sequence; a word of two letters is not a pair."""
    if isinstance(edge, tuple | list | np.ndarray):
        return edge  # type: ignore[return-value]
    raise BadData(f"edge {row} is not a pair of ids but of type {type(edge).__name__}")


def _numbers(values: object, what: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData(f"{what} does not hold numbers, which weights must be") from error
