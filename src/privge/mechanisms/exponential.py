"""Rigorous rational bounds of exp and log: the only place where ``e`` meets the integers.

``decimal`` rounds ``exp`` and ``ln`` correctly (it documents that their error is at most half a
unit in the last place), so one step down, or up, from its answer is a proven bound.
"""

import math
from decimal import Context, Decimal
from fractions import Fraction

# A lower bound of exp(x/k) must stay below one of exp(x) after k multiplications, so the bound that
# laws are built from is coarser than the one that they are checked against.
_BUILD_DIGITS = 50
_CHECK_DIGITS = 90


def exp_below(exponent: Fraction, *, digits: int = _BUILD_DIGITS) -> Fraction:
    """Return a rational at most ``exp(exponent)``, within ``10**(2-digits)`` of it (relative)."""
    down = Context(prec=digits, rounding="ROUND_FLOOR")
    argument = down.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(argument.exp(down).next_minus(down))


def holds(worst_ratio: Fraction, uses: int, epsilon: float) -> bool:
    """Say whether ``worst_ratio**uses <= exp(epsilon)``, by exact integer arithmetic."""
    if worst_ratio == 1:
        return epsilon >= 0
    return worst_ratio**uses <= exp_below(Fraction(epsilon), digits=_CHECK_DIGITS)


def log_above(ratio: Fraction, *, uses: int = 1) -> float:
    """Return the smallest float that is certainly at least ``uses * ln(ratio)``, for ratio >= 1."""
    if ratio == 1:
        return 0.0
    up = Context(prec=_BUILD_DIGITS, rounding="ROUND_CEILING")
    # ln(1 + t) needs more digits when t is tiny: divide with as many as the fraction holds.
    wide = Context(prec=_BUILD_DIGITS + len(str(ratio.denominator)), rounding="ROUND_CEILING")
    quotient = wide.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    exact = up.multiply(quotient.ln(wide).next_plus(wide), Decimal(uses))
    nearest = float(exact)
    return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)
