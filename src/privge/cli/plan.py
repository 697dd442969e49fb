"""``privge plan``: say before anybody is asked whether asking is worth it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privge.campaign import Campaign
from privge.cli.declared import file_option, option, options_into
from privge.cli.graphs import OneGraphOptions
from privge.cli.ids import IdOptions
from privge.cli.options import OUTPUT, Finite, check_output, existing, json_option
from privge.cli.progress import progress_bar
from privge.cli.terminal import one_line

if TYPE_CHECKING:
    from privge.perturbation.raw import RawFeatures
    from privge.planning import Grid
    from privge.reports import Reports


@dataclass(frozen=True, kw_only=True)
class KnownOptions:
    """What is known before anybody is asked."""

    campaign_path: Path = file_option("--campaign", about="What is planned, in TOML or JSON.", required=True)
    labels_path: Path | None = file_option("--labels", about="Table of ids and known classes.")
    label_column: str = option("--label-column", metavar="NAME", default="label", help="Column of the classes.")
    panel_path: Path | None = file_option(
        "--panel", about="Raw values of labelled people who agreed to show them: read in the clear, NOT PRIVATE."
    )
    pilot_path: Path | None = file_option("--pilot", about="Reports of a pilot (.parquet), who have spent them.")

    def labels(self, ids: IdOptions) -> Any:  # noqa: ANN401 (ids and classes, as readers return them)
        """Return the known labels, if there are any."""
        from privge.graph.labels import read_labels

        if self.labels_path is None:
            return None
        return read_labels(
            existing(self.labels_path),
            integer_ids=ids.integer_ids,
            id_column=ids.column_in("labels"),
            label_column=self.label_column,
        )

    def panel(self, campaign: Campaign, ids: IdOptions) -> "RawFeatures | None":
        """Return the profiles of a panel, if there is one, and say what that means."""
        from privge.perturbation.raw import Wanted, read_raw_table
        from privge.planning.asked import encoding_of

        if self.panel_path is None:
            return None
        click.echo("The panel's profiles are read in the clear: these people have no local privacy.", err=True)
        wanted = Wanted.of(encoding_of(campaign))
        return read_raw_table(
            existing(self.panel_path),
            wanted,
            leave_out=(self.label_column,),
            integer_ids=ids.integer_ids,
            id_column=ids.column_in("panel"),
        )

    def pilot(self) -> "Reports | None":
        """Return the reports of a pilot, if there was one."""
        from privge.reports import Reports

        return None if self.pilot_path is None else Reports.from_parquet(existing(self.pilot_path))


@dataclass(frozen=True, kw_only=True)
class TriedOptions:
    """What is tried."""

    epsilons: tuple[float, ...] = option(
        "--epsilon",
        type=Finite(0, 100, min_open=True, max_open=True),
        multiple=True,
        default=(0.5, 1.0, 2.0, 4.0),
        help="Privacy budget to try, as often as needed; that of the campaign is tried as well.",
    )
    participations: tuple[float, ...] = option(
        "--participation",
        type=Finite(0, 1, min_open=True),
        multiple=True,
        default=(1.0,),
        help="Share of people who take part, as often as needed.",
    )
    worth: float = option("--worth", type=Finite(0, 100, min_open=True), default=0.5, help="Points that are wanted.")
    prior: Any = option(
        "--prior",
        type=click.Choice(["auto", "structure", "label propagation"]),
        default="auto",
        help="What the graph says: structure is strong, label propagation quick; auto decides by size.",
    )
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Of everything that is drawn.")

    def grid(self) -> "Grid":
        """Return the grid."""
        from privge.planning import Grid

        return Grid(**asdict(self))


@click.command()
@options_into(graph=OneGraphOptions, known=KnownOptions, ids=IdOptions, tried=TriedOptions)
@click.option("-o", "--output", type=OUTPUT, help="Write a page with the curve of lift over epsilon (.html).")
@json_option
def plan(
    graph: OneGraphOptions,
    known: KnownOptions,
    ids: IdOptions,
    tried: TriedOptions,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Say before anybody is asked whether asking is worth it, at which epsilon, and for what.

    From the public graph and known labels alone there is a ceiling: no report with epsilon can add more to what the
    graph says already. How much of it people's answers carry, a panel of some 500 tells who agree to show their
    profile, or the reports of a pilot; both must have known labels. Nobody else's data is read. Every number stands
    beside its controls, and the last lines are the verdict.

    \b
    Examples:
      privge plan --graph edges.csv --campaign campaign.toml --labels known.csv
      privge plan --graph edges.csv --campaign campaign.toml --labels known.csv --panel panel.csv -o plan.html
      privge plan --graph edges.csv --campaign campaign.toml --labels known.csv --pilot reports.parquet --json
      privge plan --graph edges.csv --campaign campaign.toml --labels known.csv --participation 0.3 --epsilon 2
    """
    from privge.planning import plan as planned
    from privge.planning.lines import lines_of
    from privge.planning.page import write_page

    if output is not None:
        check_output(output, ".html")
    campaign = Campaign.load(existing(known.campaign_path))
    network, labels = graph.read_here(ids), known.labels(ids)
    panel, pilot = known.panel(campaign, ids), known.pilot()
    with progress_bar("Planning") as progress:
        advice = planned(network, campaign, labels, panel=panel, pilot=pilot, grid=tried.grid(), progress=progress)
    if output is not None:
        write_page(advice, output)
    if as_json:
        page = {} if output is None else {"page": str(output.resolve())}
        click.echo(json.dumps({**advice.to_dict(), **page}))
        return
    for line in lines_of(advice):
        click.echo(one_line(line))
    if output is not None:
        click.echo(f"Open this page in a browser: {output.resolve()}")
