"""What lies between the files of a dataset and a `Dataset`: checked bytes, and what a format's reader makes of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.errors import DatasetCorrupt
from privge.graph import Graph
from privge.questions import Encoding
from privge.questions.people import People


@dataclass(frozen=True, eq=False, slots=True)
class Blob:
    """One file: where it is, for readers of paths and for messages; and its bytes.

    Parameters
    ----------
    checked
        Its bytes, if they were compared with a checksum; otherwise they are read when they are asked for.
    """

    path: Path
    checked: bytes | None = None

    @property
    def data(self) -> bytes:
        """The bytes."""
        return self.path.read_bytes() if self.checked is None else self.checked

    def corrupt(self, problem: str) -> DatasetCorrupt:
        """Return the error that names this file."""
        return DatasetCorrupt(f"{self.path}: {problem}")


@dataclass(frozen=True, eq=False, slots=True)
class Contents:
    """What a reader found: links between rows (self-loops and repetitions included), features, labels."""

    links: NDArray[np.int64]
    features: scipy.sparse.csr_array
    labels: NDArray[np.int64]
    classes: tuple[str, ...]

    names: ClassVar[None] = None
    people: ClassVar[None] = None
    encoding: ClassVar[None] = None

    @property
    def graph(self) -> Graph:
        """The graph of the links; its ids are the rows."""
        return Graph.from_edges(self.links, nodes=np.arange(self.features.shape[0]))

    @property
    def self_loops(self) -> int:
        """How many nodes are linked to themselves."""
        return len(np.unique(self.links[self.links[:, 0] == self.links[:, 1], 0]))


@dataclass(frozen=True, eq=False, slots=True)
class NamedContents:
    """What a reader found whose nodes have names, which are the ids of the graph: everything in its order.

    Parameters
    ----------
    features
        A row for each node, for the paper's pipeline.
    labels, classes
        As of `privge.datasets.Dataset`.
    names
        What the columns of the features are called, if they have names.
    people, encoding
        The raw table and its public encoding, if features are of several kinds.
    """

    graph: Graph
    features: scipy.sparse.csr_array
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    names: tuple[str, ...] | None = None
    people: People | None = None
    encoding: Encoding | None = None

    self_loops: ClassVar[int] = 0
    """Readers of edges leave them out and say so."""
