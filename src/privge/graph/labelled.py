"""A graph whose nodes have labels, given by row or by id; and where nodes stand that somebody names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph.graph import Graph
from privge.graph.inputs import GraphData, as_graph, as_ordered_graph
from privge.graph.labels import Labels, LabelsById, LabelsByRow, by_id, is_by_id
from privge.ids import Ids, as_ids, as_texts

Rows: TypeAlias = NDArray[np.int64]
"""Rows of nodes."""


class Identified(Protocol):
    """Whatever has a row for each id: a graph, an embedding."""

    @property
    def ids(self) -> Ids:
        """The ids, in the order of the rows."""


@dataclass(frozen=True, eq=False)
class LabelledGraph:
    """A graph, the labels of its rows, and whether nodes are named by id.

    Parameters
    ----------
    graph
        The graph, whose rows are meant wherever nodes are named by row.
    labels
        One for each row.
    by_id
        Whether labels were given by id; then nodes are named by id as well.
    """

    graph: Graph
    labels: Labels
    by_id: bool

    @classmethod
    def of(cls, graph: GraphData, labels: LabelsByRow | LabelsById) -> Self:
        """Bring labels to the rows of a graph; labels by row need a graph whose order can be known."""
        if is_by_id(labels):
            graph, (ids, found) = as_graph(graph), by_id(labels)
            return cls(graph, found.at(rows_of(graph, ids, "labelled nodes"), graph.nodes), by_id=True)
        graph, found = as_ordered_graph(graph), Labels.of(labels)
        if len(found) != graph.nodes:
            raise ValueError(f"{len(found)} labels for {graph.nodes} nodes")
        return cls(graph, found, by_id=False)

    def rows(self, nodes: Iterable[object] | None) -> Rows:
        """Return the rows of nodes, given as labels are, by row or by id; by default of all that have a label."""
        if nodes is None:
            return self.labels.known
        return rows_of(self.graph, nodes, "nodes") if self.by_id else as_rows(nodes)


def rows_of(home: Identified, ids: Iterable[object] | Ids, what: str) -> Rows:
    """Return the row of each id; an id that the graph or embedding does not have is refused."""
    advice = "leave them out, or see whether ids are written alike in both: 007 is not 7, and blanks count"
    return all_found(places_in(home, ids), f"{what} are not in the {type(home).__name__.lower()}; {advice}")


def all_found(rows: Rows, complaint: str) -> Rows:
    """Return rows of ids; those that were not found, with row -1, are counted and refused with this complaint."""
    strangers = int((rows < 0).sum())
    if strangers:
        raise BadData(f"{strangers:,} of {len(rows):,} {complaint}")
    return rows


def places_in(home: Identified, ids: Iterable[object] | Ids) -> Rows:
    """Return the row of each id, and -1 for one that the graph or embedding does not have."""
    asked = as_texts(as_ids(ids, unique=False)).tolist()
    known = {node: row for row, node in enumerate(as_texts(home.ids).tolist())}
    return np.fromiter((known.get(node, -1) for node in asked), dtype=np.int64, count=len(asked))


def as_rows(nodes: Iterable[object]) -> Rows:
    """Return rows as numbers; what is not a number is an id, which only an embedding or labels by id can place."""
    rows = np.asarray(nodes)
    if rows.size and rows.dtype.kind not in "iu":
        raise ValueError("rows must be whole numbers; nodes by id need an Embedding and labels by id")
    return rows.astype(np.int64, copy=False)
