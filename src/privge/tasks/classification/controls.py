"""Controls of a classification: the same answers with other vectors in place of the private ones."""

from collections.abc import Mapping
from dataclasses import replace

from privge._typing import Floats, Progress
from privge.embedding.embedding import Embedding
from privge.graph.labels import LabelsById
from privge.tasks.classification.calibrated import People, calibrated_apart
from privge.tasks.classification.classification import ANSWERS, STRUCTURE, WALKS, Classification
from privge.tasks.classification.fused import held_out_probabilities
from privge.tasks.classification.steady import SteadyClassifier


def answers_of(control: str) -> str:
    """Return what the answers of a control are called, such as ``answers, shuffled``."""
    return f"{ANSWERS}{control}"


def vectors_of(control: str) -> str:
    """Return what the vectors of a control are called, such as ``vectors, shuffled``."""
    return f"vectors, {control}"


def with_controls(
    found: Classification,
    others: Mapping[str, Embedding],
    labels: LabelsById,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Classification:
    """Return a classification that also knows what it would have been with other vectors.

    Heads, weights and temperatures are fitted to each as they were to the vectors themselves, beside the same graph and
    with the same labels held out. Somebody else's reports, or noise, should find what the graph finds, and no more.

    Parameters
    ----------
    found
        What `classify` found, with the graph.
    others
        Other vectors of the same nodes, in the order of ``found.ids``, by the name of the control.
    labels, seed
        As `classify` was given them.
    progress
        Called with the controls done and all of them.
    """
    if STRUCTURE not in found.controls:
        raise ValueError("controls are fitted beside the graph: classify with graph=")
    made: dict[str, Floats] = {}
    for done, (name, vectors) in enumerate(others.items(), 1):
        head = SteadyClassifier(seed=seed).fit(vectors, labels, train=found.ids[found.known.rows], remark=False)
        known, held = head.known_, {**head.held_out_, WALKS: found.controls[WALKS]}
        fused = held_out_probabilities(found.controls[STRUCTURE], held, known.targets, known.folds, seed=seed)
        people = People.of(vectors, found.friends, vectors.epsilon).take(known.rows)
        made[vectors_of(name)] = head.held_out_probabilities_
        made[answers_of(name)] = calibrated_apart(fused, known, people)
        if progress is not None:
            progress(done, len(others))
    return replace(found, controls={**found.controls, **made})
