"""Rigorous rational bounds of exp and log: the only place where ``e`` meets the integers.

``decimal`` rounds ``exp`` and ``ln`` correctly (it documents that their error is at most half a unit in the last
place), so one step down, or up, from its answer is a proven bound.
"""

import math
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
    if ratio == 1:
        return 0.0
    # The closer the ratio is to 1, the more of its digits the logarithm loses: keep them all.
    up = Context(prec=_DIGITS + len(str(ratio.denominator)), rounding="ROUND_CEILING")
    quotient = up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    bound = up.multiply(quotient.ln(up).next_plus(up), Decimal(uses))
    nearest = float(bound)
    return nearest if Decimal(nearest) >= bound else math.nextafter(nearest, math.inf)
