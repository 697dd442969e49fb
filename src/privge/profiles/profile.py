"""`profile`: the mean of every feature in every group, with intervals and differences."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph.labels import LabelsById
from privge.profiles.columns import Columns
from privge.profiles.differences import adjusted, p_values
from privge.profiles.groups import Groups
from privge.profiles.intervals import Intervals, expected_half_width
from privge.profiles.tallies import Tallies
from privge.reports import Reports

logger = logging.getLogger(__name__)

WIDEST = 0.25
"""An interval that may reach farther than this share of the range to either side tells nothing."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What is asked of a profile.

    Where an interval may reach farther to either side than the share ``widest`` of the range, *cannot be told* is said
    instead. It depends on how many answered and on the law, never on the answers.

    Parameters
    ----------
    confidence
        Share of the intervals that hold the true mean.
    false_discoveries
        Expected share, at most, of false ones among the differences that are shown.
    """

    confidence: float = 0.95
    false_discoveries: float = 0.05
    widest: float = WIDEST

    def __post_init__(self) -> None:
        for name in ("confidence", "false_discoveries"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} must be between 0 and 1, got {getattr(self, name)!r}")
        if not self.widest > 0:
            raise ValueError(f"widest must be above 0, got {self.widest!r}")

    @property
    def z(self) -> float:
        """Standard deviations to either side."""
        return float(scipy.stats.norm.ppf((1 + self.confidence) / 2))


USUAL = Demands()
"""Intervals of 95 %, one false difference in twenty."""


@dataclass(frozen=True, eq=False, slots=True)
class Profile:
    """The mean of every column in every group. Matrices have a row for each group and a column for each column.

    Parameters
    ----------
    groups, people, answers
        What the groups are called, how many of each reported, and how many of them answered in each column.
    inside, rest
        Means and intervals of each group, and of everybody who is not in it.
    half_widths
        How far an interval could reach to either side, before any answer was seen.
    p, q
        The p-value of the difference from the rest, and the same adjusted for the number of cells.
    shuffled
        A control: how many cells would be shown as different had the groups been dealt out at random.
    ungrouped
        How many reported and are in no group; they are a part of the rest.
    silent
        How many are in a group and did not report; nothing is said of them.
    blank
        How many are named in the table of groups without a group.
    """

    campaign: Campaign
    groups: tuple[str, ...]
    columns: Columns
    demands: Demands
    people: NDArray[np.int64]
    answers: NDArray[np.int64]
    inside: Intervals
    rest: Intervals
    half_widths: Floats
    p: Floats
    q: Floats
    shuffled: int
    ungrouped: int
    silent: int = 0
    blank: int = 0

    @property
    def told(self) -> NDArray[np.bool_]:
        """Of which cells something can be told."""
        return np.asarray(self.half_widths <= self.demands.widest)

    @property
    def differs(self) -> NDArray[np.int64]:
        """1 where a group is shown to be above the rest, -1 where it is below, 0 elsewhere."""
        with np.errstate(invalid="ignore"):
            found = self.told & (self.q <= self.demands.false_discoveries)
            return np.where(found, np.sign(self.inside.mean - self.rest.mean), 0).astype(np.int64)

    @property
    def found(self) -> list[tuple[int, int]]:
        """The cells that differ, the clearest first: group and column."""
        rows, columns = np.nonzero(self.differs)
        order = np.lexsort((columns, rows, self.p[rows, columns]))
        return [(int(rows[each]), int(columns[each])) for each in order]


@dataclass(frozen=True, eq=False, slots=True)
class _Compared:
    """Groups beside the rest."""

    groups: Tallies
    rest: Tallies
    half_widths: Floats
    p: Floats
    q: Floats

    @classmethod
    def of(cls, columns: Columns, tallies: Tallies, count: int, demands: Demands) -> Self:
        groups, rest = tallies.first(count), tallies.rest().first(count)
        half_widths = expected_half_width(columns, groups.answers, demands.z)
        p = p_values(columns, groups, rest)
        beside = expected_half_width(columns, rest.answers, demands.z)
        return cls(groups, rest, half_widths, p, adjusted(p, np.maximum(half_widths, beside) <= demands.widest))


def profile(
    reports: Reports,
    groups: Groups | LabelsById,
    *,
    demands: Demands = USUAL,
    seed: int = 0,
    progress: Progress | None = None,
) -> Profile:
    """Return the mean of every feature in every group, with intervals from the exactly known noise.

    Post-processing: it costs no privacy. Estimates are unbiased by construction; `privge.profiles.intervals` says of
    what, and what the intervals hold.

    Parameters
    ----------
    reports
        At most one report of each person.
    groups
        A public grouping: `Groups`, or groups by id (a mapping, a Series, ids and groups as two arrays).
    demands
        Confidence, false discoveries, and when nothing can be told.
    seed
        Of the control in which groups are dealt out at random.
    progress
        Called with the reports done and the reports in all; those of the control count too.
    """
    grouping = groups if isinstance(groups, Groups) else Groups.of(groups)
    columns, count = Columns.of(reports.campaign), len(grouping)
    rows = grouping.rows(reports.ids)
    ungrouped = int((rows == count).sum())
    _remark(grouping, rows, ungrouped)
    dealt = np.random.default_rng(seed).permutation(rows)
    tallies = [
        Tallies.of(reports, each, count + 1, _counted(progress, turn * len(rows), 2 * len(rows)))
        for turn, each in enumerate((rows, dealt))
    ]
    made, control = (_Compared.of(columns, each, count, demands) for each in tallies)
    with np.errstate(invalid="ignore"):
        shuffled = int((control.q <= demands.false_discoveries).sum())
    return Profile(
        reports.campaign,
        grouping.names,
        columns,
        demands,
        made.groups.people,
        made.groups.answers,
        Intervals.of(columns, made.groups, demands.z),
        Intervals.of(columns, made.rest, demands.z),
        made.half_widths,
        made.p,
        made.q,
        shuffled,
        ungrouped,
        len(grouping.ids) - (len(rows) - ungrouped),
        grouping.blank,
    )


def expected(campaign: Campaign, people: NDArray[np.integer], *, demands: Demands = USUAL) -> Floats:
    """Return how far intervals will reach to either side at most, as a share of the range, before anybody is asked.

    Parameters
    ----------
    campaign
        What would be asked.
    people
        How many of each group would report; each of them answers a column with probability k / questions.
    demands
        The confidence.
    """
    columns = Columns.of(campaign)
    answers = np.asarray(people, dtype=np.float64)[:, None] * campaign.k / campaign.dimensions
    return expected_half_width(columns, np.broadcast_to(answers, (len(answers), len(columns))), demands.z)


def _counted(progress: Progress | None, before: int, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(before + done, total)


def _remark(groups: Groups, rows: NDArray[np.int64], ungrouped: int) -> None:
    reported = len(rows) - ungrouped
    if not reported:
        raise BadData(
            f"none of the {len(rows):,} people who reported is in a group; are ids written alike in both? 007 is not "
            "7, and blanks count"
        )
    logger.info(
        "%s of %s people in %s groups reported; %s who reported are in none of the groups and count as the rest",
        f"{reported:,}",
        f"{len(groups.ids):,}",
        f"{len(groups):,}",
        f"{ungrouped:,}",
    )
