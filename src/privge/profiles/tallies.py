"""Answers summed by group and column: all that a profile needs of the reports."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.questions import Choice, Model
from privge.reports import Reports
from privge.reports.answers import answered

_ROWS = 1 << 16  # reports that are decoded at once


class _Part(NamedTuple):
    """Unbiased answers as places between the bounds: which report, which column, which place."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    places: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Tallies:
    """Sums of unbiased answers, a row for each group and a column for each column of the campaign.

    Parameters
    ----------
    people, answers
        How many of each group reported, whatever they were asked, and how many of them answered in each column.
    sums, squares, cubes
        Of their unbiased answers, as places between the bounds.
    """

    people: NDArray[np.int64]
    answers: NDArray[np.int64]
    sums: Floats
    squares: Floats
    cubes: Floats

    @classmethod
    def of(
        cls, reports: Reports, groups: NDArray[np.int64], count: int, done: Callable[[int], None] | None = None
    ) -> Self:
        """Sum the answers.

        Parameters
        ----------
        reports
            Those of everybody.
        groups
            The group of each report, below ``count``.
        count
            How many groups there are.
        done
            Called with the reports that are summed.
        """
        shape = (count, reports.campaign.columns)
        totals = [np.zeros(shape[0] * shape[1]) for _ in range(4)]
        for start in range(0, len(reports), _ROWS):
            some = np.arange(start, min(start + _ROWS, len(reports)))
            for part in _parts(reports.take(some)):
                cells = groups[some][part.rows] * shape[1] + part.columns
                for total, power in zip(totals, range(4), strict=True):
                    np.add(total, np.bincount(cells, part.places**power, minlength=len(total)), out=total)
            if done is not None:
                done(int(some[-1]) + 1)
        answers, *powers = (total.reshape(shape) for total in totals)
        return cls(np.bincount(groups, minlength=count), answers.astype(np.int64), *powers)

    def rest(self) -> Self:
        """Return for each group the sums of everybody who is not in it."""
        totals = (getattr(self, name) for name in Tallies.__slots__)
        return type(self)(*(total.sum(axis=0) - total for total in totals))

    def first(self, count: int) -> Self:
        """Return the sums of the first groups."""
        return type(self)(*(getattr(self, name)[:count] for name in Tallies.__slots__))

    def plus(self, other: Self) -> Self:
        """Return the sums of both."""
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in Tallies.__slots__))


def _parts(reports: Reports) -> Iterator[_Part]:
    campaign = reports.campaign
    if campaign.questions is None:
        values = campaign.law.decode(reports.codes, "unbiased")
        rows = np.repeat(np.arange(len(reports)), campaign.k)
        yield _Part(rows, reports.indices.ravel().astype(np.int64), (values.ravel() + 1) / 2)
        return
    starts = [0, *accumulate(len(question.names) for question in campaign.questions)]
    for question, who, rows, slots in answered(reports):
        values = question.decode(reports.codes[rows, slots], who, "unbiased").astype(np.float64)
        places = values if isinstance(question, Choice | Model) else (values + 1) / 2
        columns = np.arange(starts[who.question], starts[who.question + 1])
        yield _Part(np.repeat(rows, len(columns)), np.tile(columns, len(rows)), places.ravel())
