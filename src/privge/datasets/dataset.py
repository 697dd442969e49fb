"""`Dataset`: a graph, one feature row and one label for each node, and the public bounds of the features."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.graph import Graph


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a dataset that papers print."""

    nodes: int
    edges: int
    self_loops: int
    features: int
    classes: int


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A graph with features and labels.

    `privge.datasets.load` reads it from files that are checked against the catalogue.

    Parameters
    ----------
    name
        Name of the dataset in the catalogue.
    graph
        Its ids are the integers 0, 1, ....
    features
        One sparse row for each node, in the graph's order; every value from ``low`` to ``high``.
    low, high
        Public bounds of every feature: constants of the catalogue, never taken from the data.
    labels
        The class of each node, a position in ``classes``; -1 where it is unknown.
    classes
        Names of the classes.
    self_loops
        Nodes that the files link to themselves; the graph leaves these links out.
    """

    name: str
    graph: Graph
    features: scipy.sparse.csr_array
    low: float
    high: float
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    self_loops: int = 0

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, {self.graph.nodes:,} nodes, {self.graph.edges:,} edges, "
            f"{self.features.shape[1]:,} features, {len(self.classes)} classes)"
        )

    @property
    def statistics(self) -> Statistics:
        """Figures of what was loaded."""
        return Statistics(
            self.graph.nodes, self.graph.edges, self.self_loops, self.features.shape[1], len(self.classes)
        )
