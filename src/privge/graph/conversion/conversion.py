"""What is converted, and the notes by which a run goes on where another was cut off."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privge._files.folder import Folder
from privge._typing import Progress
from privge.graph._fingerprint import PIECE
from privge.graph.conversion import growing
from privge.graph.conversion.parts import Kind, Part
from privge.graph.conversion.texts import Texts


@dataclass(frozen=True, slots=True)
class Conversion:
    """What is converted, and where its stages leave their files.

    Parameters
    ----------
    work
        The folder for these files, from which a run that was cut off goes on.
    parts, nodes
        The files of edges and, if they were given, of nodes.
    nodes_place
        What to call the list of nodes in a message.
    kind
        What all ids are.
    budget
        Bytes to use.
    progress
        Called with the edges that all stages have gone through, and what it will be in the end.
    weight
        The column of weights, if the graph shall have weights.
    """

    work: Path
    parts: list[Part]
    nodes: list[Part] | None
    nodes_place: str
    kind: Kind
    budget: int
    progress: Progress | None
    weight: str | None = None
    seen: list[int] = field(default_factory=lambda: [0])

    @property
    def rows(self) -> int:
        """Edges, as they are written."""
        return sum(part.rows for part in self.parts)

    @property
    def batch(self) -> int:
        """Rows to read at once."""
        return max(1, min(1 << 20, self.budget // 256))

    @property
    def graph(self) -> Path:
        """The folder that becomes the graph."""
        return self.work / "graph"

    def manifest(self) -> dict[str, Any]:
        """Return what tells these inputs from any others."""
        told, nodes = (
            None if parts is None else [[part.address, part.size, part.version, *part.columns] for part in parts]
            for parts in (self.parts, self.nodes)
        )
        inputs = {"edges": told, "nodes": nodes}
        return inputs if self.weight is None else {**inputs, "weight": self.weight}

    def document(self, name: str) -> dict[str, Any] | None:
        """Return what a stage noted, if it did."""
        folder = Folder.of(self.work)
        return folder.document(name) if folder.exists(name) else None

    def note(self, name: str, document: dict[str, Any]) -> None:
        """Note how far a stage is."""
        Folder.of(self.work).write_document(name, document)

    def advance(self, edges: int) -> None:
        """Say that a stage went through so many edges more."""
        self.seen[0] += edges
        if self.progress is not None:
            self.progress(self.seen[0], max(1, 4 * self.rows))

    def texts(self, count: int) -> Texts:
        """Return the ids, if they are strings, once they are numbered."""
        return Texts(self.graph / "ids-offsets.npy", self.graph / "ids-text.npy", count)

    def ids(self, count: int) -> Iterator[list[Any]]:
        """Yield the ids, once they are numbered, as Python's own."""
        if self.kind == "strings":
            yield from (texts.to_pylist() for texts in self.texts(count).pieces())
        else:
            pieces = growing.read_pieces(self.graph / "ids.npy", np.int64, count, PIECE)
            yield from (piece.tolist() for piece in pieces)
