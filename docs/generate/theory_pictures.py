"""The pictures of ``theory.md``, made from the code when the site is built."""

import io
from typing import TYPE_CHECKING

from privge import Campaign
from privge.analysis import node_bounds, row_norms, simulate_errors, theorems
from privge.datasets import social_network
from privge.experiments import theory_figures
from privge.experiments.figures import worst_case
from privge.propagation import Local

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HERE = Local(threads=1)


def pictures() -> dict[str, bytes]:
    """Return every picture by the name of its file."""
    drawn = {
        "constants": theory_figures.constants(),
        "worst-case": worst_case(),
        "best-k": theory_figures.over_k(8.0, 500),
        "row-sums": _row_sums(),
        "bounds": _bounds(),
    }
    return {f"{name}.svg": _svg(figure) for name, figure in drawn.items()}


def _row_sums() -> "Figure":
    graph = social_network(300, seed=1).graph
    return theory_figures.row_sums({r: row_norms(graph, r=r, on=_HERE) for r in (0.0, 0.1, 0.5, 1.0)})


def _bounds() -> "Figure":
    """Draw a made-up network of 300 people, HDS at epsilon 1 with 1 of 24 features."""
    network = social_network(300, seed=1)
    campaign = Campaign(dimensions=24, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
    bounds = node_bounds(campaign, row_norms(network.graph, on=_HERE))
    seen = simulate_errors(network.graph, campaign, network.features, seeds=range(40), on=_HERE)
    return theory_figures.node_bounds_figure(bounds, seen, paper=theorems(1.0, 1, 24)[0].proved)


def _svg(figure: "Figure") -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()
