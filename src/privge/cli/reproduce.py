"""``privge reproduce``: the paper's tables and figures, with controls."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._imports import require
from privge.cli.declared import option, options_into
from privge.cli.options import json_option
from privge.cli.progress import progress_bar
from privge.experiments.method import RAW_FEATURES
from privge.experiments.spread import NO_SPREAD
from privge.mechanisms import LAWS, NoPrivacy

if TYPE_CHECKING:
    from privge.experiments.cell import Cell
    from privge.experiments.comparison import Comparison

_COLUMNS = (
    "task",
    "dataset",
    "mechanism",
    "epsilon",
    "k",
    "mean ± std",
    "structure-only",
    "graph alone",
    "no privacy",
    "over structure-only (95 %)",
    "over graph alone (95 %)",
    "paper",
)
_ITEMS = ("nodes", "links", "k", "scale", "variance", "all")

_METHODS = (*(name for name, law in LAWS.items() if law.ordered and law is not NoPrivacy), RAW_FEATURES.name)


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Which of the experiments."""

    names: tuple[str, ...] = option(
        "--dataset", multiple=True, help="Only this dataset; may be given several times.  [default: those at hand]"
    )
    mechanisms: tuple[str, ...] = option(
        "--mechanism", multiple=True, type=click.Choice(_METHODS), help="Only this mechanism or control."
    )
    epsilons: tuple[float, ...] = option("--epsilon", multiple=True, type=float, help="Only this privacy budget.")
    ks: tuple[int, ...] = option(
        "--k", multiple=True, type=click.IntRange(1), help="Only this number of reported features."
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How often they are run, and where everything is."""

    repeats: int = option("--repeats", type=click.IntRange(1), default=10, help="Splits and draws of noise.")
    jobs: int = option("--jobs", type=click.IntRange(1), default=1, help="Processes; they share the processors.")
    folder: Path = option(
        "--results",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("results"),
        help="Finished repeats are kept here and never run again.",
    )
    data_dir: Path | None = option(
        "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where the datasets are."
    )


@click.command()
@click.argument("item", type=click.Choice(_ITEMS))
@options_into(chosen=SelectionOptions, run=RunOptions)
@json_option
def reproduce(item: str, chosen: SelectionOptions, run: RunOptions, *, as_json: bool) -> None:
    """Run the paper's experiments again: ITEM is one figure or table, or all of them.

    \b
      nodes      node classification over epsilon
      links      link prediction over epsilon
      k          both tasks over k, the number of features that a person reports
      scale      mechanisms at one scale, and as the paper feeds them to its network
      variance   the worst-case variance of one value over epsilon, and where curves cross

    Every number, in percent, comes with its controls: structure-only (noise of the same shape, no features at all),
    graph alone (label propagation, or the personalized PageRank of a pair) and no privacy; and with its difference to
    the first two, paired by repeat, with a 95 % interval. Stop it at any time: it continues where it was.

    \b
      privge reproduce links --dataset cora --epsilon 1 --mechanism hds
      privge reproduce all --dataset cora --dataset pubmed --jobs 2
      privge report results
    """
    if item != "variance":  # which is arithmetic alone
        require("an experiment", "torch", "sklearn")
    from privge.experiments import variance
    from privge.experiments.comparison import Table
    from privge.experiments.results import Results
    from privge.experiments.schedule import run_all
    from privge.experiments.selection import Selection

    results, repeats = Results(run.folder), run.repeats
    selection = Selection(item, chosen.names, chosen.mechanisms, chosen.epsilons, chosen.ks)
    if item in ("variance", "all"):
        for line in variance.crossings():
            click.echo(json.dumps(line) if as_json else line["sentence"])
    if item == "variance":
        return
    cells = selection.cells(run.data_dir)
    with progress_bar(f"{item}, {repeats} repeats of {len(cells)} cells with controls") as progress:
        planned = selection.with_controls(cells)
        run_all(results, planned, repeats, jobs=run.jobs, data_dir=run.data_dir, progress=progress)
    _print(Table(results, repeats).comparisons(cells), as_json=as_json)


def _print(comparisons: "list[Comparison]", *, as_json: bool) -> None:
    if as_json:
        for one in comparisons:
            click.echo(json.dumps(one.to_dict()))
        return
    rows = [_COLUMNS, *(_row(one) for one in comparisons)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    for row in rows:
        cells = [
            f"{text:{'<' if i < 3 else '>'}{width}}" for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
    if any(one.cell.form == "paper" for one in comparisons):
        click.echo("* inputs as the paper feeds them to its network, not brought to one scale")
    if any(one.value.repeats == 1 for one in comparisons):
        click.echo(f"Without ±: {NO_SPREAD}; a difference of one repeat has no interval, and nothing follows from it.")


def _row(one: "Comparison") -> tuple[str, ...]:
    cell, controls = one.cell, (one.structure_only, one.graph_alone, one.no_privacy)
    paper = "" if one.paper is None else f"{one.paper:g}"
    shape = (_name(cell), str(cell.k or ""))
    differences = (str(one.lift), str(one.lift_over_graph_alone))
    return cell.task, cell.dataset, _mechanism(cell), *shape, str(one.value), *map(str, controls), *differences, paper


def _mechanism(cell: "Cell") -> str:
    return cell.method.name + ("*" if cell.form == "paper" else "")


def _name(cell: "Cell") -> str:
    return "" if cell.epsilon is None else f"{cell.epsilon:g}"
