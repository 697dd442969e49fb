"""Options about a graph: where its edges and nodes are, and what their columns are called."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from privge._files.folder import Folder
from privge._files.formats import ALL_NAMES
from privge.cli.declared import file_option, option, place_option
from privge.cli.ids import IdOptions
from privge.cli.options import in_parts
from privge.graph import EdgeColumns, Graph, StoredGraph, as_graph, read_graph
from privge.propagation.cluster import stored_graph


def nodes_option() -> Any:  # noqa: ANN401 (a field)
    """Declare the table of all nodes."""
    return file_option("--nodes", about="Table with a column id: all nodes, isolated ones too.")


@dataclass(frozen=True, kw_only=True)
class PlaceOfGraph:
    """Where a graph is."""

    graph_place: str = place_option(
        "--graph", about=f"Edges: {ALL_NAMES}; or what `privge convert` made.", required=True
    )
    nodes_path: Path | None = nodes_option()


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What the columns of an edge list are called."""

    source_column: str | None = option(
        "--source", metavar="NAME", help="Column of one end of an edge.  [default: source, src, from, id_1 or u]"
    )
    target_column: str | None = option("--target", metavar="NAME", help="Column of its other end.")
    weight_column: str | None = option(
        "--weight", metavar="NAME", help="Column of its weight, a number above 0.  [default: no weights]"
    )

    def edge_columns(self, *, header: bool | None = None, id_column: str = "id") -> EdgeColumns:
        """Return what the reader of edges is told."""
        if (self.source_column is None) != (self.target_column is None):
            raise click.UsageError("Give both --source and --target, or neither.")
        return EdgeColumns(self.source_column, self.target_column, self.weight_column, header, id_column)


@dataclass(frozen=True, kw_only=True)
class EdgeListOptions(ColumnOptions):
    """The same of an edge list that may be a text file."""

    header: bool | None = option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of the edges names their columns; if not, they are 1, 2, 3.  "
        "[default: as it looks]",
    )

    def columns_beside(self, ids: IdOptions) -> EdgeColumns:
        """Return what the reader of edges is told, beside a table of nodes with these ids."""
        return self.edge_columns(header=self.header, id_column=ids.column_in("nodes"))

    def opened(self, place: str, nodes: Path | None, ids: IdOptions) -> Graph | StoredGraph:
        """Read edges, or open what was converted."""
        columns = self.columns_beside(ids)
        if not in_parts(place):
            return read_graph(Path(place), nodes=nodes, integer_ids=ids.integer_ids, columns=columns)
        if nodes is not None:
            raise click.UsageError("--nodes has no effect with a converted graph, which has all its nodes.")
        if columns.stated:
            raise click.UsageError("--source, --target, --weight and --header have no effect with a converted graph.")
        return StoredGraph.open(place)


@dataclass(frozen=True, kw_only=True)
class OneGraphOptions(EdgeListOptions, PlaceOfGraph):
    """A graph: a file of edges, or what ``privge convert`` made."""

    def read_here(self, ids: IdOptions) -> Graph:
        """Read the graph into the memory of this process."""
        return as_graph(self.opened(self.graph_place, self.nodes_path, ids))


@dataclass(frozen=True, kw_only=True)
class GraphOptions(OneGraphOptions):
    """A graph, and what it was before, for an update."""

    previous_graph: str | None = place_option(
        "--previous-graph",
        about="With --update, the graph of the earlier embedding, if it has gained nodes or edges since.",
    )
    previous_nodes: Path | None = file_option("--previous-nodes", about="Its table of nodes, if it had one.")

    def read(self, ids: IdOptions, work: Folder | None = None) -> Graph | StoredGraph:
        """Open or read the graph; for a cluster it is a folder that all workers see."""
        graph = self.opened(self.graph_place, self.nodes_path, ids)
        if isinstance(graph, StoredGraph):
            return graph.graph() if work is None else graph
        return graph if work is None else stored_graph(graph, work)

    def read_previous(self, ids: IdOptions) -> Graph | None:
        """Read what the graph was before, if it is given; it is written alike."""
        if self.previous_graph is None:
            return None
        graph = self.opened(self.previous_graph, self.previous_nodes, ids)
        return graph.graph() if isinstance(graph, StoredGraph) else graph
