"""``privge example``: files to try a collection with."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq

from privge._files.atomic import atomic_path
from privge.cli.remarks import show_remarks

_OPEN_DAYS = 60

_CAMPAIGN = """\
purpose        = "Which interests do friends share?"
mechanism      = "hds"
epsilon        = {epsilon}
k              = 1
closes         = {closes}
retention_days = 90
dimensions     = {dimensions}
names          = {names}
low            = 0
high           = 1
"""


@click.command()
@click.option("--people", type=click.IntRange(10, 1_000_000), default=1_000, show_default=True, help="How many.")
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 100, min_open=True),
    default=1.0,
    show_default=True,
    help="Privacy budget of the campaign.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the made-up network.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="A new folder.")
def example(people: int, epsilon: float, seed: int, output: Path) -> None:
    """Make up a social network and a campaign, to try a collection with.

    \b
    The folder gets
      nodes.csv         everybody
      edges.csv         who knows whom
      campaign.toml     what is asked, and how it is perturbed
      me.json           the interests of the first person: you
      features.parquet  the interests of everybody else, to simulate their devices
    """
    from privge.datasets import social_network
    from privge.graph import write_graph

    try:
        output.mkdir(parents=True)
    except FileExistsError:
        raise click.BadParameter(f"{output} is there already", param_hint="--output") from None
    show_remarks(quiet=True)  # of no interest for a made-up network
    network = social_network(people, seed=seed)
    ids, names = network.graph.ids.tolist(), network.feature_names
    (output / "nodes.csv").write_text("\n".join(["id", *ids, ""]), encoding="utf-8")
    write_graph(network.graph, output / "edges.csv")
    values = [round(value, 3) for value in network.features[0].tolist()]
    (output / "me.json").write_text(json.dumps(dict(zip(names, values, strict=True)), indent=1), encoding="utf-8")
    columns = {name: network.features[1:, j] for j, name in enumerate(names)}
    with atomic_path(output / "features.parquet") as partial:
        pq.write_table(pa.table({"id": ids[1:], **columns}), partial)
    closes = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=_OPEN_DAYS)
    text = _CAMPAIGN.format(
        epsilon=epsilon, closes=closes.strftime("%Y-%m-%dT%H:%M:%SZ"), dimensions=len(names), names=json.dumps(names)
    )
    (output / "campaign.toml").write_text(text, encoding="utf-8")
    click.echo(f"{people:,} people are in {output}; you are {ids[0]}")
