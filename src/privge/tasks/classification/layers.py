"""`Layers`: a fitted head as plain arrays, so that it can be stored and used without the library that fitted it."""

from dataclasses import dataclass

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.logit import normalised
from privge.tasks.scaling import ScaledRows

LEAST = float(np.log(1e-4))
"""The smallest logarithm of a probability that a head states: nothing is impossible."""


@dataclass(frozen=True, eq=False, slots=True)
class Layers:
    """Linear layers with rectifiers between them; one layer is logistic regression.

    Parameters
    ----------
    weights
        Of each layer, outputs x inputs.
    intercepts
        Of each layer.
    """

    weights: tuple[ScaledRows, ...]
    intercepts: tuple[ScaledRows, ...]

    def log_probabilities(self, inputs: ScaledRows) -> Floats:
        """Return the logarithm of the probability of each class, none below `LEAST`."""
        values = inputs
        for weights, intercepts in zip(self.weights[:-1], self.intercepts[:-1], strict=True):
            values = np.maximum(values @ weights.T + intercepts, 0)
        outputs = values @ self.weights[-1].T + self.intercepts[-1]
        return normalised(np.maximum(normalised(outputs.astype(np.float64)), LEAST))


def constant(shares: Floats, width: int) -> Layers:
    """Return the head that knows the shares of the classes and nothing else."""
    logs = np.log(np.maximum(shares, np.exp(LEAST)))
    return Layers((np.zeros((len(shares), width), dtype=np.float32),), (logs.astype(np.float32),))


def on_some_columns(found: Layers, columns: slice, width: int) -> Layers:
    """Return a head on some of the columns as one on all of them."""
    first = np.zeros((len(found.weights[0]), width), dtype=np.float32)
    first[:, columns] = found.weights[0]
    return Layers((first, *found.weights[1:]), found.intercepts)


def of_all_classes(found: Layers, present: Rows, classes: int) -> Layers:
    """Return a head of some classes as one of all; those that it never saw are as unlikely as can be."""
    if len(present) == classes:
        return found
    weights = np.zeros((classes, found.weights[-1].shape[1]), dtype=np.float32)
    intercepts = np.full(classes, found.intercepts[-1].min() - 20, dtype=np.float32)
    weights[present], intercepts[present] = found.weights[-1], found.intercepts[-1]
    return Layers((*found.weights[:-1], weights), (*found.intercepts[:-1], intercepts))
