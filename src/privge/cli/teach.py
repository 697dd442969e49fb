"""``privge teach``: who teaches and who is asked, the question that teachers' reports make, and what answers add."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
import pyarrow as pa
import pyarrow.csv

from privge._files.atomic import atomic_path
from privge._imports import require
from privge.campaign import Campaign
from privge.campaign.campaign import shards_beside
from privge.cli.declared import options_into
from privge.cli.fused import PLAN, fuse
from privge.cli.graphs import EdgeListOptions, PlaceOfGraph
from privge.cli.ids import IdOptions
from privge.cli.known import among_nodes
from privge.cli.options import OUTPUT, Finite, check_output, existing, input_option, json_option, naming
from privge.cli.progress import progress_bar
from privge.errors import BadData
from privge.graph import read_graph
from privge.graph.labels import read_labels
from privge.perturbation.raw import read_raw_features
from privge.questions import Direction
from privge.reports import Reports

if TYPE_CHECKING:
    from privge.teaching import TaughtQuestion
    from privge.teaching.plan import Plan


@click.group()
def teach() -> None:
    """Teach, then ask: some people's reports make a question, the others answer it. Each person reports once.

    teach.toml is a campaign of one question, a direction, and of the same round. To try all this on data at hand, take
    `privge perturb` for the collecting, or `privge simulate two-step`, which also has the controls.

    \b
    The whole way:
      privge teach plan --graph edges.csv --labels labels.csv --epsilon 2 --teachers teachers.csv -o plan.parquet
      privge campaign new --from teach.toml --members teachers.csv -o teach.json       (collect it as usual)
      privge teach question --plan plan.parquet --reports taught.parquet -o question.json
      privge campaign new --question question.json -o ask.json                         (collect it as usual)
      privge teach fuse --plan plan.parquet --question question.json --reports answers.parquet -o classes.parquet
    """


@teach.command()
@options_into(place=PlaceOfGraph, columns=EdgeListOptions, ids=IdOptions)
@input_option("labels", "Table of ids and known classes, numbers or text.", required=True)
@click.option("--label-column", metavar="NAME", default="label", show_default=True, help="Column of the classes.")
@click.option("--epsilon", type=Finite(min=0, min_open=True), required=True, help="Privacy budget of an answer.")
@click.option("--teachers", "teachers_path", type=OUTPUT, help="Write the ids of those who teach to this CSV file.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of which labelled people judge.")
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the plan goes (.parquet).")
@json_option
def plan(
    place: PlaceOfGraph,
    columns: EdgeListOptions,
    ids: IdOptions,
    labels_path: Path,
    label_column: str,
    epsilon: float,
    teachers_path: Path | None,
    seed: int,
    output: Path,
    *,
    as_json: bool,
) -> None:
    """Decide by public data alone who teaches, who is asked, and about which classes.

    Nobody does both. The plan holds the public prior, and nothing private: it can be shown to anybody.
    """
    require("a plan", "sklearn")
    from privge.teaching.plan import Plan

    check_output(output, ".parquet")
    graph = read_graph(
        place.graph_place,
        nodes=place.nodes_path,
        columns=columns.columns_beside(ids),
        integer_ids=ids.integer_ids,
    )
    named, labels = read_labels(
        existing(labels_path),
        integer_ids=ids.integer_ids,
        id_column=ids.column_in("labels"),
        label_column=label_column,
    )
    found = among_nodes(labels_path, named, graph.ids)
    with progress_bar("Structure") as progress:
        made = Plan.make(graph, (named[found], labels[found]), epsilon=epsilon, seed=seed, progress=progress)
    made.save(output)
    if teachers_path is not None:
        with atomic_path(teachers_path) as partial:
            pyarrow.csv.write_csv(pa.table({"id": made.teachers.tolist()}), partial)
    roles = made.roles
    counts = {"teach": len(roles.teachers), "are asked": len(roles.asked), "judge": len(roles.judges)}
    if as_json:
        click.echo(json.dumps({name.replace(" ", "_"): count for name, count in counts.items()}))
        return
    click.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()) + f"; the plan is in {output}")


@teach.command()
@PLAN
@input_option("reports", "The teachers' reports (.parquet).")
@input_option("panel", "Or the profiles of people who agreed to hand them out: NOT PRIVATE.")
@input_option("campaign", "With --panel: a campaign that asks for a direction, for its encoding.")
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the question goes (.json).")
def question(
    plan_path: Path, reports_path: Path | None, panel_path: Path | None, campaign_path: Path | None, output: Path
) -> None:
    """Learn a question from teachers' reports, or from a panel; say whom it may be asked.

    Who may be asked about which classes is in a folder beside the question, which names it by its hashes.
    """
    from privge.teaching.asked import AskedQuestion
    from privge.teaching.plan import Plan

    check_output(output, ".json")
    made = Plan.load(existing(plan_path))
    if (reports_path is None) == (panel_path is None):
        raise click.UsageError("Give either --reports or --panel.")
    if reports_path is not None:
        taught = _by_reports(made, reports_path)
    elif campaign_path is None or panel_path is None:
        raise click.UsageError("Give --campaign with --panel: it has the public encoding of profiles.")
    else:
        taught = _by_panel(made, panel_path, campaign_path)
    asked = AskedQuestion.of(taught, made)
    asked.save(output)
    click.echo(f"Taught by {taught.teaching.words()}.")
    click.echo(
        f"{asked.assignment.nodes:,} people may be asked; the question is in {output}, they in {shards_beside(output)}"
    )
    if taught.teaching.kept < 0.02:
        click.echo("Warning: next to nothing was learnt; more teachers, labels or budget are needed", err=True)


def _by_reports(made: "Plan", path: Path) -> "TaughtQuestion":
    from privge.teaching import teach as learn

    reports = Reports.from_parquet(existing(path))
    with naming(path):
        strangers = ~np.isin(reports.ids, made.teachers)
        if strangers.any():
            raise BadData(
                f"{int(strangers.sum()):,} of {len(reports):,} reports are of people who do not teach in this plan"
            )
        return learn(reports, made.structure, made.labels)


def _by_panel(made: "Plan", path: Path, campaign_path: Path) -> "TaughtQuestion":
    from privge.graph.labelled import rows_of
    from privge.teaching import teach_by_panel

    campaign = Campaign.load(existing(campaign_path))
    questions = campaign.questions or ()
    if len(questions) != 1 or not isinstance(questions[0], Direction):
        raise BadData(f"{campaign_path}: the campaign must ask for a direction, and nothing else")
    click.echo("The panel's profiles are read in the clear: these people have no local privacy.", err=True)
    people = read_raw_features(existing(path), campaign, integer_ids=made.structure.ids.dtype.kind == "i")
    with naming(path):
        rows = rows_of(made.structure, people.ids, "people of the panel")
        if np.isin(rows, np.concatenate([made.roles.asked, made.roles.judges])).any():
            raise BadData("the panel has people who are asked or judge in this plan; leave them out")
        return teach_by_panel(questions[0].encoding, people.matrix, made.structure, made.labels, rows)


teach.add_command(fuse)
