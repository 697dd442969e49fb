"""Edges in tables, arrays and lists of pairs, as a graph."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Floats, Table, is_pandas
from privge.errors import BadData
from privge.graph.edge_columns import EDGE_NAMES
from privge.graph.graph import Graph
from privge.ids import Ids

logger = logging.getLogger(__name__)

Weight: TypeAlias = str | bool | None
Nodes: TypeAlias = Sequence[object] | Ids

_WEIGHTS = ("weight", "weights", "edge_weight")
"""What a column of weights is usually called."""


@dataclass(frozen=True, slots=True)
class EdgeEnds:
    """Which columns of a table hold an edge; None stands for the usual ones.

    Parameters
    ----------
    source, target
        The ends.
    weight
        The weight, if there shall be one.
    """

    source: str | None = None
    target: str | None = None
    weight: Weight = None

    def refuse_columns(self, what: str) -> None:
        """Refuse the names of columns where there are none."""
        if self.source is not None or self.target is not None:
            raise ValueError(f"source= and target= name the columns of a table, and {what} has none")

    def among(self, names: list[str]) -> tuple[str, str]:
        """Return the columns of the ends."""
        usual = _usual_ends(names)
        source, target = self.source or usual[0], self.target or usual[1]
        if source not in names or target not in names or source == target:
            wanted = "; ".join(", ".join(pair) for pair in sorted(EDGE_NAMES))
            raise BadData(
                f"which columns hold the ends of an edge? The table has {', '.join(names[:10])}; give source= and "
                f"target=, or call the columns by a usual pair of names ({wanted})"
            )
        return source, target

    def weight_among(self, names: list[str]) -> str | None:
        """Return the column of the weights, if they are asked for."""
        found = next((name for name in names if name.strip().lower() in _WEIGHTS), None)
        wanted = found if self.weight is True else self.weight or None
        if self.weight and wanted not in names:
            raise BadData(f"there is no column {wanted or 'weight'!r} in the table, which was asked for as weight")
        return wanted


def _usual_ends(names: list[str]) -> tuple[str, str]:
    """Return the first usual pair that the table has; a table of two unnamed columns is one pair too."""
    if names == ["0", "1"]:
        return "0", "1"
    places = {name.strip().lower(): name for name in names}
    for source, target in sorted(EDGE_NAMES):
        if source in places and target in places:
            return places[source], places[target]
    return "", ""


def graph_of_table(data: Table, ends: EdgeEnds, nodes: Nodes | None) -> Graph:
    """Return the graph of an edge table; columns that are not used are named in the log."""
    names = _names(data)
    source, target = ends.among(names)
    weight = ends.weight_among(names)
    table = _arrow(data, [name for name in (source, target, weight) if name is not None])
    remark_unused([name for name in names if name not in (source, target, weight)])
    weights = None if weight is None else _numbers(table[weight].to_numpy(), f"column {weight!r}")
    return graph_of_edges(table.select([source, target]), nodes, weights)


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
        remark_unused(["weight"])
    weights = _numbers([edge[2] for edge in edges], "the third entry") if weight else None
    return graph_of_edges([(edge[0], edge[1]) for edge in edges], nodes, weights)


def graph_of_edges(
    edges: Iterable[tuple[object, object]] | NDArray[Any] | pa.Table, nodes: Nodes | None, weights: Floats | None = None
) -> Graph:
    """Build the graph, with weights if there are any."""
    options: dict[str, Any] = {} if weights is None else {"weights": weights}
    return Graph.from_edges(edges, nodes=nodes, **options)


def remark_unused(names: Sequence[str]) -> None:
    """Say which columns or fields of edges are not used, and how weights are."""
    weight = next((name for name in names if name.strip().lower() in _WEIGHTS), None)
    if weight is not None:
        logger.warning("the graph is read without its weights (%r); weight=%r honours them", weight, weight)
    others = [repr(name) for name in names if name != weight]
    if others:
        logger.info("left out what edges have beside their ends: %s", ", ".join(others[:10]))


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
