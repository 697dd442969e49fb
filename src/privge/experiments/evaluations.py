"""Evaluations of one's own data for the page of `privge report`: a table, a picture, and what follows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privge.experiments.cell import Cell
from privge.experiments.comparison import Comparison, Table
from privge.experiments.own import Own
from privge.experiments.pages import CONTROL, INK, PRIVATE, embedded
from privge.experiments.spread import Lift
from privge.experiments.verdicts import caution, rows_of, verdicts
from privge.tasks.settings import TASKS, Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """One dataset and task: a header and rows, a picture, and sentences."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    picture: str
    sentences: list[str]


def evaluations(table: Table) -> list[Shown]:
    """Return what is finished of every evaluation in the folder."""
    return [
        shown
        for own in table.own.values()
        if own.methods
        for task in TASKS
        if (found := table.comparisons(_cells(own, task)))
        for shown in [_shown(own, task, found)]
    ]


def markdown(shown: list[Shown]) -> Iterator[str]:
    """Yield the lines of the summary."""
    for one in shown:
        yield f"## {one.title}"
        yield ""
        yield "| " + " | ".join(one.columns) + " |"
        yield "|---" * len(one.columns) + "|"
        yield from ("| " + " | ".join(row) + " |" for row in one.rows)
        yield ""
        yield from (f"* {sentence}" for sentence in one.sentences)
        yield ""


def _cells(own: Own, task: Task) -> list[Cell]:
    k = own.settings[task].k
    return [Cell(task, own.name, method, epsilon, k) for method in own.methods for epsilon in own.epsilons]


def _shown(own: Own, task: Task, found: list[Comparison]) -> Shown:
    columns, *rows = rows_of(found)
    few = caution(found)
    sentences = [*([few] if few else []), *(sentence for one in found for sentence in verdicts(one))]
    title = f"{own.name}: {task}, {found[0].metric} in percent, mean ± standard deviation"
    return Shown(title, columns, rows, embedded(_picture(found)), sentences)


def _picture(found: list[Comparison]) -> "Figure":
    """Draw each cell minus its controls, and over the higher null by number of friends, with 95 % intervals."""
    from matplotlib.figure import Figure

    lines = [(label, lift, colour) for one in found for label, lift, colour in _lifts(one)]
    figure = Figure(figsize=(7.6, 0.9 + 0.3 * len(lines)), layout="constrained")
    axes = figure.subplots()
    for place, (_, lift, colour) in enumerate(lines):
        axes.plot([lift.low, lift.high], [place, place], color=colour, linewidth=2)
        axes.plot([lift.mean], [place], "o", color=colour)
    axes.axvline(0, color=CONTROL, linewidth=1)
    axes.set_yticks(range(len(lines)), [label for label, _, _ in lines], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("difference, points (95 % interval)", fontsize=9, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _lifts(one: Comparison) -> Iterator[tuple[str, Lift, str]]:
    name = f"{one.cell.method.name}, ε = {one.cell.epsilon:g}"
    beside = {
        "structure-only": one.lift,
        "features shuffled": one.lift_over_shuffled,
        "graph alone": one.lift_over_graph_alone,
        "structure channel": one.lift_over_structure_channel,
    }
    for control, lift in beside.items():
        if lift.mean == lift.mean:
            yield f"{name} minus {control}", lift, INK
    for row in one.friends:
        yield f"{name} minus the higher null, {row.people}", row.lift, PRIVATE
