"""Sets of codes that are counted report by report: liars who say the same k times stand out there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.collect.plausibility import binomial_tail
from privge.mechanisms import Law
from privge.random import TOTAL

_MANY = 64  # outputs, from which on the runs at both ends alone are looked at

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ReportSets:
    """Some runs of codes, and how probable each is at most.

    Parameters
    ----------
    k
        Codes in a report.
    starts, stops
        The codes of each run, from the first to before the last.
    least, most
        Its least and largest probability, over all inputs.
    outputs
        How many codes there are.
    """

    k: int
    starts: Counts
    stops: Counts
    least: Floats
    most: Floats
    outputs: int

    @classmethod
    def of(cls, law: Law, k: int) -> "ReportSets":
        """Return the runs of a law: those that tile its codes, or those at either end if there are many codes."""
        starts, stops = np.array(_runs(law.outputs), dtype=np.int64).reshape(-1, 2).T
        least, most = np.full(len(starts), TOTAL, dtype=np.int64), np.zeros(len(starts), dtype=np.int64)
        if k > 1:  # else nobody asks
            for level in range(law.levels):
                inside = _inside(law.weights(level), starts, stops)
                np.maximum(most, inside, out=most)
                np.minimum(least, inside, out=least)
        return cls(k, starts, stops, least / TOTAL, most / TOTAL, law.outputs)

    @property
    def nothing(self) -> Counts:
        """The counts of no reports."""
        return np.zeros((len(self.starts), self.k + 1), dtype=np.int64)

    def counted(self, codes: NDArray[np.integer]) -> Counts:
        """Return, for each run, how many reports have 0, 1, ..., k codes in it."""
        if self.k == 1:
            return self.nothing
        inside = (((codes >= start) & (codes < stop)).sum(axis=1) for start, stop in self._ranges)
        return np.array([np.bincount(each, minlength=self.k + 1) for each in inside])

    def tails(self, reached: Counts) -> Floats:
        """Return the tail of each run and number of codes in it, from what `counted` adds up to."""
        return self._tails(_at_least(reached), int(reached[0].sum()))

    def expected(self, honest: Floats, reports: int, liars: int) -> Floats:
        """Return what `counted` is expected to be, if liars all say the highest code."""
        inside = np.array([honest[start:stop].sum() for start, stop in self._ranges])
        each = np.arange(self.k + 1)
        reaching = np.array([binomial_tail(each, self.k, np.full(self.k + 1, p)) for p in inside])
        found = (reports - liars) * (reaching - np.pad(reaching[:, 1:], ((0, 0), (0, 1))))
        found[:, -1] += np.where(self.stops == self.outputs, liars, 0)
        found[:, 0] += np.where(self.stops == self.outputs, 0, liars)
        return np.asarray(found)

    def expected_tails(self, honest: Floats, reports: int, liars: int) -> Floats:
        """Return the same for what is expected, less two standard deviations, if liars all say the highest code."""
        inside = np.array([honest[start:stop].sum() for start, stop in self._ranges])
        each = np.arange(1, self.k + 1)
        reaching = np.array([binomial_tail(each, self.k, np.full(self.k, p)) for p in inside]) * (reports - liars)
        told = np.where(self.stops == self.outputs, liars, 0)[:, None]
        found = np.maximum(reaching - 2 * np.sqrt(reaching), 0) + told
        return self._tails(found.astype(np.int64), reports)

    def _tails(self, found: Counts, reports: int) -> Floats:
        each = np.arange(1, self.k + 1)
        chances = np.array([binomial_tail(each, self.k, np.full(self.k, p)) for p in self.most])
        return binomial_tail(found.ravel(), max(reports, 1), np.minimum(chances.ravel(), 1.0))

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        return list(zip(self.starts.tolist(), self.stops.tolist(), strict=True))


def _runs(outputs: int) -> list[tuple[int, int]]:
    sizes = [2**bits for bits in range(max(1, (outputs - 1).bit_length()))]
    if outputs <= _MANY:
        return [(at, min(at + size, outputs)) for size in sizes for at in range(0, outputs, size)]
    return [run for size in sizes for run in ((0, size), (outputs - size, outputs))]


def _inside(weights: Counts, starts: Counts, stops: Counts) -> Counts:
    sums = np.concatenate([[0], np.cumsum(weights)])
    return np.asarray(sums[stops] - sums[starts])


def _at_least(reached: Counts) -> Counts:
    """Return how many reports have at least 1, 2, ..., k codes in each run."""
    return np.asarray(np.cumsum(reached[:, ::-1], axis=1)[:, ::-1][:, 1:])
