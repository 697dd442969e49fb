"""Budgets add up as the decimal numbers that documents state."""

from fractions import Fraction


def exact(epsilon: float) -> Fraction:
    """Return the decimal number that a document states: three times 0.1 is 0.3, not a little more."""
    return Fraction(repr(float(epsilon)))
