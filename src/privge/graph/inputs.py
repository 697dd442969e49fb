"""What people have, as a graph: one function that every entry of this package calls."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from typing import TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix
from privge._typing import Table, is_arrow, is_pandas
from privge.errors import BadData
from privge.graph.edge_columns import EdgeColumns
from privge.graph.edge_lists import Nodes, Weight, graph_of_array, graph_of_pairs, graph_of_table
from privge.graph.graph import Graph
from privge.graph.libraries import (
    NetworkxGraph,
    PygData,
    graph_of_matrix,
    graph_of_networkx,
    graph_of_pyg,
    is_networkx,
    is_pyg,
)
from privge.graph.readers import read_graph
from privge.graph.stored import StoredGraph

GraphData: TypeAlias = (
    Graph
    | StoredGraph
    | NetworkxGraph
    | PygData
    | SparseMatrix
    | Table
    | NDArray[np.generic]
    | Iterable[Sequence[object]]
    | str
    | PathLike[str]
)
"""Whatever `as_graph` takes."""

_ACCEPTED = (
    "a Graph or StoredGraph, a graph of networkx, a square sparse matrix of scipy, a Data of PyTorch Geometric, an "
    "edge table of pandas, polars or pyarrow, a list of pairs, an array of shape (m, 2), or the path of a file"
)


def as_graph(
    data: GraphData,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: Weight = None,
    nodes: Nodes | None = None,
    header: bool | None = None,
) -> Graph:
    """Return the graph that somebody has, in whatever form.

    Edges become undirected, and a directed input is said to be one in the log. Weights that an input has are honoured
    only if ``weight`` asks for them; otherwise they are left out, which is said in the log too.

    Parameters
    ----------
    data
        A `Graph` or `StoredGraph`, which stays as it is; a graph of networkx; a square sparse matrix of scipy, in which
        every non-zero is an edge; a ``Data`` of PyTorch Geometric; an edge table of pandas, polars or pyarrow; a list
        of pairs or an array of shape ``(m, 2)``; or a path, see `privge.graph.read_graph`.
    source, target
        The columns of a table or a file that hold the ends of an edge. By default ``source`` and ``target``, or one of
        the other usual pairs: ``src`` and ``dst``, ``from`` and ``to``, ``u`` and ``v``, ``id_1`` and ``id_2``.
    weight
        The column of a table or a file, the edge attribute of networkx or the field of a ``Data`` that holds weights.
        True stands for the usual one: ``weight``; of a ``Data`` ``edge_weight``; of a matrix its values; of a list of
        triples the third entry.
    nodes
        All node ids, in the order that rows shall have. Tables and edge lists have only the nodes that stand in an
        edge, in order of appearance, unless this names more. For a matrix and a ``Data``, the names of the rows, which
        are 0, 1, ... by default. For networkx, its nodes in another order.
    header
        Whether the first line of a text file names the columns; by default it is recognised. Without a header columns
        are called 1, 2, 3, ....
    """
    if isinstance(data, str | PathLike):
        _refuse("a file: privge.graph.read_graph takes a table of nodes", nodes=nodes)
        named = "weight" if weight is True else weight or None
        return read_graph(data, columns=EdgeColumns(source, target, named, header))
    _refuse("what is not a text file", header=header)
    if isinstance(data, Graph | StoredGraph):
        _refuse("a graph that is finished", source=source, target=target, weight=weight, nodes=nodes)
        return data.graph() if isinstance(data, StoredGraph) else data
    if is_pandas(data) or is_arrow(data):
        return graph_of_table(data, EdgeColumns(source, target), weight, nodes)
    _refuse(f"{_kind(data)}, which has no columns", source=source, target=target)
    return _of_library(data, weight, nodes)


def is_graph(data: object) -> bool:
    """Say whether data can be nothing else than a graph, as a matrix or a table can."""
    return isinstance(data, Graph | StoredGraph) or is_networkx(data) or is_pyg(data)


def has_order(data: object) -> bool:
    """Say whether nodes stand in an order that whoever made the data can know; in an edge list they do not."""
    return is_graph(data) or scipy.sparse.issparse(data)


def as_ordered_graph(data: GraphData) -> Graph:
    """Return the graph where rows stand for nodes; an edge list is refused, as nobody could know its order."""
    graph = as_graph(data)
    if not has_order(data) and graph.ids.tolist() != list(range(graph.nodes)):
        raise BadData(
            "rows are known by the graph's order, and a list of edges has none: go by ids, or give the graph an order: "
            "privge.as_graph(edges, nodes=ids)"
        )
    return graph


def _of_library(data: object, weight: Weight, nodes: Nodes | None) -> Graph:
    """Return a graph of networkx, scipy or PyG, or of pairs."""
    if is_networkx(data):
        return graph_of_networkx(data, weight, nodes)
    if scipy.sparse.issparse(data):
        return graph_of_matrix(data, weight, nodes)
    if is_pyg(data):
        return graph_of_pyg(data, weight, nodes)
    if isinstance(data, np.ndarray):
        return graph_of_array(data, weight, nodes)
    if not isinstance(data, Iterable) or isinstance(data, bytes | dict | AbstractSet):
        raise BadData(f"{_kind(data)} is not a graph; give {_ACCEPTED}")
    return graph_of_pairs(data, weight, nodes)


def _refuse(what: str, **options: object) -> None:
    given = [f"{name}=" for name, value in options.items() if value is not None]
    if given:
        raise ValueError(f"{' and '.join(given)} cannot go with {what}")


def _kind(data: object) -> str:
    kind = type(data)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
