"""Answers of a campaign of questions, counted by the law that each of them went through."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from privge.campaign import Campaign
from privge.campaign.asking import asked, questions_of
from privge.campaign.indices import indices_matrix
from privge.ids import Ids
from privge.questions.question import AnyLaw

Group = tuple[AnyLaw, NDArray[np.int64]]
"""A law, and how often each of its codes was reported."""


def answers_by_law(campaign: Campaign, blocks: Iterable[tuple[Ids, NDArray[np.integer]]]) -> list[Group]:
    """Return a group for each question and number of classes that somebody answered.

    Parameters
    ----------
    campaign
        With its shards at hand, if it assigns classes. All people must be asked, and their codes in range.
    blocks
        Ids and codes of reports.
    """
    counts: dict[tuple[int, int | None], NDArray[np.int64]] = {}
    for ids, codes in blocks:
        indices = indices_matrix(campaign.id, ids.tolist(), campaign.dimensions, campaign.k)
        for place, question in enumerate(questions_of(campaign)):
            rows, slots = np.nonzero(indices == place)
            answers = codes[rows, slots]
            for size, some in _sizes(campaign, place, ids[rows].tolist()):
                outputs = question.law_of(size).outputs
                found = np.bincount(answers[some], minlength=outputs)
                counts[place, size] = counts.get((place, size), np.zeros(outputs, dtype=np.int64)) + found
    questions = questions_of(campaign)
    return [(questions[place].law_of(size), found) for (place, size), found in counts.items()]


def _sizes(campaign: Campaign, place: int, nodes: list[object]) -> list[tuple[int | None, NDArray[np.bool_]]]:
    """Return the numbers of classes that nodes are asked about, and which nodes."""
    classes = asked(campaign, place, nodes).classes
    if classes is None:
        return [(None, np.ones(len(nodes), dtype=np.bool_))]
    sizes = (classes >= 0).sum(axis=1)
    return [(int(size), sizes == size) for size in np.unique(sizes)]
