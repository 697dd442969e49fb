"""Laplace mechanism on a grid: a two-sided geometric law, clamped to a public range.

Outputs are equally spaced *cells*. An *anchor* row puts an integer, decreasing sequence ``h[0], h[1],
...`` on the cells at distance 0, 1, ... from the anchor's own cell; ``tails[d-1] = h[d] + h[d+1] + ...``
is what lies at distance ``d`` or more on one side. Whatever falls outside the range is counted at its
end. The sequence satisfies, with a rational ``rho`` and the last entry ``h[E] = tails[-1]``,

    ``h[E-1] <= (rho - 1) tails[-1]``   and   ``h[d] <= rho h[d+1]``   for ``d < E - 1``;

so neighbouring anchors differ by at most the factor ``rho`` in every column: inside the range by the
second inequality; at its ends because ``tails[d] <= rho tails[d+1]`` follows by induction from both.

Levels are placed between anchors in one of two ways, and ``epsilon`` holds in both:

* *Wide* (``spread = 1``; ``epsilon`` at least about the cell): the input range spans ``cells`` cells, with
  an anchor at each end of each. A level between two anchors mixes their rows in integer proportions.
  A mixture lies between its parts, so any two levels differ by at most ``rho**cells <= exp(epsilon)``.
* *Narrow* (``spread > 1``, ``cells = 1``; small epsilon): the range is a ``spread``-th of one cell. With
  anchor weights ``L``, ``R`` of a column, level ``i`` has ``(L+R)/2 + (2i-N) trunc((R-L) / (2 N spread))``.
  Since ``|R-L| / (R+L) <= (rho-1) / (rho+1) = spread * tau``, it lies within ``(1 -+ tau) (L+R)/2``, and
  ``(1+tau) / (1-tau) <= exp(epsilon)`` by the choice of ``tau``.

What is left of ``W = 2**53`` goes to the middle cells for every input alike, which only lowers ratios. The
mean is linear in the level up to the clamping of the far tails; `bias` states it exactly.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Floats, Levels, Words
from privge.mechanisms._geometric_fit import LONGEST_MARGIN, fit_geometric
from privge.mechanisms._shifted_sums import ShiftedSums
from privge.mechanisms.continuous import ContinuousLimit
from privge.mechanisms.law import IntegerValues, Law, with_spare
from privge.mechanisms.mechanism import check_levels
from privge.random import TOTAL


@dataclass(frozen=True)
class Laplace(Law):
    """Clamped two-sided geometric law.

    Parameters
    ----------
    levels
        Number of levels of the public grid to which inputs are rounded, at least 2.
    cells
        Cells that the input range spans, at most ``levels - 1``.
    spread
        Width of a cell in input ranges; above 1 only if ``cells`` is 1.
    centre
        Weight ``h[0]`` of an anchor's own cell.
    tails
        Weights at distance 1, 2, ... or more on one side of the anchor, strictly decreasing.
    """

    name = "laplace"
    label = "Laplace"
    colour = "#c2410c"
    rescaled = True
    epsilon_per_feature = 2.5

    levels: int
    cells: int
    spread: int
    centre: int
    tails: tuple[int, ...]

    def __post_init__(self) -> None:
        steps = check_levels(self.levels) - 1
        if not 1 <= self.cells <= steps:
            raise ValueError(f"cells must be between 1 and levels - 1, got {self.cells}")
        if self.spread < 1 or (self.spread > 1 and self.cells > 1):
            raise ValueError(f"spread must be 1, or above 1 with a single cell, got {self.spread}")
        weights = np.array([self.centre, *self.tails], dtype=np.int64)
        if self._margin < 1 or weights.min() < 2 or (weights % 2).any():
            raise ValueError("tails must be longer than cells, all weights even and above 0")
        by_distance = self._by_distance
        if by_distance[-1] < 1 or (by_distance[:-1] < by_distance[1:]).any():
            raise ValueError("weights must not grow with the distance from the anchor")
        if self._spare < 0:
            raise ValueError("weights must sum to at most 2**53")
        if self._margin > LONGEST_MARGIN:  # a document must not make a device do more than a fitted law would
            raise ValueError(
                f"tails must reach at most {LONGEST_MARGIN:,} cells beyond the range, got {self._margin:,}"
            )

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | float, levels: int) -> Self:
        fit = fit_geometric(Fraction(epsilon), check_levels(levels) - 1)
        return cls(levels, fit.cells, fit.spread, fit.centre, fit.tails)

    @classmethod
    def continuous_limit(cls, epsilon: float) -> ContinuousLimit:
        return ContinuousLimit(gain=1.0, constant=8 / epsilon**2, slope=1.0)

    @property
    def outputs(self) -> int:
        return self.cells + 1 + 2 * self._margin

    def weights(self, level: int) -> NDArray[np.int64]:
        steps = self.levels - 1
        if self.spread > 1:
            even, tilt = self._narrow
            row = even + (2 * level - steps) * tilt
        else:
            mixing = self._mixing
            position, part = divmod(level * self.cells * mixing // steps, mixing)
            row = (mixing - part) * self._anchor(position)
            if part:
                row += part * self._anchor(position + 1)
        return with_spare(row, self._spare)

    def code(self, level: int, word: int) -> int:
        return self._sums.code(*self._placed(level), word)

    def _codes(self, levels: Levels, words: Words) -> Codes:
        return self._sums.codes(levels, words)

    @cached_property
    def worst_ratio(self) -> Fraction:
        # By symmetry the left half decides; there the first level is the nearest, the last the farthest.
        first, last = (self.weights(level)[: self._margin + 1] for level in (0, self.levels - 1))
        quotients = first / last
        near = np.flatnonzero(quotients > (1 - 2**-50) * quotients.max())  # a float is within 2**-52 of its quotient
        return max(Fraction(int(first[code]), int(last[code])) for code in near)

    @cached_property
    def gain(self) -> Fraction:
        return self.moments(self.levels - 1)[0]

    def moments(self, level: int) -> tuple[Fraction, Fraction]:
        if self.spread > 1:
            (even, even_square), (tilt, tilt_square) = self._narrow_moments
            half_steps = 2 * level - self.levels + 1
            return even + half_steps * tilt, even_square + half_steps * tilt_square
        mixing = self._mixing
        position, part = divmod(level * self.cells * mixing // (self.levels - 1), mixing)
        near, far = self._anchor_moments(position), self._anchor_moments(min(position + 1, self.cells))
        # What is left of W is even, and lies on the middle codes: both 1 from the middle if there are two, and else 0.
        spare = self._spare if self.outputs % 2 == 0 else 0
        mean = (mixing - part) * near[0] + part * far[0]
        second = (mixing - part) * near[1] + part * far[1] + spare
        return Fraction(mean, self.cells * TOTAL), Fraction(second, self.cells**2 * TOTAL)

    def exact_values(self) -> list[Fraction]:
        return [Fraction(value, self.cells) for value in self._numerators]

    @cached_property
    def values(self) -> Floats:
        return np.array([value / self.cells for value in self._numerators])  # whole numbers: rounded once

    @property
    def _numerators(self) -> range:
        """What codes stand for, times `cells`."""
        return range(-(self.outputs - 1) * self.spread, self.outputs * self.spread, 2 * self.spread)

    def _anchor_moments(self, position: int) -> tuple[int, int]:
        """Return the sums of weight times value, and times its square, of an anchor's row; values times `cells`.

        With ``X`` the distance on one side, of weight ``tails[d-1]`` for ``X >= d``, and clamped at ``D`` cells, the
        sum of ``min(X, D)`` is ``tails[0] + ... + tails[D-1]``, and that of its square has factors 1, 3, 5, ... in it.
        """
        left, right = self._margin + position, self._margin + self.cells - position
        sums, squares = self._tail_sums
        own, total = left - right, self.centre + 2 * self.tails[0]  # the value of the anchor's own cell
        mean, square = sums[right] - sums[left], squares[right] + squares[left]
        return own * total + 2 * mean, own**2 * total + 4 * own * mean + 4 * square

    @cached_property
    def _tail_sums(self) -> tuple[list[int], list[int]]:
        odd = range(1, 2 * len(self.tails), 2)
        return [0, *accumulate(self.tails)], [0, *accumulate(n * tail for n, tail in zip(odd, self.tails, strict=True))]

    @cached_property
    def _narrow_moments(self) -> list[tuple[Fraction, Fraction]]:
        even, tilt = self._narrow
        values = IntegerValues(list(self._numerators), self.cells)
        return [values.moments(row.tolist()) for row in (with_spare(even, self._spare), tilt)]

    def _anchor(self, position: int) -> NDArray[np.int64]:
        """Return the row of the anchor ``position`` cells from the lower end of the input range."""
        distance = np.abs(np.arange(self.outputs) - self._margin - position)
        row: NDArray[np.int64] = self._by_distance[np.minimum(distance, self._by_distance.size - 1)]
        row[0] = self.tails[self._margin + position - 1]
        row[-1] = self.tails[self._margin + self.cells - position - 1]
        return row

    @cached_property
    def _by_distance(self) -> NDArray[np.int64]:
        tails = np.array(self.tails, dtype=np.int64)
        return np.array([self.centre, *(tails[:-1] - tails[1:])], dtype=np.int64)

    @cached_property
    def _sums(self) -> ShiftedSums:
        """Weight up to each distance from the anchor before a level, or of a narrow law up to each code."""
        if self.spread > 1:
            base, slope = (np.cumsum(row) for row in self._narrow)
        else:
            total, tails = self.centre + 2 * self.tails[0], np.array(self.tails, dtype=np.int64)
            anchor = np.concatenate([[0], tails[::-1], total - tails])
            base, slope = self._mixing * anchor[1:], anchor[:-1] - anchor[1:]
        placed = [self._placed(level) for level in range(self.levels)]
        tilts, shifts = np.array(placed, dtype=np.int64).T
        return ShiftedSums(base, slope, tilts, shifts, self.outputs, self._spare)

    def _placed(self, level: int) -> tuple[int, int]:
        """Return the tilt and the shift of a level (``_shifted_sums.py``)."""
        steps, mixing = self.levels - 1, self._mixing
        # From one range below on, where nothing is 0 at level 0, for which Python's integers have a shorter way.
        position, part = divmod((level + steps) * self.cells * mixing // steps, mixing)
        return (2 * level - steps, 0) if self.spread > 1 else (part, 2 * self.cells - position)

    @property
    def _narrow(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        left, right = self._anchor(0), self._anchor(1)
        divisor = min(2 * (self.levels - 1) * self.spread, 2**62)  # beyond 2**53 every tilt is 0
        return (left + right) // 2, np.sign(right - left) * (np.abs(right - left) // divisor)

    @property
    def _margin(self) -> int:
        """Cells of the output range beyond each end of the input range."""
        return len(self.tails) - self.cells

    @property
    def _spare(self) -> int:
        return TOTAL - self._mixing * (self.centre + 2 * self.tails[0])

    @property
    def _mixing(self) -> int:
        """Parts into which levels divide the way from one anchor to the next."""
        steps = self.levels - 1
        return 1 if self.spread > 1 else steps // math.gcd(steps, self.cells)
