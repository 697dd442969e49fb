"""Rigorous rational bounds of exp and log: the only place where ``e`` meets the integers.

``decimal`` rounds ``exp`` and ``ln`` correctly (it documents that their error is at most half a unit in the last
place), so one step down, or up, from its answer is a proven bound.
"""

import math
from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction

_DIGITS = 50
_LARGEST = Fraction(800)  # exp of it exceeds anything that 2**53 words can express


def exp_below(exponent: Fraction) -> Fraction:
    """Return a rational between 1 and ``exp(exponent)``, for exponents of at least 0.

    It is tight to 48 digits up to an exponent of 800; beyond, ``exp(800)`` is bound enough.
    """
    down = Context(prec=_DIGITS, rounding="ROUND_FLOOR")
    capped = min(exponent, _LARGEST)
    argument = down.divide(Decimal(capped.numerator), Decimal(capped.denominator))
    return max(Fraction(1), Fraction(argument.exp(down).next_minus(down)))


def log_above(ratio: Fraction, *, uses: int = 1) -> float:
    """Return the smallest float that is certainly at least ``uses * ln(ratio)``, for ratios of at least 1."""
    return logs_above({ratio: uses})


def logs_above(uses: Mapping[Fraction, int]) -> float:
    """Return the smallest float that is certainly at least the sum of ``uses * ln(ratio)`` over all ratios."""
    above_one = {ratio: count for ratio, count in uses.items() if ratio != 1}
    if not above_one:
        return 0.0
    # The closer a ratio is to 1, the more of its digits the logarithm loses: keep them all.
    digits = max(len(str(ratio.denominator)) for ratio in above_one)
    up = Context(prec=_DIGITS + digits, rounding="ROUND_CEILING")
    bound = Decimal(0)
    for ratio, count in above_one.items():
        quotient = up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        bound = up.add(bound, up.multiply(quotient.ln(up).next_plus(up), Decimal(count)))
    nearest = float(bound)
    return nearest if Decimal(nearest) >= bound else math.nextafter(nearest, math.inf)
