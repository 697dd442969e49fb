"""The report's pictures: the paper's figures, with the controls drawn in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privge.experiments.cell import Cell
from privge.experiments.comparison import Table
from privge.experiments.pages import INK
from privge.experiments.plan import HDS, TaskPlan, k_cells
from privge.experiments.spread import NO_SPREAD, Spread
from privge.experiments.variance import KINDS, curves
from privge.mechanisms import NoPrivacy, StructureOnly
from privge.tasks.settings import Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METRICS = {"accuracy": "accuracy on test nodes, %", "auc": "AUC on test pairs, %"}
_MARKERS = "s^Dovp*X"  # of the mechanisms, in the order of the plan
_SHUFFLED = "#7c3aed"
_EPSILON_COLOURS = ("#5eb3ab", HDS.colour, "#083f3a")


def over_epsilon(table: Table, task: Task, datasets: Sequence[str]) -> "Figure":
    """Draw every mechanism over epsilon, one panel a dataset, with the three controls as lines."""
    plan = table.plan(task)
    figure, panels = new_panels(len(datasets), "privacy budget ε of a person's whole report", METRICS[plan.metric])
    for axes, dataset in zip(panels, datasets, strict=True):
        places = range(len(plan.epsilons))
        k = plan.datasets[dataset].k
        for position, mechanism in enumerate(plan.mechanisms):
            beside = [place + 0.1 * (position - 1.5) for place in places]  # so that error bars can be told apart
            spreads = [table.spread(cell) for cell in plan.compared(dataset, mechanism)]
            _line(
                axes,
                beside,
                spreads,
                label=mechanism.label,
                color=mechanism.colour,
                marker=_MARKERS[position % len(_MARKERS)],
            )
        _controls(axes, table, plan, dataset)
        axes.set_xticks(list(places), [f"{epsilon:g}" for epsilon in plan.epsilons])
        repeats = _repeats([table.spread(Cell(task, dataset, NoPrivacy))])
        axes.set_title(f"{dataset.capitalize()} (HDS: k = {k}; {repeats})", fontsize=10, color=INK)
    shared_legend(figure, panels[0])
    return figure


def over_k(table: Table, task: Task, datasets: Sequence[str]) -> "Figure":
    """Draw HDS over k, one line an epsilon, with structure-only of the same k and the controls that have no k."""
    plan = table.plan(task)
    figure, panels = new_panels(len(datasets), "k, features that a person reports", METRICS[plan.metric])
    for axes, dataset in zip(panels, datasets, strict=True):
        cells = k_cells(task, dataset)
        ks = sorted({cell.k for cell in cells if cell.k})
        for colour, epsilon in zip(_EPSILON_COLOURS, sorted({cell.epsilon or 0 for cell in cells}), strict=True):
            spreads = [table.spread(Cell(task, dataset, HDS, epsilon, k)) for k in ks]
            _line(axes, range(len(ks)), spreads, label=f"{HDS.label}, ε = {epsilon:g}", color=colour)
        structure = [table.spread(Cell(task, dataset, StructureOnly, None, k)) for k in ks]
        style = {"color": StructureOnly.colour, "linestyle": "--"}
        _line(axes, range(len(ks)), structure, label=f"{StructureOnly.label} (control)", **style)
        axes.set_xticks(range(len(ks)), [str(k) for k in ks])
        _controls(axes, table, plan, dataset, with_structure=False)
        axes.set_title(f"{dataset.capitalize()} ({_repeats(structure)})", fontsize=10, color=INK)
    shared_legend(figure, panels[0])
    return figure


def lifts(table: Table, task: Task, datasets: Sequence[str]) -> "Figure":
    """Draw what HDS is worth beside both nulls and beside the graph alone: paired differences with intervals."""
    plan = table.plan(task)
    figure, panels = new_panels(len(datasets), "privacy budget ε of a person's whole report", "difference, points")
    for axes, dataset in zip(panels, datasets, strict=True):
        k = plan.datasets[dataset].k
        hds = [Cell(task, dataset, HDS, epsilon, k) for epsilon in plan.epsilons]
        structure = plan.structure_of(hds[0])
        graph_alone = plan.graph_alone_of(hds[0])
        for controls, colour, label, shift in (
            ([structure] * len(hds), HDS.colour, "HDS minus structure-only", -0.16),
            ([plan.shuffled_of(cell) for cell in hds], _SHUFFLED, "HDS minus HDS on shuffled features", 0.0),
            ([graph_alone] * len(hds), plan.graph_alone.colour, "HDS minus graph alone", 0.16),
        ):
            differences = [table.difference(*pair) for pair in zip(hds, controls, strict=True)]
            places = [place + shift for place in range(len(hds))]
            axes.vlines(places, [d.low for d in differences], [d.high for d in differences], color=colour, linewidth=2)
            axes.plot(places, [d.mean for d in differences], "o", color=colour, label=label)
        ceiling = table.difference(plan.no_privacy_of(hds[0]), structure)
        label = "true features (no privacy) minus structure-only"
        axes.axhline(ceiling.mean, color=INK, linestyle=":", linewidth=1.2, label=label)
        axes.axhline(0, color=StructureOnly.colour, linewidth=1.2)
        axes.set_xticks(range(len(plan.epsilons)), [f"{epsilon:g}" for epsilon in plan.epsilons])
        axes.set_title(f"{dataset.capitalize()}, HDS with k = {k}", fontsize=10, color=INK)
    shared_legend(figure, panels[0], width=4.0)
    return figure


def worst_case() -> "Figure":
    """Draw the worst-case variance of one value over epsilon, in the three ways to read it."""
    figure, panels = new_panels(len(KINDS), "privacy budget ε of one value", "worst case, for values from -1 to 1")
    for axes, kind in zip(panels, KINDS, strict=True):
        epsilons, values = curves(kind)
        for law, curve in values.items():
            axes.plot(epsilons, curve, color=law.colour, label=law.label, linewidth=1.8)
        axes.set_yscale("log")
        axes.set_title(kind, fontsize=10, color=INK)
    shared_legend(figure, panels[0])
    return figure


def new_panels(count: int, xlabel: str, ylabel: str) -> "tuple[Figure, list[Axes]]":
    """Return a figure with some panels that share the names of their axes."""
    from matplotlib.figure import Figure

    columns = min(count, 3) if count != 4 else 2
    rows = -(-count // columns)
    figure = Figure(figsize=(4.3 * columns + 0.4, 3.3 * rows + 0.7), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in panels[:count]:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
        axes.grid(axis="y", color="#e4eaec", linewidth=0.8)
        axes.set_axisbelow(True)
    for axes in panels[count:]:
        axes.set_axis_off()
    figure.supxlabel(xlabel, fontsize=10, color=INK)
    figure.supylabel(ylabel, fontsize=10, color=INK)
    return figure, panels[:count]


def _line(axes: "Axes", places: Sequence[float], spreads: list[Spread], **style: str) -> None:
    """Draw means with error bars; ``style`` is matplotlib's."""
    means, errors = [spread.mean for spread in spreads], [spread.std for spread in spreads]
    shape: dict[str, Any] = {"marker": "o", "linestyle": "-", "linewidth": 1.5, "markersize": 4}
    axes.errorbar(places, means, errors, capsize=2.5, elinewidth=1, **{**shape, **style})


def _controls(axes: "Axes", table: Table, plan: TaskPlan, dataset: str, *, with_structure: bool = True) -> None:
    true = Cell(plan.task, dataset, NoPrivacy)
    lines = [(true, ":"), (plan.graph_alone_of(true), "-.")]
    if with_structure:
        lines.append((plan.structure_of(true), "--"))
    for cell, style in lines:
        mean, label = table.spread(cell).mean, f"{cell.method.label} (control)"
        axes.axhline(mean, color=cell.method.colour, linestyle=style, linewidth=1.4, label=label, zorder=1)


def _repeats(spreads: list[Spread]) -> str:
    count = max(spread.repeats for spread in spreads)
    return NO_SPREAD if count == 1 else f"{count} repeats"


def shared_legend(figure: "Figure", axes: "Axes", width: float = 2.4) -> None:
    """Put one legend above all panels; ``width`` is that of an entry, in inches."""
    handles, labels = axes.get_legend_handles_labels()
    columns = max(2, round(figure.get_figwidth() / width))
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, fontsize=8.5, frameon=False)
