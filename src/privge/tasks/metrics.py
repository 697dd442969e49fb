"""How good a prediction is. Thin names over scikit-learn; every value lies between 0 and 1."""

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge.tasks.labels import Classes

Scores = NDArray[np.floating]


def accuracy(labels: Classes, predicted: Classes) -> float:
    """Return the share of nodes whose label was predicted."""
    with needed("a metric"):
        from sklearn.metrics import accuracy_score

    return float(accuracy_score(labels, predicted))


def macro_f1(labels: Classes, predicted: Classes) -> float:
    """Return the mean over the classes of the F1 score; a class that is never predicted counts 0."""
    with needed("a metric"):
        from sklearn.metrics import f1_score

    return float(f1_score(labels, predicted, average="macro", zero_division=0))


def auc(positives: Scores, negatives: Scores) -> float:
    """Return the probability that a positive scores above a negative; a tie counts one half.

    Parameters
    ----------
    positives, negatives
        Scores of pairs that are joined and of pairs that are not.
    """
    with needed("a metric"):
        from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(*_truth(positives, negatives)))


def average_precision(positives: Scores, negatives: Scores) -> float:
    """Return the mean precision over the positives, taken in the order of their scores."""
    with needed("a metric"):
        from sklearn.metrics import average_precision_score

    return float(average_precision_score(*_truth(positives, negatives)))


def _truth(positives: Scores, negatives: Scores) -> tuple[NDArray[np.integer], Scores]:
    if len(positives) == 0 or len(negatives) == 0:
        raise ValueError(f"both kinds of pairs are needed, got {len(positives)} positive, {len(negatives)} negative")
    truth = np.repeat([1, 0], [len(positives), len(negatives)])
    return truth, np.concatenate([positives, negatives])
