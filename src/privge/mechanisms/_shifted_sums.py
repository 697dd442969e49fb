"""The summed weights of every level of a law at once, where levels have the same ones, shifted and tilted.

Level ``i`` has a ``shift`` and a ``tilt`` of its own, and up to code ``t`` the weight ``base[j] + tilt * slope[j]``
with the *place* ``j = t + shift``; what lies before its first or behind its last code counts there. On top of that, the
spare words of the law go to its two middle codes. A word selects the first code up to which there is more weight.

`ShiftedSums.code` finds it for a device: it compares the word with every entry, so that neither the instructions nor
the addresses that are read say which level or which word it was.

`ShiftedSums.codes` finds the same for simulations, where bisection in thousands of entries would be the slowest part of
a draw. A *guide* says for a word where to begin. Weights of a geometric law shrink by a factor from place to place, so
the guide tells words apart by their binary exponent and the next few bits, counted from the nearer end: wherever the
word falls, a handful of places are left, and a number of steps that the law alone decides finds the one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Levels, Words
from privge.mechanisms.law import middle_codes
from privge.random import TOTAL

Integers = NDArray[np.int64]

GUIDE_BITS = 7
"""Bits after the leading one that the guide looks at: 128 entries of two bytes for each power of two."""


@dataclass(frozen=True)
class ShiftedSums:
    """Sums by place, and what each level makes of them.

    Parameters
    ----------
    base, slope
        Weight up to each place at tilt 0, and what a tilt of 1 adds to it. At no tilt of a level do the sums decrease.
    tilts, shifts
        Of every level: its tilt, and the place of its first code.
    outputs
        Number of codes.
    spare
        Words that are left for the middle codes.
    """

    base: Integers
    slope: Integers
    tilts: Integers
    shifts: Integers
    outputs: int
    spare: int

    def code(self, tilt: int, shift: int, word: int) -> int:
        """Return the code that a word selects at a tilt and a shift, by comparing it with every sum."""
        sums = self.base + tilt * self.slope
        lower, upper = (code + shift for code in middle_codes(self.outputs))
        # Up to the lower middle code there is no spare in a sum, up to the upper one half of it, from there on all.
        none, half, whole = (int(np.count_nonzero(sums <= word - spare)) for spare in (0, self.spare // 2, self.spare))
        place = min(none, lower) + min(max(half, lower), upper) - lower + max(whole, upper) - upper
        return min(max(place - shift, 0), self.outputs - 1)

    def codes(self, levels: Levels, words: Words) -> Codes:
        """Do the same as `code` for whole arrays, compiled."""
        from privge.mechanisms import _kernels

        guide, reach = self._guide
        half = self.spare // 2
        out = np.empty(levels.shape, dtype=np.uint16)
        _kernels.guided_codes(
            levels.ravel(), words.ravel(), out.ravel(), self._of_levels, self._padded, guide, reach,
            TOTAL - self.spare, half, self.spare - half, self.outputs - 1,
        )  # fmt: skip
        return out

    @cached_property
    def _of_levels(self) -> Integers:
        """Tilt, shift and the sums up to the two middle codes, a row for each level."""
        middle = [code + self.shifts for code in middle_codes(self.outputs)]
        sums = [self.base[places] + self.tilts * self.slope[places] for places in middle]
        return np.stack([self.tilts, self.shifts, *sums], axis=1)

    @cached_property
    def _padded(self) -> Integers:
        """Base and slope side by side, with as many sums above every word behind them as a search can reach."""
        _, reach = self._guide
        rows = np.zeros((self.base.size + reach + 2, 2), dtype=np.int64)
        rows[:, 0] = TOTAL
        rows[: self.base.size] = np.stack([self.base, self.slope], axis=1)
        return rows

    @cached_property
    def _guide(self) -> tuple[NDArray[np.uint16], int]:
        """First place that the words of each entry can select, and how far beyond it the right one can be.

        Sums are linear in the tilt, so at every level they lie between those of the smallest and the largest tilt.
        """
        ends = [self.base + int(tilt) * self.slope for tilt in (self.tilts.min(), self.tilts.max())]
        low, high = _words_by_entry(TOTAL - self.spare)
        first = np.searchsorted(np.maximum(*ends), low, side="right")
        last = np.searchsorted(np.minimum(*ends), high, side="right")
        return first.astype(np.uint16), int((last - first)[low <= high].max())


def _words_by_entry(total: int) -> tuple[Integers, Integers]:
    """Return the lowest and the highest word of each entry: entries of the lower half of all words, then the others.

    With ``n`` words from the nearer end to this one, itself included, its entry is made of the exponent of ``n`` and
    the `GUIDE_BITS` after its leading bit, as in a float. Entries of small ``n`` have no word: their highest is below
    their lowest.
    """
    exponent, fraction = np.divmod(np.arange(((total // 2).bit_length() << GUIDE_BITS) + 1), 1 << GUIDE_BITS)
    scaled = (fraction + (1 << GUIDE_BITS)) << exponent
    bounds = -(-scaled >> GUIDE_BITS)  # rounded up
    near, far = bounds[:-1] - 1, bounds[1:] - 2
    return np.concatenate([near, total - 1 - far]), np.concatenate([far, total - 1 - near])
