"""What is evaluated where nobody has the features: a graph, labels, and the reports of a real collection."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import places_in
from privge.ids import Ids
from privge.reports import Reports


@dataclass(frozen=True, eq=False)
class Collected:
    """Reports beside a graph and labels.

    Parameters
    ----------
    name, graph
        What it is called in results, and the public graph.
    labels, classes
        As of `privge.datasets.Dataset`.
    reports
        What people sent; those of people who are not in the graph are not here.
    """

    name: str
    graph: Graph
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    reports: Reports

    @property
    def columns(self) -> int:
        """How many columns the decoded reports have."""
        return int(self.reports.decode().shape[1])

    @property
    def k(self) -> int:
        """How many values a person sent."""
        return int(self.reports.campaign.k)

    @property
    def epsilon(self) -> float:
        """What a report cost."""
        return float(self.reports.campaign.epsilon)

    def noise(self, seed: int, purpose: str) -> Reports:
        """Return noise of the same shape, from the same people: the control structure-only."""
        return noise_of(self.reports.ids, self.columns, self.k, seed, purpose)


def noise_of(ids: Ids, columns: int, k: int, seed: int, purpose: str) -> Reports:
    """Return reports of pure noise: k of so many columns from each of these people."""
    campaign = Campaign(dimensions=columns, low=0, high=1, mechanism="structure", k=min(k, columns), purpose=purpose)
    return campaign.simulate(scipy.sparse.csr_array((len(ids), columns)), ids=ids.tolist(), seed=seed)


def of_people_in(graph: Graph, reports: Reports) -> tuple[Reports, int]:
    """Return the reports of people in a graph, and how many others there are."""
    inside = places_in(graph, reports.ids) >= 0
    if not inside.any():
        raise BadData(
            f"none of the {len(reports):,} reports is of a node of the graph; see whether ids are written alike: 007 "
            "is not 7"
        )
    return reports.take(np.flatnonzero(inside)), int((~inside).sum())
