"""`Dataset`: a graph, one feature row and one label for each node, and the public bounds of the features."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Table
from privge.graph import Graph
from privge.graph.inputs import GraphData
from privge.graph.labels import LabelsById
from privge.graph.libraries import PygData
from privge.perturbation.features import FeatureData
from privge.questions import Encoding
from privge.questions.people import People

if TYPE_CHECKING:
    from privge.datasets.joined import Rules


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
        Name of the dataset, in the catalogue if it is there.
    graph
        Its ids are the integers 0, 1, ...; of your own dataset, whatever they are there.
    features
        One sparse row for each node, in the graph's order; every value from ``low`` to ``high``.
    low, high
        Public bounds of every feature: constants that somebody stated, never taken from the data.
    labels
        The class of each node, a position in ``classes``; -1 where it is unknown.
    classes
        Names of the classes.
    self_loops
        Nodes that the files link to themselves; the graph leaves these links out.
    names
        What the columns of the features are called, if they have names.
    people, encoding
        If features are of several kinds: the raw table in the graph's order, and its public encoding. ``features`` are
        then the same table as numbers from 0 to 1, for the paper's pipeline.
    """

    name: str
    graph: Graph
    features: scipy.sparse.csr_array
    low: float
    high: float
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    self_loops: int = 0
    names: tuple[str, ...] | None = None
    people: People | None = None
    encoding: Encoding | None = None

    @classmethod
    def from_folder(cls, place: str | PathLike[str]) -> "Dataset":
        """Read a dataset of your own: a folder with a ``dataset.toml``; see `privge.datasets.load`."""
        from privge.datasets.loading import load

        return load(Path(place))

    @classmethod
    def from_frames(
        cls,
        edges: GraphData,
        features: FeatureData,
        labels: LabelsById | Table | None = None,
        *,
        name: str = "own",
        rules: "Rules | None" = None,
    ) -> "Dataset":
        """Join tables at hand by the ids of nodes: data frames of pandas or polars, or tables of pyarrow.

        Parameters
        ----------
        edges
            Whatever `privge.as_graph` takes: a table of edges, a graph of networkx, a `Graph`. Who has features and no
            edge is a node, too, unless a `Graph` says who is one.
        features
            A table with a column ``id``, or of pandas the index. Columns are numbers, or of what kinds ``rules`` say.
        labels
            A mapping from ids to classes, a Series whose index are the ids, ids and classes as two arrays, or a table
            with the columns ``id`` and ``label``. None or NaN where a class is unknown.
        name
            What it is called.
        rules
            Public bounds, or the kind of each column: `privge.datasets.Rules`. By default numbers from 0 to 1.
        """
        from privge.datasets.frames import from_frames

        return from_frames(edges, features, labels, name=name, rules=rules)

    @classmethod
    def from_pyg(cls, data: PygData, *, name: str = "own", rules: "Rules | None" = None) -> "Dataset":
        """Take a ``Data`` of PyTorch Geometric: its edges, its ``x`` as features and its ``y`` as labels.

        Parameters
        ----------
        data
            Its nodes are 0, 1, ...; a negative ``y`` is an unknown class.
        name, rules
            As of `from_frames`.
        """
        from privge.datasets.frames import from_pyg

        return from_pyg(data, name=name, rules=rules)

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
