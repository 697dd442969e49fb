"""Options of ``privge analyse``: a budget, a campaign, and which bound of which nodes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from privge.analysis import RowNorms, Simulated, row_norms, simulate_errors
from privge.campaign import Campaign
from privge.cli.declared import file_option, flag, option
from privge.cli.fields import campaign_field
from privge.cli.options import Finite, existing, refuse_given
from privge.cli.progress import progress_bar
from privge.graph import Graph
from privge.ids import Ids
from privge.mechanisms import default_k
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, Walk

CHANCE = 0.05
"""How often a bound may fail, by default."""


@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """A report: how much it spends on how many features."""

    epsilon: float = option(
        "--epsilon",
        type=Finite(0, min_open=True),
        default=1.0,
        help="Privacy budget of a person's whole report.",
    )
    k: int | None = option(
        "--k", type=click.IntRange(1), help="Features a person reports.  [default: epsilon / 2.5, at least 1]"
    )
    dimensions: int = option(
        "--dimensions", type=click.IntRange(1), default=1, help="Features a person has, d. One is the paper's figure."
    )

    @property
    def share(self) -> int:
        """How many features a person reports."""
        share = self.k or default_k(self.epsilon, self.dimensions)
        if share > self.dimensions:
            raise click.UsageError(f"--k {share} is more than the {self.dimensions:,} features of --dimensions.")
        return share


@dataclass(frozen=True, kw_only=True)
class AskedOptions:
    """A campaign, in a file or described."""

    campaign_path: Path | None = file_option("--campaign", about="Campaign in TOML or JSON, instead of the following.")
    dimensions: int | None = option("--dimensions", type=click.IntRange(1), help="Features a person has, d.")
    mechanism: str = campaign_field("mechanism")
    epsilon: float | None = campaign_field("epsilon")
    k: int | None = campaign_field("k")
    levels: int | None = campaign_field("levels")

    def campaign(self) -> Campaign:
        """Return the campaign."""
        described = ("dimensions", "mechanism", "epsilon", "k", "levels")
        if self.campaign_path is not None:
            refuse_given(described, "with --campaign, which says all that")
            return Campaign.load(existing(self.campaign_path))
        if self.dimensions is None:
            raise click.UsageError("Give --campaign, or --dimensions and --epsilon.")
        try:
            return Campaign(low=0, high=1, **{name: getattr(self, name) for name in described})
        except ValueError as error:
            raise click.UsageError(str(error)) from error


@dataclass(frozen=True, kw_only=True)
class BoundOptions:
    """Which bound, and of which nodes."""

    alpha: float = option(
        "--alpha", type=Finite(0, 1, min_open=True, max_open=True), default=DEFAULT_ALPHA, help="Decay."
    )
    r: float = option("--r", type=Finite(0, 1), default=DEFAULT_R, help="Convolution coefficient.")
    decoding: Any = option(
        "--decoding",
        type=click.Choice(["raw", "unbiased"]),
        default="raw",
        help="raw as in the paper; unbiased divides by the gain.",
    )
    chance: float = option(
        "--chance",
        type=Finite(0, 1, min_open=True, max_open=True),
        default=CHANCE,
        help="How often the bound of a node may fail, all of its entries together.",
    )
    on_grid: bool = flag(
        "--on-grid", about="All features are levels of the grid, yes or no for instance: none is rounded."
    )
    sample: int = option(
        "--sample", type=click.IntRange(1), default=2000, help="Nodes, at random if the graph has more."
    )
    draws: int = option(
        "--draws", type=click.IntRange(0), default=0, help="Simulate so often with made-up features, and compare."
    )
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Of the nodes and the simulation.")

    def norms(self, graph: Graph) -> RowNorms:
        """Return the rows of some nodes."""
        chosen = np.arange(graph.nodes)
        if graph.nodes > self.sample:
            chosen = np.sort(np.random.default_rng(self.seed).choice(graph.nodes, self.sample, replace=False))
        with progress_bar("Rows") as progress:
            return row_norms(graph, alpha=self.alpha, r=self.r, nodes=graph.ids[chosen], progress=progress)

    def seen(self, graph: Graph, campaign: Campaign, nodes: Ids) -> Simulated | None:
        """Simulate with made-up features, each at one of its bounds at random."""
        if not self.draws:
            return None
        at_high = np.random.default_rng(self.seed).integers(0, 2, (graph.nodes, campaign.dimensions)).astype(bool)
        features = np.where(at_high, campaign.high, campaign.low)
        with progress_bar("Simulating") as progress:
            return simulate_errors(
                graph,
                campaign,
                features,
                nodes=nodes,
                walk=Walk(self.alpha, self.r),
                decoding=self.decoding,
                seeds=range(self.seed, self.seed + self.draws),
                progress=progress,
            )
