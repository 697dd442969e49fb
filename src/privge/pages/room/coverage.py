"""Participation over the graph: who has how many friends, how many of them reported, and whom no report is near."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.collect.stores.store import Store
from privge.curator.matching import rows_among
from privge.graph import Graph

DEGREES = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, None))
"""Numbers of friends that are counted together."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How the reports of a campaign lie in the graph. Counts only."""

    nodes: int
    reported: int
    strangers: int  # reports of people who are not in the graph
    near: int  # people who reported or have a friend who did
    by_degree: tuple[tuple[str, int, int], ...]  # label, reports, people


def coverage(store: Store, campaign: str, graph: Graph) -> Coverage:
    """Look where the people of a campaign's reports are."""
    took_part = np.zeros(graph.nodes, dtype=np.bool_)
    strangers = 0
    for block in store.read(campaign):
        rows = rows_among(graph.ids, block.ids)
        took_part[rows[rows >= 0]] = True
        strangers += int((rows < 0).sum())
    adjacency = graph.to_scipy()
    degrees: NDArray[np.int64] = np.diff(adjacency.indptr)
    near = took_part | (adjacency @ took_part.astype(np.float64) > 0)
    return Coverage(
        graph.nodes, int(took_part.sum()), strangers, int(near.sum()), tuple(_by_degree(degrees, took_part))
    )


def _by_degree(degrees: NDArray[np.int64], took_part: NDArray[np.bool_]) -> Iterable[tuple[str, int, int]]:
    for low, high in DEGREES:
        those = (degrees >= low) & (degrees <= (degrees.max(initial=0) if high is None else high))
        if those.any():
            label = f"{low}" if low == high else f"{low} or more" if high is None else f"{low} to {high}"
            yield label, int(took_part[those].sum()), int(those.sum())
