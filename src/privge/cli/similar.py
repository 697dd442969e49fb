"""``privge similar``: the nodes with the most similar vectors."""

import json

import click

from privge.cli.options import PLACE, json_option
from privge.cli.sources import read_embedding
from privge.cli.terminal import one_line


@click.command()
@click.argument("embedding_place", metavar="EMBEDDING", type=PLACE)
@click.option("--node", required=True, help="The node to compare with.")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="How many to show.")
@click.option("--metric", type=click.Choice(["cosine", "dot"]), default="cosine", show_default=True)
@click.option("--channel", metavar="NAME", help="Compare this channel alone.  [default: all, each counting alike]")
@json_option
def similar(embedding_place: str, node: str, count: int, metric: str, channel: str | None, *, as_json: bool) -> None:
    """Show the nodes most similar to a node. EMBEDDING is a .parquet, a .npy, or a folder or address of parts.

    \b
    Examples:
      privge similar z.parquet --node alice --count 5
      privge similar vectors/ --node alice
      privge similar z.parquet --node alice --channel answers
    """
    embedding = read_embedding(embedding_place)
    found = embedding.most_similar(node, count, metric=metric, channel=channel)  # type: ignore[arg-type]
    if as_json:
        click.echo(json.dumps({"node": node, "metric": metric, "similar": [{"node": n, "score": s} for n, s in found]}))
    else:
        for other, score in found:
            click.echo(f"{score:8.4f}  {one_line(other)}")
