"""The labelled nodes of which is learnt, in parts that take turns at being unseen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.embedding.embedding import Embedding
from privge.errors import BadData
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import Classes, Labels, LabelsById, LabelsByRow
from privge.ids import Ids
from privge.propagation import Matrix
from privge.structure.order import folds_of
from privge.tasks.by_id import labels_in, rows_in

FEWEST = 10
"""Labelled nodes without which nothing is learnt."""


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """The labelled nodes: their rows, their classes from 0, what these are called, and into which part each falls."""

    rows: Rows
    targets: Rows
    classes: Classes
    folds: Rows

    @classmethod
    def of(
        cls,
        vectors: Matrix | Embedding,
        labels: LabelsByRow | LabelsById,
        train: Iterable[object] | None,
        folds: int,
        seed: int,
    ) -> Self:
        """Find the nodes whose label may be read, or say what is wrong with them."""
        ids = vectors.ids if isinstance(vectors, Embedding) else None
        return cls._of_rows(labels_in(vectors, labels), rows_in(vectors, train), ids, folds, seed)

    @classmethod
    def of_graph(cls, nodes: LabelledGraph, train: Iterable[object] | None, folds: int, seed: int) -> Self:
        """Do the same where there is a graph and no vector."""
        rows, ids = nodes.rows(train), nodes.graph.ids if nodes.by_id else None
        return cls._of_rows(nodes.labels, rows, ids, folds, seed)

    @classmethod
    def _of_rows(cls, found: Labels, rows: Rows | None, ids: Ids | None, folds: int, seed: int) -> Self:
        rows = found.known if rows is None else np.unique(rows)
        if ids is not None:  # what is drawn for a node follows from ids, never from where it stands
            rows = rows[np.argsort(ids[rows], kind="stable")]
        if (found.places[rows] < 0).any():
            raise ValueError(f"{int((found.places[rows] < 0).sum())} of {len(rows)} training nodes have no label")
        places, targets = np.unique(found.places[rows], return_inverse=True)
        if len(rows) < FEWEST or len(places) < 2:
            raise BadData(
                f"at least {FEWEST} labelled nodes of two classes are needed, got {len(rows)} of {len(places)}"
            )
        return cls(rows, targets, found.classes[places], folds_of(len(rows), min(folds, len(rows)), seed))

    @property
    def parts(self) -> int:
        """Number of parts."""
        return int(self.folds.max()) + 1

    @property
    def shares(self) -> Floats:
        """The share of each class among them."""
        shares: Floats = np.bincount(self.targets) / len(self.targets)
        return shares

    def shares_without(self, fold: int) -> Floats:
        """Return the share of each class among the other parts; none is 0, though a class may be of this part alone."""
        others = self.targets[self.folds != fold]
        shares: Floats = (np.bincount(others, minlength=len(self.classes)) + 1) / (len(others) + len(self.classes))
        return shares
