"""`teach`: from teachers' reports, and `teach_by_panel`: from profiles of people who agreed, to a question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import Floats
from privge.errors import BadData
from privge.graph.labelled import Rows, rows_of
from privge.questions import Direction, Encoding
from privge.reports import Reports
from privge.structure import NodeChannel
from privge.teaching.effects import Effects, Teachers, class_effects
from privge.teaching.question import TaughtQuestion, Teaching, class_names

if TYPE_CHECKING:
    from privge.questions.features.feature import Coordinates

SHARPNESS = 1.5
"""Effects are means given the reports, which are too small for a threshold; chosen on validation data."""

_CHUNK = 4096  # reports that are decoded at once
_STRENGTHS = (0.1, 1.0, 10.0)  # of the panel's logistic regression, for coordinates with variance 1


def teach(reports: Reports, structure: NodeChannel, labels: NDArray[np.int64]) -> TaughtQuestion:
    """Learn a question from one report of each teacher.

    Class means of noisy profiles, corrected by the exactly known noise and shrunk. It is post-processing: it costs no
    teacher more than the report did, and nothing of anybody else.

    Parameters
    ----------
    reports
        Of a campaign that asks for a `privge.questions.Direction` alone.
    structure
        The public prior of every node.
    labels
        The class of each node of ``structure``, as a column; -1 where it is unknown. Labels of people who do not teach
        are not read.
    """
    question = _direction(reports)
    rows = rows_of(structure, reports.ids, "teachers")
    teachers = Teachers(structure.probabilities[rows], np.asarray(labels)[rows])
    live = np.array(question.encoding.largest) > 0
    effects = class_effects(_decoded(reports), teachers, reports.campaign.noise, live)
    teaching = Teaching(
        "reports",
        len(rows),
        int(teachers.labelled.sum()),
        reports.campaign.epsilon,
        reports.campaign.id,
        effects.kept,
        reports.campaign.round,
    )
    return _question(question.encoding, structure, effects, int(live.sum()), teaching)


def teach_by_panel(
    encoding: Encoding, features: object, structure: NodeChannel, labels: NDArray[np.int64], rows: Rows
) -> TaughtQuestion:
    """Learn a question from clean profiles of people who agreed to hand them out. They have no local privacy.

    Parameters
    ----------
    encoding
        The public encoding.
    features
        The raw features of the panel, a row for each.
    structure
        The public prior of every node.
    labels
        The class of each node, as a column; those of the panel must be known.
    rows
        The nodes of the panel.
    """
    targets = np.asarray(labels)[rows]
    if len(targets) == 0 or targets.min() < 0:
        raise BadData("everybody on a panel must have a label")
    live = np.flatnonzero(np.array(encoding.largest) > 0)
    profiles = unit_profiles(encoding.coordinates(features)[:, live])
    slopes = _slopes(np.hstack([profiles * len(live) ** 0.5, structure.log[rows]]), targets, len(live))
    weights = np.zeros((len(structure.classes), encoding.columns))
    weights[np.ix_(np.unique(targets), live)] = slopes[:, : len(live)] * len(live) ** 0.5
    bias = -weights[:, live] @ profiles.mean(axis=0)
    teaching = Teaching("panel", len(rows), len(rows), None, None, 1.0)
    return TaughtQuestion(encoding, class_names(structure.classes), weights, bias, teaching)


def _slopes(known: Floats, targets: NDArray[np.int64], width: int) -> Floats:
    """Return slopes of a logistic regression, a row for each class that occurs; cross-validation sets its penalty."""
    with needed("teaching by a panel"):
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import cross_val_score

    models = [LogisticRegression(C=strength / width, max_iter=300) for strength in _STRENGTHS]
    scores = [cross_val_score(model, known, targets, cv=3, scoring="neg_log_loss").mean() for model in models]
    found = models[int(np.argmax(scores))].fit(known, targets).coef_
    slopes: Floats = np.vstack([-found, found]) / 2 if len(found) == 1 else found
    return slopes


def unit_profiles(coordinates: "Coordinates") -> Floats:
    """Return profiles at length 1, in floats; for curators and panels, never for devices."""
    dense = np.asarray(coordinates if isinstance(coordinates, np.ndarray) else coordinates.toarray(), dtype=np.float64)
    lengths = np.sqrt(np.square(dense).sum(axis=1, keepdims=True))
    profiles: Floats = dense / np.maximum(lengths, 1e-300)
    return profiles


def _question(
    encoding: Encoding, structure: NodeChannel, effects: Effects, width: int, teaching: Teaching
) -> TaughtQuestion:
    """Return scores ``effect . (profile - mean) / variance``: log-odds, if people differ alike in all directions."""
    weights = SHARPNESS * width * effects.values
    return TaughtQuestion(encoding, class_names(structure.classes), weights, -weights @ effects.mean, teaching)


def _direction(reports: Reports) -> Direction:
    questions = reports.campaign.questions or ()
    if len(questions) != 1 or not isinstance(questions[0], Direction):
        raise BadData("teachers' reports must be of a campaign that asks for a direction, and nothing else")
    return questions[0]


def _decoded(reports: Reports) -> Iterator[tuple[slice, NDArray[np.floating]]]:
    for start in range(0, len(reports), _CHUNK):
        rows = slice(start, start + _CHUNK)
        part = Reports(reports.campaign, reports.ids[rows], reports.codes[rows], seeded=reports.seeded)
        yield rows, part.decode("unbiased").toarray()
