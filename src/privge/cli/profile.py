"""``privge profile``: what public groups have in common, with intervals from the exactly known noise."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click
import numpy as np

from privge._imports import require
from privge.campaign import Campaign
from privge.cli.collected import CollectedOptions
from privge.cli.declared import file_option, flag, option, options_into, place_option
from privge.cli.graphs import ColumnOptions, EdgeListOptions, nodes_option
from privge.cli.ids import IdOptions
from privge.cli.options import OUTPUT, Finite, check_output, existing, json_option, naming, refuse_given
from privge.cli.progress import progress_bar
from privge.cli.terminal import one_line
from privge.graph import Graph, StoredGraph, as_graph
from privge.profiles import Demands, Groups, Profile, expected, find_communities, read_groups
from privge.profiles import profile as profile_of
from privge.profiles.picture import SUFFIXES as PICTURES
from privge.profiles.picture import write_picture
from privge.profiles.table import SUFFIXES as TABLES
from privge.profiles.table import cells, write_table
from privge.profiles.words import limits, sentences, summary, table_lines

_USUAL = Demands()
_LARGEST = 20  # communities that are profiled, unless another number is asked for


@dataclass(frozen=True, kw_only=True)
class GroupOptions(ColumnOptions):
    """The public grouping: a table, or communities of a graph."""

    groups_path: Path | None = file_option("--groups", about="Public groups: a table with the columns id and group.")
    group_column: str = option("--group-column", metavar="NAME", default="group", help="Column of the groups.")
    communities: bool = flag("--communities", about="Or find communities in --graph, by the Leiden algorithm (igraph).")
    graph_place: str | None = place_option("--graph", about="With --communities, the edges of the public graph.")
    nodes_path: Path | None = nodes_option()
    header: bool | None = option(
        "--header/--no-header", default=None, help="Whether the first line of the edges names their columns."
    )
    resolution: float = option(
        "--resolution", type=Finite(0, min_open=True), default=1.0, help="Above 1: more and smaller communities."
    )
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Of the communities and of the control.")
    most: int | None = option(
        "--most",
        type=click.IntRange(1),
        help=f"Profile so many of the largest groups.  [default: all of --groups, {_LARGEST} --communities]",
    )

    def check(self) -> None:
        """Refuse options that do not go together."""
        if (self.groups_path is not None) == self.communities:
            raise click.UsageError("Give either --groups, a public table, or --communities with --graph.")
        graph_alone = ("graph_place", "nodes_path", "header", "source_column", "target_column", "weight_column")
        if not self.communities:
            refuse_given((*graph_alone, "resolution"), "without --communities")
            return
        refuse_given(("group_column",), "without --groups")
        if self.graph_place is None:
            raise click.UsageError("--communities needs --graph, the edges of the public graph.")
        require("finding communities", "igraph")

    def read(self, ids: IdOptions) -> Groups:
        """Read or find the groups; the largest of them."""
        if self.groups_path is not None:
            found = read_groups(
                existing(self.groups_path),
                group_column=self.group_column,
                id_column=ids.column_in("groups"),
                integer_ids=ids.integer_ids,
            )
        else:
            found = find_communities(as_graph(self._graph(ids)), resolution=self.resolution, seed=self.seed)
        most = self.most or (_LARGEST if self.communities else len(found))
        if most < len(found):
            click.echo(f"Of {len(found):,} groups the {most:,} largest are profiled (--most).", err=True)
        return found.largest(most)

    def _graph(self, ids: IdOptions) -> Graph | StoredGraph:
        edges = EdgeListOptions(**{each.name: getattr(self, each.name) for each in fields(EdgeListOptions)})
        return edges.opened(str(self.graph_place), self.nodes_path, ids)


@dataclass(frozen=True, kw_only=True)
class DemandOptions:
    """What is asked of the profile."""

    confidence: float = option(
        "--confidence", type=Finite(0, 1, min_open=True, max_open=True), default=_USUAL.confidence, help="Of intervals."
    )
    false_discoveries: float = option(
        "--false-discoveries",
        type=Finite(0, 1, min_open=True, max_open=True),
        default=_USUAL.false_discoveries,
        help="Largest expected share of false ones among the differences shown (Benjamini-Hochberg).",
    )
    widest: float = option(
        "--widest",
        type=Finite(0, min_open=True),
        default=_USUAL.widest,
        help="Where an interval may reach farther to either side than this share of the range, nothing can be told.",
    )

    @property
    def demands(self) -> Demands:
        """The demands."""
        return Demands(self.confidence, self.false_discoveries, self.widest)


@click.command()
@options_into(collected=CollectedOptions, groups=GroupOptions, ids=IdOptions, asked=DemandOptions)
@click.option("-o", "--output", type=OUTPUT, help="All means and intervals as a table: .csv or .parquet.")
@click.option("--picture", type=OUTPUT, help="A page to look at (.html), or its map alone (.svg, .png).")
@json_option
def profile(
    collected: CollectedOptions,
    groups: GroupOptions,
    ids: IdOptions,
    asked: DemandOptions,
    output: Path | None,
    picture: Path | None,
    *,
    as_json: bool,
) -> None:
    """Show what public groups have in common: the mean of every feature in each, with its interval.

    The noise of reports is known exactly, so the mean of many is known well. Each mean comes with an interval and with
    a test for a difference from everybody else. Of groups that are too small for the epsilon it says "cannot be told".

    Before anybody is asked, give a campaign file instead of reports: it says how wide the intervals will be if
    everybody in the groups reports.

    \b
    Examples:
      privge profile --reports reports.parquet --groups communities.csv --picture profile.html
      privge profile --store sqlite:///app.db --communities --graph edges.csv -o profile.csv
      privge profile --reports reports.parquet --groups regions.csv --group-column region --json
      privge profile --campaign campaign.toml --groups communities.csv
    """
    groups.check()
    collected = collected.settled()
    for path, suffixes in ((output, TABLES), (picture, PICTURES)):
        if path is not None:
            check_output(path, *suffixes)
    if picture is not None:
        require("a picture", "matplotlib", "jinja2")
    reports = collected.read()
    if reports is None:
        _expect(collected, groups, ids, asked, as_json=as_json)
        return
    grouping = groups.read(ids)
    with naming(collected.place), progress_bar("Summing answers") as progress:
        made = profile_of(reports, grouping, demands=asked.demands, seed=groups.seed, progress=progress)
    if output is not None:
        write_table(made, output)
    if picture is not None:
        write_picture(made, picture)
    if as_json:
        written = {
            name: None if path is None else str(path) for name, path in (("output", output), ("picture", picture))
        }
        click.echo(json.dumps({**summary(made), **written, "means": [asdict(each) for each in cells(made)]}))
        return
    for line in _lines(made, output, picture):
        click.echo(line)


def _lines(made: Profile, output: Path | None, picture: Path | None) -> Iterator[str]:
    yield from map(one_line, table_lines(made))
    yield from map(one_line, sentences(made))
    yield from limits(made)
    if output is not None:
        yield f"All means are in {output}"
    if picture is not None:
        yield f"Open this in a browser: {picture.resolve()}"


def _expect(
    collected: CollectedOptions, groups: GroupOptions, ids: IdOptions, asked: DemandOptions, *, as_json: bool
) -> None:
    """Say how wide intervals will be, before anybody is asked."""
    if collected.campaign is None:
        raise click.UsageError("Give --reports or --store; or, to see beforehand what to expect, --campaign FILE.")
    refuse_given(("output", "picture"), "without reports")
    campaign = Campaign.load(existing(Path(collected.campaign)))
    found = groups.read(ids)
    with naming(collected.campaign):
        widths = expected(campaign, found.sizes, demands=asked.demands)
    told = (widths <= asked.widest).mean(axis=1)
    if as_json:
        each = zip(found.names, found.sizes.tolist(), widths.min(axis=1), widths.max(axis=1), told, strict=True)
        names = ("group", "people", "half_width_least", "half_width_most", "can_be_told")
        click.echo(
            json.dumps({"campaign": campaign.id, "groups": [dict(zip(names, one, strict=True)) for one in each]})
        )
        return
    asks = f"each {campaign.k:,} of {campaign.dimensions:,} questions at epsilon {campaign.epsilon:g}"
    click.echo(f"If everybody in these groups reports, {asks}, a mean will be known up to so many points of its range:")
    for name, people, width, share in zip(found.names, found.sizes, widths, told, strict=True):
        least, most = 100 * np.array([width.min(), width.max()])
        points = f"±{most:.0f}" if round(least) == round(most) else f"±{least:.0f} to {most:.0f}"
        verdict = "" if share == 1 else "  cannot be told" if share == 0 else f"  {share:.0%} can be told"
        click.echo(f"  {points:12} {one_line(name)} ({people:,} people){verdict}")
