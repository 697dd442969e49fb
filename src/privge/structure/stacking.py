"""Heads on top of features, so that no row is predicted by a model that was fitted to it."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from privge._typing import Floats
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

    def probabilities(self, heads: list[Head], seed: int, step: Callable[[], None]) -> Floats:
        """Return the mean of the heads' predictions for all rows; for training rows by models of the other folds.

        Parameters
        ----------
        heads
            At least one.
        seed
            Of whatever a head draws.
        step
            Called after each fit.
        """
        validation = self.examples(self.validation)
        predicted = np.zeros((len(self.features), self.classes))
        settled: list[Head] = []
        for head in heads:
            whole = fitted(head, self.examples(self.train), validation, self.classes, seed)
            self._add(predicted, whole, np.setdiff1d(np.arange(len(self.features)), self.train))
            settled.append(whole.settled())
            step()
        for head, fold in product(settled, np.unique(self.folds)):
            mine, others = self.train[self.folds == fold], self.train[self.folds != fold]
            self._add(predicted, fitted(head, self.examples(others), validation, self.classes, seed), mine)
            step()
        return predicted / len(heads)

    def _add(self, predicted: Floats, model: Fitted, rows: Rows) -> None:
        for first in range(0, len(rows), _BLOCK):
            part = rows[first : first + _BLOCK]
            predicted[part] += model.probabilities(self.features[part])


def standardise(features: Features) -> Features:
    """Bring each column to mean 0 and variance 1 over all rows, in place; a constant column becomes 0."""
    for column in features.T:
        values = column.astype(np.float64)
        deviation = values.std()
        column[:] = (values - values.mean()) / deviation if deviation > 1e-9 else 0.0
    return features
