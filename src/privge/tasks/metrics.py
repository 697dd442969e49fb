"""How good a prediction is. Thin names over scikit-learn; every value lies between 0 and 1."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge.errors import BadData
from privge.graph.labels import LabelsById, LabelsByRow, by_id, is_by_id
from privge.ids import as_texts

Scores = NDArray[np.floating]


def accuracy(labels: LabelsByRow | LabelsById, predicted: LabelsByRow | Mapping[Any, object]) -> float:
    """Return the share of nodes whose label was predicted.

    Parameters
    ----------
    labels
        The true classes, in the order of the predictions; or by id, as heads take them.
    predicted
        What a head or a baseline answered. If it answers by id, it may answer for more nodes than are labelled.
    """
    with needed("a metric"):
        from sklearn.metrics import accuracy_score

    return float(accuracy_score(*_side_by_side(labels, predicted)))


def macro_f1(labels: LabelsByRow | LabelsById, predicted: LabelsByRow | Mapping[Any, object]) -> float:
    """Return the mean over the classes of the F1 score; a class that is never predicted counts 0.

    Parameters
    ----------
    labels
        As for `accuracy`.
    predicted
        As for `accuracy`.
    """
    with needed("a metric"):
        from sklearn.metrics import f1_score

    return float(f1_score(*_side_by_side(labels, predicted), average="macro", zero_division=0))


def largest_class(labels: NDArray[np.integer]) -> int:
    """Return the most frequent of some classes, the smallest of equals: the answer of whoever knows nothing else."""
    classes, counts = np.unique(labels, return_counts=True)
    return int(classes[counts.argmax()])


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


def _side_by_side(labels: LabelsByRow | LabelsById, predicted: LabelsByRow | Mapping[Any, object]) -> tuple[Any, Any]:
    """Return true and predicted classes in one order: by id, if either has ids, and then both must have them."""
    if not isinstance(predicted, Mapping):
        if isinstance(labels, Mapping):
            raise ValueError("labels by id need predictions by id: give an Embedding to the head, or both as lists")
        return labels, predicted
    if not is_by_id(labels):
        raise ValueError("predictions by id need labels by id: a mapping, a Series, or a pair of ids and classes")
    ids, found = by_id(labels)
    answers = {str(node): answer for node, answer in predicted.items()}
    judged = [node for node in as_texts(ids[found.known]).tolist() if node in answers]
    if len(judged) < len(found.known):
        raise BadData(f"{len(found.known) - len(judged):,} of {len(found.known):,} labelled nodes have no prediction")
    return found.classes[found.places[found.known]], [answers[node] for node in judged]


def _truth(positives: Scores, negatives: Scores) -> tuple[NDArray[np.integer], Scores]:
    if len(positives) == 0 or len(negatives) == 0:
        raise ValueError(f"both kinds of pairs are needed, got {len(positives)} positive, {len(negatives)} negative")
    truth = np.repeat([1, 0], [len(positives), len(negatives)])
    return truth, np.concatenate([positives, negatives])
