"""The small learners that are stacked on structural features. Both need scikit-learn and nothing else."""

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import Floats
from privge.graph.labelled import Rows

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

Features = NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class Examples:
    """Rows of features and the class of each, from 0."""

    features: Features
    targets: Rows


class Fitted(Protocol):
    """What a head has learnt."""

    def probabilities(self, features: Features) -> Floats:
        """Return the probability of each class for each row."""
        ...

    def settled(self) -> "Head":
        """Return the head with its choices made, to be fitted to a part of the same examples."""
        ...


class Head(Protocol):
    """Something that learns classes from features."""

    def fit(self, train: Examples, validation: Examples, classes: int, seed: int) -> Fitted:
        """Learn from training rows; choose by the loss of the validation rows."""
        ...


@dataclass(frozen=True, slots=True)
class Logistic:
    """Logistic regression. For a part of the same examples it keeps the penalty that was chosen.

    Parameters
    ----------
    strengths
        Inverse strengths of the quadratic penalty, among which the validation loss chooses.
    """

    strengths: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

    def fit(self, train: Examples, validation: Examples, classes: int, seed: int) -> "FittedClassifier":
        """Fit from the strongest penalty to the weakest, each from where the last one ended."""
        with needed("a structural channel"):
            from sklearn.linear_model import LogisticRegression

        best: FittedClassifier | None = None
        best_loss = np.inf
        model = LogisticRegression(max_iter=300, warm_start=True, random_state=seed)
        for strength in self.strengths:
            model.set_params(C=strength).fit(train.features, train.targets)
            fitted = FittedClassifier(copy.deepcopy(model), classes, Logistic((strength,)))
            loss = log_loss(fitted.probabilities(validation.features), validation.targets)
            if best is None or loss < best_loss:
                best, best_loss = fitted, loss
        if best is None:
            raise ValueError("logistic regression needs at least one strength of its penalty")
        return best


@dataclass(frozen=True, eq=False, slots=True)
class FittedClassifier:
    """A model of scikit-learn that was fitted to some of the classes, or to all, and the head with its choices made."""

    model: "LogisticRegression | MLPClassifier"
    classes: int
    head: Head

    def probabilities(self, features: Features) -> Floats:
        """Return the probability of each class; 0 of a class that was not among the training rows."""
        found = np.zeros((len(features), self.classes))
        found[:, self.model.classes_] = self.model.predict_proba(features)
        return found

    def settled(self) -> Head:
        """Return the head with its choices made."""
        return self.head


@dataclass(frozen=True, slots=True)
class Network:
    """A perceptron with one hidden layer, trained by Adam and stopped early.

    The epoch is not among the choices that are kept for a part of the same examples: it is chosen anew.

    Parameters
    ----------
    hidden
        How many units, all of them rectifiers, its only hidden layer has.
    penalty
        Weight of the squares of the weights in the loss.
    rate
        The first step size of Adam.
    epochs
        At most so many.
    patience
        Stop after so many epochs without a smaller validation loss.
    """

    hidden: int = 64
    penalty: float = 1.0
    rate: float = 0.002
    epochs: int = 60
    patience: int = 6

    def fit(self, train: Examples, validation: Examples, classes: int, seed: int) -> "FittedClassifier":
        """Train, and return the network of the epoch with the smallest validation loss."""
        with needed("a structural channel"):
            from sklearn.neural_network import MLPClassifier

        model = MLPClassifier(
            (self.hidden,),
            alpha=self.penalty,
            learning_rate_init=self.rate,
            batch_size=max(min(200, len(train.targets)), len(train.targets) // 100),
            random_state=seed,
        )
        present = np.unique(train.targets)
        fitted = FittedClassifier(model, classes, self)
        best, best_loss, best_epoch = None, np.inf, 0
        for epoch in range(self.epochs):
            model.partial_fit(train.features, train.targets, classes=present)
            loss = log_loss(fitted.probabilities(validation.features), validation.targets)
            if best is None or loss < best_loss:
                best, best_loss, best_epoch = (copy.deepcopy((model.coefs_, model.intercepts_)), loss, epoch)
            elif epoch - best_epoch >= self.patience:
                break
        if best is None:
            raise ValueError("a network needs at least one epoch")
        model.coefs_, model.intercepts_ = best
        return fitted


@dataclass(frozen=True, eq=False, slots=True)
class Only:
    """What can be learnt from rows of one class: that class."""

    target: int
    classes: int
    head: Head

    def probabilities(self, features: Features) -> Floats:
        """Return 1 for the class and 0 for all others."""
        return np.tile(np.eye(self.classes)[self.target], (len(features), 1))

    def settled(self) -> Head:
        """Return the head, which learnt nothing."""
        return self.head


def fitted(head: Head, train: Examples, validation: Examples, classes: int, seed: int) -> Fitted:
    """Fit a head, unless the training rows are of one class only."""
    if (train.targets == train.targets[0]).all():
        return Only(int(train.targets[0]), classes, head)
    return head.fit(train, validation, classes, seed)


def log_loss(probabilities: Floats, targets: Rows) -> float:
    """Return the mean of minus the logarithm of what the true class was given."""
    given = probabilities[np.arange(len(targets)), targets]
    return float(-np.log(np.maximum(given, 1e-12)).mean())
