"""Answers to questions, decoded: a number to one column, a choice to one a value, a direction to its coordinates.

Decoding is post-processing and costs no privacy. What a person was not asked is 0; ``unbiased`` answers are divided by
the share of the questions that a person answers, so that sums over people are unbiased too.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Decoding, Floats
from privge.campaign.asking import asked, questions_of
from privge.errors import BadData
from privge.questions import Question
from privge.questions.question import Asked

if TYPE_CHECKING:
    from privge.reports.reports import Reports


class Answered(NamedTuple):
    """Who answered one question: rows of the reports, and which of their codes is the answer."""

    question: Question
    asked: Asked
    rows: NDArray[np.int64]
    slots: NDArray[np.int64]


def answered(reports: "Reports") -> Iterator[Answered]:
    """Yield every question that somebody answered."""
    campaign, ids = reports.campaign, reports.ids
    for place, question in enumerate(questions_of(campaign)):
        rows, slots = np.nonzero(reports.indices == place)
        if rows.size:
            yield Answered(question, asked(campaign, place, ids[rows].tolist()), rows, slots)


def decoded(reports: "Reports", decoding: Decoding) -> scipy.sparse.csr_array:
    """Return the answers as a sparse matrix, a row for each report, the columns of all questions beside each other."""
    campaign = reports.campaign
    widths = np.array([len(question.names) for question in questions_of(campaign)], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(widths)])
    each = widths[reports.indices]
    before = np.concatenate([[0], np.cumsum(each.ravel())])  # entries of everything that stands before a code
    pointers = before[:: campaign.k]
    values, columns = np.empty(before[-1], dtype=np.float32), np.empty(before[-1], dtype=np.int32)
    rescaled = np.float32(campaign.dimensions / campaign.k if decoding == "unbiased" else 1)
    for question, who, rows, slots in answered(reports):
        place = who.question
        entries = before[rows * campaign.k + slots][:, None] + np.arange(widths[place])
        values[entries] = question.decode(reports.codes[rows, slots], who, decoding) * rescaled
        columns[entries] = starts[place] + np.arange(widths[place])
    matrix = scipy.sparse.csr_array((values, columns, pointers), shape=(len(reports), campaign.columns))
    matrix.has_sorted_indices = True
    return matrix


def log_likelihood(reports: "Reports", question: int | None) -> Floats:
    """Return the log-likelihood of every possible answer; see `privge.reports.Reports.log_likelihood`."""
    questions = questions_of(reports.campaign)
    few = [place for place, each in enumerate(questions) if each.options]
    if question is None and len(few) != 1:
        raise BadData(f"{len(few)} of the questions have a few answers; say which one is meant")
    place = few[0] if question is None else question
    out = np.zeros((len(reports), len(questions[place].options)))
    for asked_question, who, rows, slots in answered(reports):
        if who.question == place:
            out[rows] = asked_question.log_likelihood(reports.codes[rows, slots], who)
    return out
