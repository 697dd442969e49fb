"""The heads among which the default one chooses: logistic regressions and perceptrons."""

import warnings
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privge._imports import needed
from privge.graph.labelled import Rows
from privge.tasks.classification.layers import Layers, constant, of_all_classes
from privge.tasks.nodes import NodeClassifier
from privge.tasks.scaling import Rule, ScaledRows

_FEWEST = 10  # labels from which a part can be held back for stopping


class Candidate(Protocol):
    """Something that learns classes from inputs."""

    @property
    def family(self) -> str:
        """What it is called together with its like, of which one is chosen."""

    @property
    def scaling(self) -> Rule:
        """How its inputs are scaled; see `privge.tasks.scaling`."""

    def fit(self, inputs: ScaledRows, targets: Rows, seed: int) -> Layers:
        """Learn the classes, from 0, all of which are there."""
        ...


@dataclass(frozen=True, slots=True)
class Logistic:
    """Logistic regression.

    Parameters
    ----------
    strength
        Inverse strength of the quadratic penalty, for rows of length 1.
    """

    strength: float
    scaling: Rule = "rows"

    family = "logistic regression"

    def fit(self, inputs: ScaledRows, targets: Rows, seed: int) -> Layers:
        """Fit to all rows; there is nothing to stop early."""
        with needed("a head"):
            from sklearn.exceptions import ConvergenceWarning
            from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=self.strength / inputs.shape[1], max_iter=200, random_state=seed)
        with warnings.catch_warnings():  # wherever it ended, labels that it did not see say what that is worth
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(inputs, targets)
        weights, intercepts = model.coef_.astype(np.float32), model.intercept_.astype(np.float32)
        if len(weights) == 1:  # of two classes scikit-learn has the second alone
            weights, intercepts = np.vstack([0 * weights, weights]), np.append(0 * intercepts, intercepts)
        return Layers((weights,), (intercepts,))


@dataclass(frozen=True, slots=True)
class Perceptron:
    """The network of `privge.tasks.NodeClassifier`; a fifth of the labels stops it.

    ``rate`` multiplies its usual learning rate.
    """

    rate: float
    scaling: Rule = "rows"

    family = "perceptron"

    def fit(self, inputs: ScaledRows, targets: Rows, seed: int) -> Layers:
        """Train on minibatches, at least eight an epoch."""
        batch = int(np.clip(len(targets) // 8, 16, 1024))
        head = _Quiet(scaling="none", batch=batch, seed=seed, threads=1)
        head.learning_rate *= self.rate
        head.fit(inputs, targets)
        state = [value.cpu().numpy() for value in head.network_.state_dict().values()]
        first = np.zeros((len(state[0]), inputs.shape[1]), dtype=np.float32)
        used = head.scaling_.columns
        first[:, slice(None) if used is None else used] = state[0]
        found = Layers((first * head.scaling_.factor, *state[2::2]), tuple(state[1::2]))
        return of_all_classes(found, head.classes_, int(targets.max()) + 1)


class _Quiet(NodeClassifier):
    """One of several: whether it learnt anything is judged by whoever asks for it."""

    def _remark(self) -> None:
        pass


CANDIDATES: tuple[Candidate, ...] = (
    *(Logistic(strength, "rows") for strength in (0.01, 0.1, 1.0, 10.0, 100.0)),
    *(Logistic(strength, "columns") for strength in (0.01, 0.1, 1.0, 10.0, 100.0)),
    Perceptron(1.0),
    Perceptron(0.1),
)
"""What the default head chooses among."""


def fitted(candidate: Candidate, inputs: ScaledRows, targets: Rows, classes: int, seed: int) -> Layers:
    """Fit a candidate to some of the classes; of one class, or of next to nobody, only the shares can be learnt."""
    present, own = np.unique(targets, return_inverse=True)
    if len(present) < 2 or len(targets) < _FEWEST:
        return constant((np.bincount(targets, minlength=classes) + 1) / (len(targets) + classes), inputs.shape[1])
    return of_all_classes(candidate.fit(inputs, own, seed), present, classes)
