"""``privge reproduce``: the paper's tables and figures, with controls."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._imports import require
from privge.cli.declared import folder_option, option, options_into
from privge.cli.options import json_option
from privge.cli.progress import progress_bar
from privge.experiments.spread import NO_SPREAD
from privge.mechanisms import LAWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privge.experiments.beyond.plan import Trial
    from privge.experiments.beyond.situation import Situation
    from privge.experiments.beyond.table import Table as BeyondTable
    from privge.experiments.cell import Cell
    from privge.experiments.comparison import Comparison
    from privge.experiments.sources import Sources

_LIFTS = ("over structure-only (95 %)", "over shuffled (95 %)", "over graph alone (95 %)")
_BEYOND_COLUMNS = (
    "dataset",
    "method",
    "epsilon",
    "seeds",
    "found, %",
    "over structure ± error",
    "few friends, %",
    "over structure ± error",
)
_ITEMS = ("nodes", "links", "k", "scale", "variance", "all", "beyond")
_REPEATS = 10

_MECHANISMS = tuple(name for name, law in LAWS.items() if law.ordered)


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Which of the experiments."""

    names: tuple[str, ...] = option(
        "--dataset",
        multiple=True,
        help="Only this dataset, or the folder of your own; may be given several times.  [default: those at hand]",
    )
    mechanisms: tuple[str, ...] = option(
        "--mechanism", multiple=True, type=click.Choice(_MECHANISMS), help="Only this mechanism or control."
    )
    epsilons: tuple[float, ...] = option("--epsilon", multiple=True, type=float, help="Only this privacy budget.")
    ks: tuple[int, ...] = option(
        "--k", multiple=True, type=click.IntRange(1), help="Only this number of reported features."
    )
    methods: tuple[str, ...] = option(
        "--method", multiple=True, help="Of beyond: only this method and its controls; may be given several times."
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How often they are run, and where everything is."""

    repeats: int | None = option(
        "--repeats", type=click.IntRange(1), help="Splits and draws of noise.  [default: 10, of beyond 6]"
    )
    jobs: int = option("--jobs", type=click.IntRange(1), default=1, help="Processes; they share the processors.")
    folder: Path = folder_option(
        "--results", default=Path("results"), about="Finished repeats are kept here and never run again."
    )
    data_dir: Path | None = folder_option("--data-dir", about="Where the datasets are.")


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
      beyond     not the paper's: structure, fused and taught, with their own controls; not part of all

    \b
    Methods of beyond (--method), each with the controls that ask nobody:
      structure                            the graph and known labels
      paper                                k of d features by HDS, spread over the graph
      fused, fused-shuffled                structure and the paper's vectors; with features of other people
      taught                               structure and one answer to a question that others taught
      taught-volunteers, taught-panel      teachers at epsilon 4; a panel that hands out its profiles: NOT PRIVATE
      other-profile, shuffled-labels, shuffled-features    taught, and must fail to help
      no-privacy                           structure and the true features

    Every number, in percent, comes with its controls: structure-only (noise of the same shape, no features at all),
    the same mechanism with the same seed on features shuffled over people, graph alone (label propagation, or the
    personalized PageRank of a pair) and no privacy, accuracy also with the share of the largest class; and with its
    difference to the first three, paired by repeat, with a 95 % interval. Features are worth what is above both of the
    first two. Stop it at any time: it continues where it was.

    \b
      privge reproduce links --dataset cora --epsilon 1 --mechanism hds
      privge reproduce all --dataset cora --dataset pubmed --jobs 2
      privge reproduce beyond --dataset demo --epsilon 2
      privge report results
    """
    if item == "beyond":
        _beyond(chosen, run, as_json=as_json)
        return
    if chosen.methods:
        raise click.UsageError("--method is of beyond; the paper's experiments have a --mechanism")
    if item != "variance":  # which is arithmetic alone
        require("an experiment", "torch", "sklearn")
    from privge.experiments import variance
    from privge.experiments.comparison import Table
    from privge.experiments.results import Results
    from privge.experiments.schedule import run_all
    from privge.experiments.selection import Selection
    from privge.experiments.sources import Sources

    names, sources = (chosen.names, Sources(run.data_dir)) if item == "variance" else _entered(chosen, run)
    results, repeats = Results(run.folder), run.repeats or _REPEATS
    selection = Selection(item, names, chosen.mechanisms, chosen.epsilons, chosen.ks, results.plan)
    if item in ("variance", "all"):
        for line in variance.crossings():
            click.echo(json.dumps(line) if as_json else line["sentence"])
    if item == "variance":
        return
    cells = selection.cells(run.data_dir)
    with progress_bar(f"{item}, {repeats} repeats of {len(cells)} cells with controls") as progress:
        planned = selection.with_controls(cells)
        run_all(results, planned, repeats, jobs=run.jobs, sources=sources, progress=progress)
    _print(Table(results, repeats).comparisons(cells), as_json=as_json)


def _entered(chosen: SelectionOptions, run: RunOptions) -> "tuple[tuple[str, ...], Sources]":
    """Enter the datasets that are somebody's own among the results; return the names of all, and how to load them."""
    from privge.datasets.catalogue import datasets as catalogue
    from privge.datasets.folders import is_place
    from privge.datasets.loading import describe, load
    from privge.experiments.evaluate import Evaluation, own_of, stated_settings
    from privge.experiments.own import enter
    from privge.experiments.sources import Sources
    from privge.tasks.settings import TASKS

    names, own = [], {}
    for place in chosen.names:
        description = describe(place) if place in catalogue() or is_place(place) else None
        if description is None or description.folder is None:
            names.append(place)
            continue
        data, settings = load(description), stated_settings(description, None, TASKS)
        enter(run.folder, own_of(data, Evaluation(settings=settings, head="paper")))
        names.append(description.name)
        own[description.name] = partial(load, description)
    return tuple(names), Sources(run.data_dir, own)


def _beyond(chosen: SelectionOptions, run: RunOptions, *, as_json: bool) -> None:
    """Run what is not the paper's, and print each number beside structure."""
    if chosen.mechanisms or chosen.ks or run.jobs > 1:
        raise click.UsageError("beyond has neither --mechanism nor --k, and runs in one process")
    require("an experiment", "sklearn")
    from privge.experiments.beyond.plan import REPEATS, trials
    from privge.experiments.beyond.records import run_all
    from privge.experiments.beyond.table import Table

    wanted, repeats = trials(chosen.names, chosen.methods, chosen.epsilons), run.repeats or REPEATS
    with progress_bar(f"beyond, {repeats} seeds of {len(wanted)} trials") as progress:
        made = partial(_situation, run.data_dir)
        run_all(run.folder, wanted, repeats, situation_of=made, progress=progress)
    tables = {dataset: Table(run.folder, dataset) for dataset in dict.fromkeys(trial.dataset for trial in wanted)}
    show_trials(tables, wanted, as_json=as_json)


def _situation(data_dir: Path | None, dataset: str, seed: int) -> "Situation":
    from privge.datasets.worlds import world
    from privge.experiments.beyond.situation import Situation

    return Situation(world(dataset, seed, data_dir=data_dir), seed)


def show_trials(tables: "Mapping[str, BeyondTable]", wanted: "list[Trial]", *, as_json: bool) -> None:
    """Print trials beyond the paper, each beside structure."""
    if as_json:
        for trial in wanted:
            click.echo(json.dumps(tables[trial.dataset].row(trial)))
        return
    show_table([_BEYOND_COLUMNS, *(tables[trial.dataset].shown(trial) for trial in wanted)], left=2)


def _print(comparisons: "list[Comparison]", *, as_json: bool) -> None:
    from privge.experiments.verdicts import BESIDE

    if as_json:
        for one in comparisons:
            click.echo(json.dumps(one.to_dict()))
        return
    columns = ("task", "dataset", "mechanism", *BESIDE, "no privacy", "largest class", *_LIFTS, "paper")
    show_table([columns, *(_row(one) for one in comparisons)], left=3)
    if any(one.cell.form == "paper" for one in comparisons):
        click.echo("* inputs as the paper feeds them to its network, not brought to one scale")
    if any(one.value.repeats == 1 for one in comparisons):
        click.echo(f"Without ±: {NO_SPREAD}; a difference of one repeat has no interval, and nothing follows from it.")


def show_table(rows: list[tuple[str, ...]], *, left: int) -> None:
    """Print a table; so many columns stand at the left side of their width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            f"{text:{'<' if i < left else '>'}{width}}" for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _row(one: "Comparison") -> tuple[str, ...]:
    from privge.experiments.plan import has_shuffled

    cell, shuffled = one.cell, has_shuffled(one.cell)
    nulls = (str(one.structure_only), str(one.shuffled) if shuffled else "")
    majority = "" if one.majority is None else f"{one.majority:.1f}"
    controls = (*nulls, str(one.graph_alone), str(one.no_privacy), majority)
    paper = "" if one.paper is None else f"{one.paper:g}"
    shape = (_name(cell), str(cell.k or ""))
    over_shuffled = str(one.lift_over_shuffled) if shuffled else ""
    differences = (str(one.lift), over_shuffled, str(one.lift_over_graph_alone))
    return cell.task, cell.dataset, _mechanism(cell), *shape, str(one.value), *controls, *differences, paper


def _mechanism(cell: "Cell") -> str:
    return cell.method.name + ("*" if cell.form == "paper" else "")


def _name(cell: "Cell") -> str:
    return "" if cell.epsilon is None else f"{cell.epsilon:g}"
