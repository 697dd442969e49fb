"""`VectorModel`: what was learnt from vectors, as plain numbers that can be stored and used for other vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from privge._typing import Floats
from privge.embedding.embedding import Embedding
from privge.errors import BadData
from privge.graph.labelled import Rows
from privge.graph.labels import Classes
from privge.propagation import Matrix
from privge.structure.calibration import at_temperature
from privge.tasks.by_id import matrix_of
from privge.tasks.classification.columns import columns_of, difference
from privge.tasks.classification.estimates import Share
from privge.tasks.classification.fused import Fused
from privge.tasks.classification.inputs import Inputs
from privge.tasks.classification.layers import Layers
from privge.tasks.logit import normalised
from privge.tasks.scaling import check_matrix, rows_at_once

STEPS = 20
"""Levels of probability, from 0, at which a model remembers how many held-out answers were right."""


def judged_at_levels(probabilities: Floats, targets: Rows) -> tuple[tuple[int, int], ...]:
    """Return how many answers are right, and how many there are, with a probability of at least each level."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == targets
    kept = [confidence >= level / STEPS for level in range(STEPS)]
    return tuple((int(right[mine].sum()), int(mine.sum())) for mine in kept)


@dataclass(frozen=True, eq=False)
class VectorModel:
    """Probabilities of classes from a vector.

    Parameters
    ----------
    classes, shares
        What the classes are called, and the share of each among the labelled nodes.
    inputs
        How vectors become inputs.
    heads
        By kind, a head for each part of the labelled nodes, fitted without it.
    fused
        How much each kind counts.
    temperature
        By which probabilities are calibrated.
    columns
        What the vectors are, as `privge.tasks.classification.columns` says; None if nobody knows.
    judged
        By labels held out, how many answers were right and how many there were with a probability of at least each of
        `STEPS` levels; nothing if nobody knows.
    """

    classes: Classes
    shares: Floats
    inputs: Inputs
    heads: Mapping[str, tuple[Layers, ...]]
    fused: Fused
    temperature: float
    columns: Mapping[str, Any] | None = None
    judged: tuple[tuple[int, int], ...] = ()

    def says(self, matrix: Matrix) -> dict[str, Floats]:
        """Return what the head of each kind says of each row: means of the logarithms over its parts."""
        check_matrix(matrix, self.inputs.width)
        said = {name: np.empty((len(matrix), len(self.classes))) for name in self.heads}
        for start in range(0, len(matrix), step := rows_at_once(matrix)):
            inputs = self.inputs.rows(matrix, np.arange(start, min(start + step, len(matrix))))
            for name, heads in self.heads.items():
                logs = sum(head.log_probabilities(inputs) for head in heads)
                said[name][start : start + step] = normalised(np.asarray(logs / len(heads)))
        return said

    def prior(self, rows: int) -> Floats:
        """Return the logarithms of the shares of the classes, for so many rows."""
        return np.tile(np.log(self.shares), (rows, 1))

    def probabilities(self, vectors: Matrix | Embedding) -> Floats:
        """Return the calibrated probability of each class (columns) for each row.

        Parameters
        ----------
        vectors
            A matrix of as many columns as those learnt from; or an embedding, which must have been made in the same way
            from the same campaign.
        """
        if isinstance(vectors, Embedding):
            self.check(vectors)
        matrix = matrix_of(vectors)
        return at_temperature(self.fused.probabilities(self.prior(len(matrix)), self.says(matrix)), self.temperature)

    def expected(self, abstain: float = 0.0) -> Share | None:
        """Return how many answers of at least this probability were right at learning, by labels held out, if known.

        Between two levels it is the lower one, which promises less.
        """
        return Share(*self.judged[min(int(abstain * STEPS + 1e-9), STEPS - 1)]) if self.judged else None

    def check(self, embedding: Embedding) -> None:
        """Refuse an embedding whose columns are others than those learnt from."""
        if embedding.shape[1] != self.inputs.width:
            raise BadData(
                f"the model was learnt from {self.inputs.width:,} columns, the embedding has "
                f"{embedding.shape[1]:,}: embed the same campaign in the same way, or learn anew from labels"
            )
        other = None if self.columns is None else difference(self.columns, columns_of(embedding))
        if other is not None:
            raise BadData(
                f"the model was learnt from other columns than those of the embedding: {other}; embed the same "
                "campaign in the same way, or learn anew from labels"
            )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as plain arrays (.npz, without pickle); the file is complete or absent."""
        from privge.tasks.classification.model_files import write_model

        write_model(Path(path), self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; nothing in the file is run."""
        from privge.tasks.classification.model_files import read_model

        return cls(**read_model(Path(path)))
