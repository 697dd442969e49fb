"""``privge reproduce``: the paper's tables and figures, with controls."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.cli.options import json_option
from privge.cli.progress import progress_bar
from privge.mechanisms import LAWS

if TYPE_CHECKING:
    from privge.experiments.plan import Cell
    from privge.experiments.summary import Summary

_ITEMS = ("nodes", "links", "k", "scale", "variance", "all")


@click.command()
@click.argument("item", type=click.Choice(_ITEMS))
@click.option(
    "--dataset", "names", multiple=True, help="Only this dataset; may be given several times.  [default: those at hand]"
)
@click.option("--mechanism", "mechanisms", multiple=True, type=click.Choice(list(LAWS)), help="Only this mechanism.")
@click.option("--epsilon", "epsilons", multiple=True, type=float, help="Only this privacy budget.")
@click.option("--k", "ks", multiple=True, type=click.IntRange(1), help="Only this number of reported features.")
@click.option("--repeats", type=click.IntRange(1), default=10, show_default=True, help="Splits and draws of noise.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes; they share the processors."
)
@click.option(
    "--results", "folder", type=click.Path(path_type=Path, file_okay=False), default=Path("results"), show_default=True,
    help="Finished repeats are kept here and never run again.",
)  # fmt: skip
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Where the datasets are.")
@json_option
def reproduce(
    item: str,
    names: tuple[str, ...],
    mechanisms: tuple[str, ...],
    epsilons: tuple[float, ...],
    ks: tuple[int, ...],
    repeats: int,
    jobs: int,
    folder: Path,
    data_dir: Path | None,
    *,
    as_json: bool,
) -> None:
    """Run the paper's experiments again: ITEM is one figure or table, or all of them.

    \b
      nodes      node classification over epsilon
      links      link prediction over epsilon
      k          both tasks over k, the number of features that a person reports
      scale      mechanisms at one scale, and as the paper feeds them to its network
      variance   the worst-case variance of one value over epsilon, and where curves cross

    Every number comes with its controls: structure-only (noise of the same shape, no features at all), a baseline
    that sees only the graph, and no privacy; and with the lift over structure-only, paired by repeat, with a 95 %
    interval. Stop it at any time: it continues where it was.

    \b
      privge reproduce links --dataset cora --epsilon 1 --mechanism hds
      privge reproduce all --dataset cora --dataset pubmed --jobs 2
      privge report results
    """
    try:
        from privge.experiments import variance
        from privge.experiments.results import Results
        from privge.experiments.schedule import run_all
        from privge.experiments.selection import Selection
        from privge.experiments.summary import Table
    except ImportError as error:
        raise click.ClickException(
            f"experiments need more packages ({error.name}): pip install 'privge[train]'"
        ) from error
    results = Results(folder)
    selection = Selection(item, names, mechanisms, epsilons, ks)
    if item in ("variance", "all"):
        for line in variance.crossings():
            click.echo(json.dumps(line) if as_json else line["sentence"])
    if item == "variance":
        return
    cells = selection.cells(data_dir)
    with progress_bar(f"{item}, {repeats} repeats of {len(cells)} cells with controls") as progress:
        run_all(results, selection.with_controls(cells), repeats, jobs=jobs, data_dir=data_dir, progress=progress)
    _print(Table(results, repeats).summaries(cells), as_json=as_json)


def _print(summaries: "list[Summary]", *, as_json: bool) -> None:
    if as_json:
        for summary in summaries:
            click.echo(json.dumps(summary.to_dict()))
        return
    click.echo(
        f"{'task':6} {'dataset':10} {'mechanism':10} {'epsilon':>7} {'k':>3} {'mean':>7} {'std':>5} {'structure':>9} "
        f"{'graph only':>10} {'no privacy':>10} {'lift':>6} {'95 % interval':>16} {'paper':>6}"
    )
    if any(one.cell.form == "paper" for one in summaries):
        click.echo("  * inputs as the paper feeds them to its network, not brought to one scale")
    for one in summaries:
        cell, lift = one.cell, one.lift
        click.echo(
            f"{cell.task:6} {cell.dataset:10} {_mechanism(cell):10} {_name(cell):>7} {cell.k or '':>3} "
            f"{one.value.mean:7.2f} {one.value.std:5.2f} {one.structure_only.mean:9.2f} {one.baseline.mean:10.2f} "
            f"{one.no_privacy.mean:10.2f} {lift.mean:+6.2f} {f'{lift.low:+.2f} to {lift.high:+.2f}':>16} "
            f"{'' if one.paper is None else one.paper:>6}"
        )


def _mechanism(cell: "Cell") -> str:
    return cell.mechanism + ("*" if cell.form == "paper" else "")


def _name(cell: "Cell") -> str:
    return "" if cell.epsilon is None else f"{cell.epsilon:g}"
