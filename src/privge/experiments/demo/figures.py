"""The pictures of the demonstration."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from privge.experiments.demo.cases import GROUPS, Budget, Case, Group
from privge.experiments.demo.halves import FEW
from privge.experiments.demo.run import MAIN_EPSILON, Demonstration
from privge.experiments.layout import spring_layout
from privge.experiments.pages import CONTROL, INK, PRIVATE
from privge.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DRAWN: Final = 600
"""People in the drawing of mistakes: the best connected, and some with few friends."""

_PAPER, _WRONG, _WIDTH = "#b45309", "#dc2626", 0.36


def accuracy_figure(demonstration: Demonstration) -> "Figure":
    """Draw what is found at each budget, of everybody and of those with few friends, between the two controls."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.3), layout="constrained")
    for axes, group in zip(figure.subplots(1, 2), GROUPS, strict=True):
        _panel(axes, demonstration, group)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9.5)
    return figure


def _panel(axes: "Axes", demonstration: Demonstration, group: Group) -> None:
    cases = demonstration.cases
    for case, style, colour in ((cases.no_privacy, ":", INK), (cases.structure, "--", "#64748b")):
        mean = case.spread(group).mean
        axes.axhline(mean, color=colour, linestyle=style, linewidth=1.5, label=case.name, zorder=1)
        axes.text(len(cases.budgets) - 0.36, mean + 1, f"{mean:.1f}", va="bottom", fontsize=9, color=colour)
    _bars(axes, cases.budgets, group, lambda budget: budget.paper, _PAPER, -_WIDTH / 2)
    _bars(axes, cases.budgets, group, lambda budget: budget.question, PRIVATE, _WIDTH / 2)
    chance = demonstration.majority
    axes.axhline(chance, color=CONTROL, linewidth=0.8)
    axes.text(
        len(cases.budgets) - 0.62, chance + 1, f"guessing, {chance:.0f}", fontsize=8, color=CONTROL
    )  # right of all bars
    axes.set_xticks(range(len(cases.budgets)), [f"ε = {budget.epsilon:g}" for budget in cases.budgets])
    axes.set_xlim(-0.55, len(cases.budgets) - 0.2)
    axes.set_ylim(0, 110)
    axes.set_yticks(range(0, 101, 20))
    axes.set_title(GROUPS[group].capitalize(), color=INK, fontsize=11, pad=10)
    axes.set_ylabel("communities found, %", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=9.5)


def _bars(
    axes: "Axes",
    budgets: tuple[Budget, ...],
    group: Group,
    of: Callable[[Budget], Case],
    colour: str,
    shift: float,
) -> None:
    spreads = [of(budget).spread(group) for budget in budgets]
    bars = axes.bar(
        [place + shift for place in range(len(budgets))],
        [spread.mean for spread in spreads],
        _WIDTH,
        yerr=[spread.std for spread in spreads],
        color=colour,
        label=of(budgets[0]).name,
        error_kw={"ecolor": INK, "capsize": 3, "linewidth": 1},
        zorder=2,
    )
    plain = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    shown = [f"{spread.mean:.1f}" for spread in spreads]
    axes.bar_label(bars, shown, padding=4, color=INK, fontsize=9.5, bbox=plain, zorder=4)


def mistakes_figure(demonstration: Demonstration) -> "Figure":
    """Draw the network twice: whose community the graph alone misses, and whose is missed after the answers."""
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    halves, chosen = demonstration.asked.halves, _drawn(demonstration)
    part = Graph.from_scipy(demonstration.network.graph.to_scipy()[chosen][:, chosen])
    places = spring_layout(part)
    lines = [places[list(edge)] for edge in zip(*part.to_edges().to_pydict().values(), strict=True)]
    low, high = np.percentile(places, [1, 99], axis=0)
    sides = {
        "graph alone": demonstration.asked.alone,
        f"after the answers, ε = {MAIN_EPSILON:g}": demonstration.asked.probabilities,
    }
    figure = Figure(figsize=(10, 4.9), layout="constrained")
    for axes, (title, probabilities) in zip(figure.subplots(1, 2), sides.items(), strict=True):
        missed = ~halves.right(probabilities)[chosen]
        missed[~np.isin(chosen, halves.test)] = False  # those who are known are not missed
        axes.add_collection(LineCollection(lines, colors="#0000000d", linewidths=0.35))
        colours = demonstration.network.labels[chosen] / max(1, demonstration.network.labels.max())
        axes.scatter(*places[~missed].T, c=colours[~missed], cmap="Set2", s=14, linewidths=0, alpha=0.75, zorder=2)
        axes.scatter(*places[missed].T, c=_WRONG, s=40, marker="X", linewidths=0, zorder=3)
        axes.set_title(f"{title}: {int(missed.sum())} missed", color=INK, fontsize=11)
        axes.set_xlim(low[0] - 0.12, high[0] + 0.12)
        axes.set_ylim(low[1] - 0.12, high[1] + 0.12)
        axes.set_axis_off()
    return figure


def _drawn(demonstration: Demonstration) -> NDArray[np.int64]:
    """Return the best connected people, and as many with few friends who know one of them."""
    graph = demonstration.network.graph
    connected = np.argsort(-graph.degrees, kind="stable")[: DRAWN // 2]
    knows = np.asarray(graph.to_scipy()[:, connected].sum(axis=1)).ravel() > 0
    few = np.flatnonzero((graph.degrees <= FEW) & knows)[: DRAWN - len(connected)]
    return np.sort(np.concatenate([connected, few]))
