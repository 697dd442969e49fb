"""What reports would say if nothing were hidden: everybody's values, in the units in which reports are decoded.

NOT PRIVATE, and for research alone: this is what the control *no privacy* is made of, where features are at hand.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse

from privge._typing import Floats
from privge.campaign import Campaign
from privge.campaign.asking import places_of, questions_of
from privge.errors import BadData
from privge.perturbation.features import Features
from privge.perturbation.levels import levels_of
from privge.perturbation.raw import RawFeatures
from privge.questions import Choice
from privge.questions.levels import NumericQuestion
from privge.questions.people import People
from privge.questions.subject import AboutFeature

_CHUNK = 4_096  # rows that are full at once


def true_values(campaign: Campaign, features: Features | RawFeatures) -> scipy.sparse.csr_array:
    """Return a row for each person with all of their values: low bounds are -1 and high bounds 1, of a choice 0 and 1.

    What is missing or outside its bounds counts as the campaign says.

    Parameters
    ----------
    campaign
        What was asked. A question about a whole profile has no value of its own, and is refused.
    features
        Everybody's private values.
    """
    if isinstance(features, RawFeatures):
        return scipy.sparse.csr_array(np.column_stack(list(_answers(campaign, features.matrix))), dtype=np.float32)
    return scipy.sparse.csr_array(scipy.sparse.vstack(list(_numbers(campaign, features)), format="csr"))


def _numbers(campaign: Campaign, features: Features) -> Iterator[scipy.sparse.csr_array]:
    rows, width = features.matrix.shape
    for start in range(0, rows, _CHUNK):
        part = features.matrix[start : start + _CHUNK]
        values = np.asarray(part if isinstance(part, np.ndarray) else part.toarray(), dtype=np.float64)
        places = np.broadcast_to(np.arange(width, dtype=np.int32), values.shape)
        yield scipy.sparse.csr_array(_of_levels(levels_of(campaign, values, places), campaign.law.levels))


def _answers(campaign: Campaign, people: People) -> Iterator[Floats]:
    """Yield the columns of every question."""
    for question in questions_of(campaign):
        if not isinstance(question, AboutFeature):
            raise BadData(
                f"the campaign asks a {question.kind} question about a whole profile, of which no privacy is not shown"
            )
        levels = question.answers(people, places_of(campaign, question))[0]
        if isinstance(question, Choice):
            yield np.equal.outer(levels, np.arange(len(question.names))).astype(np.float32)
        elif isinstance(question, NumericQuestion):
            yield _of_levels(levels, question.levels)[:, None]


def _of_levels(levels: np.ndarray, count: int) -> Floats:
    values: Floats = (2 * levels.astype(np.float64) / (count - 1) - 1).astype(np.float32)
    return values
