"""Choose the integers of the Laplace law (``laplace.py``) for an epsilon and a grid.

Nothing here is needed to believe the law: whatever is chosen, ``laplace.py`` checks the integers and
computes their exact worst ratio. This file only makes them good: fine cells, long tails, few spare words.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from privge.mechanisms.exponential import exp_below
from privge.random import TOTAL

_TAIL_BITS = 28  # clamp where at most 2**-28 of the noise lies beyond, if the integers reach so far

LONGEST_MARGIN = math.ceil(_TAIL_BITS * math.log(2) * 256)
"""Most cells beyond an end of the input range that a fit makes: a cell is at least a 256th of the noise scale, since
there are at most 64 to a scale, which rounding up to whole cells and the choice between them double at most."""


@dataclass(frozen=True, slots=True)
class GeometricFit:
    """The integers of a Laplace law, named as there."""

    cells: int
    spread: int
    centre: int
    tails: tuple[int, ...]


def fit_geometric(epsilon: Fraction, steps: int) -> GeometricFit:
    """Return the finest law that ``2**53`` words can express on a grid of ``steps + 1`` levels."""
    resolution = min(64, max(4, steps // 16))  # cells per noise scale
    wanted = float(min(epsilon, Fraction(steps))) * resolution  # cells that the input range should span
    if wanted <= 0.5:
        return _fit_narrow(exp_below(epsilon), resolution)
    # Between the wanted number of cells and twice that, take the one that mixes neighbours in the fewest parts.
    least = min(steps, math.ceil(wanted))
    cells = max(range(least, min(steps, 2 * least) + 1), key=lambda n: math.gcd(steps, n))
    budget = _budget(steps // math.gcd(steps, cells))
    return _fit(cells, 1, exp_below(_expressible(epsilon, cells, budget) / cells), budget)


def _fit_narrow(rho: Fraction, resolution: int) -> GeometricFit:
    tau, cell = (rho - 1) / (rho + 1), Fraction(1, 2 * resolution)
    spread = TOTAL if tau * TOTAL < cell else math.floor(cell / tau)
    # At a spread of 2**53 no weight can move by a whole unit: the rows are equal, whatever the anchors are.
    tilt = cell if spread == TOTAL else spread * tau
    return _fit(1, spread, (1 + tilt) / (1 - tilt), _budget(1))


def _fit(cells: int, spread: int, rho: Fraction, budget: int) -> GeometricFit:
    growth = float(rho - 1)
    least = _least_end(growth)
    margin = math.ceil(_TAIL_BITS * math.log(2) / math.log1p(growth))
    while margin > 1 and _mass(_sequence(least, rho, margin + cells)) > budget:
        margin -= 1 + margin // 64
    low, high = least, budget
    while low < high:  # the heaviest end that fits
        end = (low + high + 1) // 2
        fits = _mass(_sequence(end, rho, margin + cells)) <= budget
        low, high = (end, high) if fits else (low, end - 1)
    centre, *sides = (2 * weight for weight in _sequence(low, rho, margin + cells))
    return GeometricFit(cells, spread, centre, tuple(accumulate(reversed(sides)))[::-1])


def _budget(mixing: int) -> int:
    """Return what a sequence may weigh: half of the words, since it is doubled to be even."""
    return TOTAL // (2 * mixing)


def _least_end(growth: float) -> int:
    """Return an end weight at which rounding down costs little of the growth and of the words."""
    return math.ceil(16 / growth**2) + 1024


def _expressible(epsilon: Fraction, cells: int, budget: int) -> Fraction:
    """Lower epsilon until the words span the input range and a margin (a fifth, at least a cell)."""
    reach = 1 + max(0.2, 1 / cells)
    epsilon = min(epsilon, Fraction(math.log(budget)))
    while reach * epsilon > math.log(budget / 2 / _least_end(math.expm1(epsilon / cells))):
        epsilon *= Fraction(19, 20)
    return epsilon


def _sequence(end: int, rho: Fraction, length: int) -> list[int]:
    """Return ``h[0], ..., h[length]``: as large as the inequalities of ``laplace.py`` allow."""
    sequence = [end, math.floor((rho - 1) * end)]
    for _ in range(length - 1):
        sequence.append(sequence[-1] * rho.numerator // rho.denominator)
    return sequence[::-1]


def _mass(sequence: list[int]) -> int:
    return 2 * sum(sequence) - sequence[0]
