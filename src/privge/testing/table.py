"""A law as a full table of integers, and the exact checks that every law must pass.

Nothing here uses the package's own arithmetic: the bound of exp is a Taylor series in integers, the
moments are sums over the table. The negative controls go through the same functions.
"""

import math
import operator
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge.mechanisms import Law

TOTAL = 2**53
_PRECISION = 600  # bits after the point


@dataclass(frozen=True)
class Table:
    """``rows[level][code]``: integer weights; ``values[code]``: what a code decodes to."""

    rows: NDArray[np.int64]
    values: list[Fraction]

    @classmethod
    def of(cls, law: Law) -> Self:
        """Read every weight of a law."""
        return cls(np.array([law.weights(level) for level in range(law.levels)]), law.exact_values())


def exp_below(exponent: Fraction) -> Fraction:
    """Return a rigorous lower bound of exp for exponents of at least 0: all terms are positive, all are floored."""
    unit = 1 << _PRECISION
    argument = exponent.numerator * unit // exponent.denominator
    total = term = unit
    n = 0
    while term:
        n += 1
        term = term * argument // unit // n
        total += term
    return Fraction(total, unit)


def assert_rows_are_distributions(table: Table, total: int = TOTAL) -> None:
    """Refuse weights below 0 and rows that miss the total."""
    assert (table.rows >= 0).all(), "a weight is negative"
    assert [sum(row) for row in table.rows.tolist()] == [total] * len(table.rows), "a row misses the total"


def worst_ratio(table: Table) -> Fraction | None:
    """Return the largest quotient of two weights in a column; None if a possible output is impossible elsewhere."""
    possible = table.rows.max(axis=0) > 0
    highest, lowest = (side(table.rows, axis=0)[possible].tolist() for side in (np.max, np.min))
    return None if min(lowest) == 0 else max(map(Fraction, highest, lowest))


def assert_private(table: Table, epsilon: Fraction | float, uses: int = 1) -> None:
    """Refuse a table of which ``uses`` draws spend more than epsilon."""
    ratio = worst_ratio(table)
    assert ratio is not None, "an output gives its input away"
    bound = Fraction(1) if epsilon == 0 else exp_below(Fraction(epsilon))
    assert ratio**uses <= bound, f"worst ratio {float(ratio)} to the power {uses} exceeds e^{float(epsilon)}"


def moments(table: Table, level: int) -> tuple[Fraction, Fraction]:
    """Return the exact mean and variance of one row."""
    weights = table.rows[level].tolist()
    unit = math.lcm(*(value.denominator for value in table.values))
    values = [value.numerator * (unit // value.denominator) for value in table.values]
    mean = Fraction(sum(map(operator.mul, weights, values)), unit * sum(weights))
    square = Fraction(sum(w * v * v for w, v in zip(weights, values, strict=True)), unit**2 * sum(weights))
    return mean, square - mean**2


def assert_linear_mean(table: Table, tolerance: float = 0.0) -> None:
    """Refuse a mean that does not grow linearly with the input, or does not vanish at the midpoint."""
    steps = len(table.rows) - 1
    means = [moments(table, level)[0] for level in range(steps + 1)]
    assert means[-1] > 0, "the mean does not grow with the input"
    for level, mean in enumerate(means):
        expected = means[-1] * (Fraction(2 * level, steps) - 1)
        assert abs(mean - expected) <= tolerance, f"the mean at level {level} is off the line"
