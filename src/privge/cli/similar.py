"""``privge similar``: the nodes with the most similar vectors."""

import json
from dataclasses import dataclass

import click

from privge.cli.declared import flag, options_into, place_option
from privge.cli.graphs import ColumnOptions
from privge.cli.options import PLACE, in_parts, json_option, refuse_given
from privge.cli.sources import read_embedding
from privge.cli.terminal import one_line
from privge.graph import Graph, read_graph


@dataclass(frozen=True, kw_only=True)
class FriendOptions(ColumnOptions):
    """Who is a friend already."""

    graph_place: str | None = place_option(
        "--graph", about="Edges: friends that the node already has are then marked, or left out with --new."
    )
    new: bool = flag("--new", about="With --graph: leave out friends that the node already has.")

    def friends(self, node: str) -> set[str] | None:
        """Return the friends of a node, as text; None if there is no graph."""
        if self.graph_place is None:
            refuse_given(("new", "source_column", "target_column", "weight_column"), "without --graph")
            return None
        return _friends(self._read(self.graph_place), node)

    def _read(self, place: str) -> Graph:
        columns = self.edge_columns()
        if in_parts(place) and columns.stated:
            raise click.UsageError("--source, --target and --weight have no effect with a converted graph.")
        return read_graph(place, columns=columns)


@click.command()
@click.argument("embedding_place", metavar="EMBEDDING", type=PLACE)
@click.option("--node", required=True, help="The node to compare with.")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="How many to show.")
@click.option("--metric", type=click.Choice(["cosine", "dot"]), default="cosine", show_default=True)
@click.option("--channel", metavar="NAME", help="Compare this channel alone.  [default: all, each counting alike]")
@options_into(friends=FriendOptions)
@json_option
def similar(
    embedding_place: str,
    node: str,
    count: int,
    metric: str,
    channel: str | None,
    friends: FriendOptions,
    *,
    as_json: bool,
) -> None:
    """Show the nodes most similar to a node. EMBEDDING is a .parquet, a .npy, or a folder or address of parts.

    Friends that the node already has are among them: --graph marks them, --new leaves them out. To recommend new
    friends by all that is known, use `privge recommend`.

    \b
    Examples:
      privge similar z.parquet --node alice --count 5
      privge similar vectors/ --node alice
      privge similar z.parquet --node alice --channel answers
      privge similar z.parquet --node alice --graph edges.csv --new
    """
    embedding = read_embedding(embedding_place)
    known = friends.friends(node)
    wanted = count + len(known) if known is not None and friends.new else count
    found = embedding.most_similar(node, wanted, metric=metric, channel=channel)  # type: ignore[arg-type]
    if known is not None and friends.new:
        found = [each for each in found if str(each[0]) not in known][:count]
    if as_json:
        told = [{"node": other, "score": score} for other, score in found]
        if known is not None:
            told = [{**each, "friend": str(each["node"]) in known} for each in told]
        click.echo(json.dumps({"node": node, "metric": metric, "similar": told}))
        return
    for other, score in found:
        mark = "  (a friend already)" if known is not None and str(other) in known else ""
        click.echo(f"{score:8.4f}  {one_line(other)}{mark}")


def _friends(graph: Graph, node: str) -> set[str]:
    """Return the neighbours of a node as text; a node without edges need not be in the graph."""
    row = int(graph.rows_of([node])[0])
    if row < 0:
        return set()
    near = graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
    return set(map(str, graph.ids[near].tolist()))
