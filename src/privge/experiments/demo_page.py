"""The demonstration as one HTML file that needs nothing else."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from privge.experiments import pages
from privge.experiments.demo import ALPHA, REPEATS, Demonstration, K, R, colour
from privge.experiments.layout import spring_layout
from privge.experiments.pages import CONTROL, INK, PRIVATE, embedded
from privge.graph import Graph
from privge.mechanisms import MultiBit, Piecewise, SquareWave

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWN = 700  # people in the picture


def write_page(demonstration: Demonstration, path: Path) -> None:
    """Render the page; the file is complete or absent."""
    pages.write_page(
        "demo.html",
        path,
        d=demonstration,
        graph=demonstration.network.graph,
        odds=math.exp(demonstration.campaign.epsilon),
        certainty=1 / (1 + math.exp(-demonstration.campaign.epsilon)),
        profile=_profile(demonstration),
        network_picture=embedded(_network_figure(demonstration)),
        accuracy_picture=embedded(_accuracy_figure(demonstration)),
        variances=_variances(demonstration),
        repeats=REPEATS,
        k=K,
        alpha=ALPHA,
        r=R,
        drawn=_DRAWN,
    )


def _profile(demonstration: Demonstration) -> list[dict[str, object]]:
    sent = dict(zip(demonstration.campaign.indices_of(demonstration.person.node), demonstration.decoded, strict=True))
    names, values = demonstration.network.feature_names, demonstration.network.features[0]
    return [{"name": name, "has": values[i], "sent": sent.get(i)} for i, name in enumerate(names)]


def _variances(demonstration: Demonstration) -> list[tuple[str, float, float]]:
    """Worst-case variance of one reported value, as it is and after its bias is removed."""
    share = demonstration.campaign.epsilon / demonstration.campaign.k
    limits = [(law.label, law.continuous_limit(share)) for law in (SquareWave, Piecewise, MultiBit)]
    return [(label, limit.worst_case_variance(), limit.worst_case_variance("unbiased")) for label, limit in limits]


def _network_figure(demonstration: Demonstration) -> "Figure":
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    graph = demonstration.network.graph
    chosen = np.sort(np.argsort(-graph.degrees, kind="stable")[:_DRAWN])
    part = Graph.from_scipy(graph.to_scipy()[chosen][:, chosen])
    places = spring_layout(part)
    lines = [places[list(edge)] for edge in zip(*part.to_edges().to_pydict().values(), strict=True)]
    low, high = np.percentile(places, [1, 99], axis=0)
    figure = Figure(figsize=(10, 8.4), layout="constrained")
    for axes, (title, vectors) in zip(figure.subplots(2, 2).flat, demonstration.vectors.items(), strict=True):
        axes.add_collection(LineCollection(lines, colors="#0000000b", linewidths=0.35))
        axes.scatter(*places.T, c=colour(vectors)[chosen], s=22, linewidths=0, zorder=2)
        axes.set_title(title, color=INK)
        axes.set_xlim(low[0] - 0.1, high[0] + 0.1)
        axes.set_ylim(low[1] - 0.1, high[1] + 0.1)
        axes.set_axis_off()
    return figure


def _accuracy_figure(demonstration: Demonstration) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axes = figure.subplots()
    rows = list(demonstration.accuracies)[::-1]
    names, spreads = [row.name for row in rows], [row.spread for row in rows]
    means, errors = [spread.mean for spread in spreads], [spread.std for spread in spreads]
    colours = [PRIVATE if row.kind == "private" else CONTROL for row in rows]
    bars = axes.barh(names, means, xerr=errors, color=colours, error_kw={"ecolor": INK, "capsize": 3})
    axes.bar_label(bars, [f" {mean:.1f}" for mean in means], padding=6, color=INK)
    chance = 100 * np.bincount(demonstration.network.labels).max() / len(demonstration.network.labels)
    axes.axvline(chance, color=INK, linestyle=":", linewidth=1)
    axes.text(chance, 1.01, "guessing", transform=axes.get_xaxis_transform(), ha="center", fontsize=8, color=INK)
    axes.set_xlim(0, 108)
    axes.set_xlabel("people whose community is found, % (bars: standard deviation)")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
