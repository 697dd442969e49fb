"""Heads on top of features, so that no row is predicted by a model that was fitted to it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privge.graph.labelled import Rows
from privge.structure.heads import Examples, Features, Fitted, Head, fitted

_BLOCK = 1 << 16  # rows predicted at once


@dataclass(frozen=True, eq=False, slots=True)
class Stack:
    """What heads learn from, and how the training rows are divided.

    Parameters
    ----------
    features
        One row for each node, standardised.
    targets
        The class of each row, from 0; read at training and validation rows only.
    train, validation
        Rows to learn from and to choose by.
    folds
        The fold of each training row.
    classes
        Number of classes.
    """

    features: Features
    targets: Rows
    train: Rows
    validation: Rows
    folds: Rows
    classes: int

    def examples(self, rows: Rows) -> Examples:
        """Return rows with their classes."""
        return Examples(self.features[rows], self.targets[rows])

    def predictions(self, heads: list[Head], seed: int, step: Callable[[], None]) -> list[Features]:
        """Return what each head predicts for all rows; for training rows by models of the other folds.

        Parameters
        ----------
        heads
            At least one.
        seed
            Of whatever a head draws.
        step
            Called after each fit.
        """
        return [self._of_head(head, seed, step) for head in heads]

    def _of_head(self, head: Head, seed: int, step: Callable[[], None]) -> Features:
        validation = self.examples(self.validation)
        predicted = np.zeros((len(self.features), self.classes), dtype=np.float32)
        whole = fitted(head, self.examples(self.train), validation, self.classes, seed)
        self._write(predicted, whole, np.setdiff1d(np.arange(len(self.features)), self.train))
        step()
        for fold in np.unique(self.folds):
            mine, others = self.train[self.folds == fold], self.train[self.folds != fold]
            part = fitted(whole.settled(), self.examples(others), validation, self.classes, seed)
            self._write(predicted, part, mine)
            step()
        return predicted

    def _write(self, predicted: Features, model: Fitted, rows: Rows) -> None:
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            predicted[part] = model.probabilities(self.features[part])


def standardise(features: Features) -> Features:
    """Bring each column to mean 0 and variance 1 over all rows, in place; a constant column becomes 0."""
    for column in features.T:
        values = column.astype(np.float64)
        deviation = values.std()
        column[:] = (values - values.mean()) / deviation if deviation > 1e-9 else 0.0
    return features
