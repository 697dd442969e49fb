"""Pictures of the theory: what k does, what the paper's constant would be, and how far bounds are from what is seen."""

import math
from typing import TYPE_CHECKING

import numpy as np

from privge._typing import Floats
from privge.analysis import NodeBounds, RowNorms, Simulated, limit_for, stated_gain, stated_half_width
from privge.experiments.figures import new_panels, shared_legend
from privge.experiments.pages import CONTROL, INK, PRIVATE
from privge.experiments.plan import paper_item
from privge.mechanisms import LAWS, default_k
from privge.mechanisms.square_wave import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PAPER = "#c2410c"
_POINTS = 60


def over_k(epsilon: float, dimensions: int) -> "Figure":
    """Draw what one coordinate costs over k, for both purposes of `privge.analysis.best_k`; the best k are dots."""
    figure, panels = new_panels(2, "k, coordinates that a person reports", "worst case")
    ks = np.unique(np.geomspace(1, dimensions, _POINTS).round().astype(int))
    titles = ("variance of the unbiased estimate", "mean squared error as in the paper, bias included")
    for axes, title in zip(panels, titles, strict=True):
        for law in (LAWS[name] for name in paper_item("variance")["mechanisms"]):
            limits = [limit_for(law.name, epsilon, int(k), dimensions) for k in ks]
            estimate = title == titles[0]
            values = [one.worst_case_variance("unbiased") if estimate else one.worst_case_mse() for one in limits]
            best = int(np.argmin(values))
            axes.plot(ks, values, color=law.colour, label=law.label, linewidth=1.8)
            axes.plot(ks[best], values[best], "o", color=law.colour, markersize=5)
        axes.axvline(default_k(epsilon, dimensions), color=CONTROL, linestyle="--", label="k by the rule ε / 2.5")
        axes.set(xscale="log", yscale="log")
        axes.set_title(f"{title}\n(ε = {epsilon:g}, d = {dimensions:,})", fontsize=10, color=INK)
    shared_legend(figure, panels[0], width=1.7)
    return figure


def constants(dimensions: int = 1433) -> "Figure":
    """Draw the printed constant C over the right one, and the rounding error of the printed half-width."""
    figure, panels = new_panels(2, "privacy budget ε of one value", "")
    epsilons = np.geomspace(0.01, 20, _POINTS)
    for d, colour in ((2, "#5eb3ab"), (24, PRIVATE), (dimensions, "#083f3a")):
        ratio = [stated_gain(e, 1, d) / limit_for("hds", e, 1, d).gain for e in map(float, epsilons)]
        panels[0].plot(epsilons, ratio, color=colour, label=f"d = {d:,}", linewidth=1.8)
    panels[0].axhline(1, color=CONTROL, linestyle="--")
    panels[0].set(xscale="log")
    panels[0].set_title("C as printed / C", fontsize=10, color=INK)
    panels[0].legend(fontsize=8.5, frameon=False)
    small = np.geomspace(1e-8, 1, 4 * _POINTS)
    wrong = [_relative_error(float(epsilon)) for epsilon in small]
    panels[1].plot(small, wrong, ".", color=_PAPER, markersize=3)
    panels[1].set(xscale="log", yscale="log")
    panels[1].set_title("relative error of b as printed, in floats", fontsize=10, color=INK)
    return figure


def _relative_error(epsilon: float) -> float:
    try:
        return max(1e-17, abs(stated_half_width(epsilon) / half_width(epsilon) - 1))
    except ZeroDivisionError:
        return math.nan


def row_sums(norms: dict[float, RowNorms]) -> "Figure":
    """Draw the sums of the rows of the propagation matrix, from the smallest to the largest, for each r."""
    figure, (axes,) = new_panels(1, "share of the nodes with a smaller sum", "sum of a row")
    for (r, one), colour in zip(norms.items(), (CONTROL, "#5eb3ab", PRIVATE, "#083f3a"), strict=False):
        sums = np.sort(one.sums)
        axes.plot(np.linspace(0, 1, len(sums)), sums, color=colour, linewidth=1.8, label=f"r = {r:g}")
    axes.legend(fontsize=8.5, frameon=False)
    axes.set_title("The paper's proofs take every sum for 1", fontsize=10, color=INK)
    return figure


def node_bounds_figure(bounds: NodeBounds, seen: Simulated | None = None, *, paper: float | None = None) -> "Figure":
    """Draw the bounds of all nodes, from the smallest to the largest, and what was seen if anything was."""
    figure, (axes,) = new_panels(1, "nodes, by their bound", "largest error of any entry of a node")
    order = np.argsort(bounds.bound)
    _nodes(axes, bounds.always[order], CONTROL, "always")
    _nodes(axes, bounds.by_bernstein[order], "#5eb3ab", "bias and Bernstein")
    _nodes(axes, bounds.bound[order], PRIVATE, "smallest bound")
    if seen is not None:
        _nodes(axes, seen.typical[order], INK, "95 of 100 draws stay below", marker=".")
    if paper is not None:
        axes.axhline(paper, color=_PAPER, linestyle="--", label="proof of the paper, for a row that sums to 1")
    axes.set(yscale="log")
    figure.set_size_inches(7.2, 4.6)
    shared_legend(figure, axes, width=2.4)
    return figure


def _nodes(axes: "Axes", values: Floats, colour: str, label: str, marker: str = "") -> None:
    style = {"marker": marker, "linestyle": ""} if marker else {"linewidth": 1.6}
    axes.plot(np.arange(1, len(values) + 1), values, color=colour, label=label, **style)
