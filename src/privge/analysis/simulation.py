"""Does the bound of each node hold, and is it of any use? Devices are simulated, again and again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse

from privge._typing import Decoding, Floats, Progress
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph import Graph, GraphData, as_graph
from privge.ids import Ids
from privge.perturbation.simulate import simulate
from privge.perturbation.tables import AnyMatrix
from privge.propagation import HERE, Local, Walk
from privge.propagation.propagate import propagate_here

ACCURACY = 1e-4
"""Largest error of a simulated entry that comes from propagation, as a share of the largest value that is spread."""


@dataclass(frozen=True, eq=False, slots=True)
class Simulated:
    """What happened to some nodes in some draws: the largest error of any entry, nodes times draws."""

    errors: Floats

    @property
    def checks(self) -> int:
        """How many nodes times draws there are."""
        return self.errors.size

    @property
    def typical(self) -> Floats:
        """What at least 95 of 100 draws stay within, for each node."""
        return np.quantile(self.errors, 0.95, axis=1, method="inverted_cdf")

    def inside(self, bound: Floats) -> float:
        """Return the share of nodes times draws within a bound for each node."""
        return float((self.errors <= bound[:, None]).mean())

    def looseness(self, bound: Floats) -> Floats:
        """Return how many times the bound of each node is what 95 of 100 draws stay within."""
        return bound / self.typical


def simulate_errors(
    graph: GraphData,
    campaign: Campaign,
    features: AnyMatrix,
    *,
    nodes: Sequence[str] | Sequence[int] | Ids | None = None,
    walk: Walk | None = None,
    decoding: Decoding = "raw",
    seeds: Sequence[int] = range(20),
    on: Local = HERE,
    progress: Progress | None = None,
) -> Simulated:
    """Perturb and embed once for each seed; return the largest error of an entry of each node.

    Each draw has a campaign of its own, which differs in its purpose, so that everybody draws other indices.

    Parameters
    ----------
    graph
        The graph, in any form that `privge.as_graph` takes.
    campaign
        A campaign of features.
    features
        One row for each node in the graph's order, within the bounds of the campaign; made-up ones will do.
    nodes
        Ids of the nodes that are looked at; by default all.
    walk
        Decay factor and convolution coefficient; None takes the defaults of an embedding.
    decoding
        How reports are decoded.
    seeds
        One a draw.
    on
        How to compute it on this machine.
    progress
        Called with the draws done and the draws in all.
    """
    whole, walk = as_graph(graph), walk or Walk()
    rows = slice(None) if nodes is None else whole.rows_of(nodes)
    clean = _walked(whole, *_normalised(campaign, features), walk, on)[rows]
    errors = np.empty((len(clean), len(seeds)))
    for draw, seed in enumerate(seeds):
        asked = replace(campaign, purpose=f"{campaign.purpose} draw {draw} of seed {seed}")
        reports = simulate(asked, features, ids=whole.ids.tolist(), seed=seed).decode(decoding)
        noisy = _walked(whole, reports, np.zeros(campaign.dimensions), walk, on)[rows]
        errors[:, draw] = np.abs(noisy - clean).max(axis=1)
        if progress is not None:
            progress(draw + 1, len(seeds))
    return Simulated(errors)


def _normalised(campaign: Campaign, features: AnyMatrix) -> tuple[scipy.sparse.csr_array, Floats]:
    """Return features on the scale from -1 to 1, as a sparse matrix plus a row; all must be within their bounds."""
    matrix = scipy.sparse.csr_array(features, dtype=np.float64)
    low, high = (np.broadcast_to(bound, campaign.dimensions) for bound in (campaign.low, campaign.high))
    if matrix.shape[1] != campaign.dimensions:
        raise BadData(f"features have {matrix.shape[1]:,} columns for a campaign of {campaign.dimensions:,}")
    if not ((matrix.data >= low[matrix.indices]) & (matrix.data <= high[matrix.indices])).all():
        raise BadData("a feature is missing or outside its bounds; the bound is about what a device would report")
    half = (high - low) / 2
    return scipy.sparse.csr_array(matrix / half), -(high + low) / (2 * half)


def _walked(graph: Graph, rows: scipy.sparse.csr_array, shift: Floats, walk: Walk, on: Local) -> Floats:
    """Propagate rows that all have the same row added to them."""
    ones = np.ones((graph.nodes, 1))
    largest = max(1.0, float(np.abs(rows.data).max(initial=0.0)))
    beside = scipy.sparse.csr_array(scipy.sparse.hstack([rows, largest * ones], format="csr"))
    spread = propagate_here(graph, beside, Walk(walk.alpha, walk.r, ACCURACY * largest), on, None)[0]
    return np.asarray(spread[:, :-1] + np.outer(spread[:, -1] / largest, shift), dtype=np.float64)
