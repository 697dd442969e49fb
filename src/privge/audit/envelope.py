"""Could honest people have sent these codes, whatever their values are? With a p-value.

*Codes.* Whatever the values, a code lies in a set *A* of codes with a probability of at most ``p(A)``, the largest over
all inputs, and draws are independent: honest codes in *A* are, in distribution, no more than a binomial of ``p(A)``.
The sets are the runs of 1, 2, 4, ... codes that tile all codes, and what is outside of each (so that too few are seen
too), as in `privge.collect.plausibility`.

*Reports.* Of a report with k codes, the codes in *A* are no more than a binomial of k and ``p(A)``. Reports with at
least ``t`` of them are therefore no more than a binomial of its tail. Liars who send the same codes k times stand out
here even if the law has only two outputs.

Codes of a report together are also what `privge.audit.wagers` bets on.

*Questions.* Each law is looked at by itself, and all of them together: answers that are the first code of their own
question, the last one, in the lower and in the upper half. Of unlike probabilities, a sum is no more spread than a
binomial of their mean (Hoeffding, 1956), from one above its expectation on.

*One p-value.* The smallest tail, times the number of tests. Of honest stores, at most a share of ``p`` has a p-value
below ``p``, whatever the values: flagging below `LEVEL` accuses at most one honest store in 1,000.

*What can be seen in principle.* Reports that honest people with some values could have sent are, to any test, those
people's. So liars who draw from the law for a false value are never seen, at any share; nor are crude liars while all
frequencies stay between those of the least and the likeliest input. A law with two outputs and one code a report allows
each of them between 1/(1+e^epsilon) and e^epsilon/(1+e^epsilon) of the codes, and hides nearly everybody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.audit.report_sets import ReportSets
from privge.audit.wagers import Wagers
from privge.collect.plausibility import binomial_tail, extremes, sums_of_runs
from privge.mechanisms import Law, Nearest
from privge.random import TOTAL

LEVEL = 1e-3
"""A p-value below this is a sign of false reports."""

Counts = NDArray[np.int64]
Blocks = Iterable[NDArray[np.integer]]


@dataclass(frozen=True, slots=True)
class Envelope:
    """What was found.

    Parameters
    ----------
    p_value
        How often honest people would send codes as strange as these, at most.
    tests
        How many sets were looked at.
    """

    p_value: float
    tests: int

    @property
    def flagged(self) -> bool:
        """Whether this is a sign of false reports."""
        return self.p_value < LEVEL


def look(law: Law, k: int, blocks: Blocks) -> Envelope:
    """Look at reports of k codes each by one law.

    Parameters
    ----------
    law, k
        The law, and how many codes a report has.
    blocks
        Codes of reports, a row for each, block by block.
    """
    sets = ReportSets.of(law, k)
    counts, reached = np.zeros(law.outputs, dtype=np.int64), sets.nothing
    for codes in blocks:
        counts += np.bincount(codes.ravel(), minlength=law.outputs)
        reached += sets.counted(codes)
    wagered = 1.0 if k == 1 else Wagers.of(k, sets.least, sets.most).p_value(reached)
    return _of_numbers(law, k, counts, sets.tails(reached), wagered)


def look_at_answers(groups: Sequence[tuple[Law | Nearest, Counts]]) -> Envelope:
    """Look at answers to questions: by laws and how often each of their codes was reported."""
    if not groups:
        return Envelope(1.0, 0)
    apart = np.concatenate([_by_code(law, counts) for law, counts in groups])
    return _together([_smallest(apart), _smallest(_pooled(groups))])


def visible_share(law: Law, k: int, reports: int) -> float | None:
    """Return the share of reports that, if all of them said the highest code, would be seen in 39 of 40 stores.

    The others are taken to be in the middle of what can be said; two standard deviations are taken off what is seen.
    """
    low, high = 0, 1024  # unseen and seen, in 1024ths
    sets = ReportSets.of(law, k)
    wagers = Wagers.of(k, sets.least, sets.most)
    if not _sees(law, sets, wagers, reports, 1.0):
        return None
    while high - low > 1:
        share = (low + high) // 2
        low, high = (low, share) if _sees(law, sets, wagers, reports, share / 1024) else (share, high)
    return high / 1024


def _sees(law: Law, sets: ReportSets, wagers: Wagers, reports: int, share: float) -> bool:
    k, liars, middle = sets.k, round(share * reports), law.weights((law.levels - 1) // 2) / TOTAL
    expected = (reports - liars) * k * middle
    expected[-1] += liars * k - 2 * np.sqrt(expected[-1])
    counts = np.maximum(expected, 0).astype(np.int64)
    wagered = wagers.expected_p_value(sets.expected(middle, reports, liars))
    return _of_numbers(law, k, counts, sets.expected_tails(middle, reports, liars), wagered).flagged


def _of_numbers(law: Law, k: int, counts: Counts, by_report: Floats, wagered: float) -> Envelope:
    by_code = _smallest(_by_code(law, counts))
    return by_code if k == 1 else _together([by_code, _smallest(by_report), Envelope(wagered, 1)])


def _by_code(law: Law | Nearest, counts: Counts) -> Floats:
    """Return the tail of each run of codes, and of what is outside of it."""
    total = int(counts.sum())
    if not total:
        return np.ones(1)
    most, least = extremes(law)
    inside = sums_of_runs(counts)
    found = np.concatenate([inside, total - inside])
    return binomial_tail(found, total, np.concatenate([most, TOTAL - least]) / TOTAL)


def _pooled(groups: Sequence[tuple[Law | Nearest, Counts]]) -> Floats:
    """Return the tails of the first, last, lower and upper codes of all questions together, and of their opposites."""
    found, expected, total = np.zeros(8, dtype=np.int64), np.zeros(8), 0
    for law, counts in groups:
        answers, half = int(counts.sum()), max(1, law.outputs // 2)
        runs = (slice(0, 1), slice(-1, None), slice(0, half), slice(law.outputs - half, None))
        inside = np.array([int(counts[run].sum()) for run in runs])
        least, most = np.array([_range(law, run) for run in runs]).T
        found += np.concatenate([inside, answers - inside])
        expected += answers * np.concatenate([most, 1 - least])
        total += answers
    tails = binomial_tail(found, max(total, 1), expected / max(total, 1))
    return np.where(found >= expected + 1, tails, 1.0)


def _range(law: Law | Nearest, run: slice) -> tuple[float, float]:
    """Return the least and the largest probability of a run of codes."""
    if isinstance(law, Nearest):
        size, same = len(range(law.outputs)[run]), int(law.weights(())[run].sum())
        inside = max(0, law.near - (law.outputs - size)), min(size, law.near)
        sums = [same + near * (law.high - law.low) for near in inside]
    else:
        sums = [int(law.weights(level)[run].sum()) for level in range(law.levels)]
    return min(sums) / TOTAL, max(sums) / TOTAL


def _smallest(tails: Floats) -> Envelope:
    return Envelope(min(1.0, float(tails.min(initial=1.0)) * tails.size), tails.size)


def _together(parts: Sequence[Envelope]) -> Envelope:
    """Return one p-value of several families of tests, which share the error alike."""
    smallest = min(part.p_value for part in parts)
    return Envelope(min(1.0, smallest * len(parts)), sum(part.tests for part in parts))
