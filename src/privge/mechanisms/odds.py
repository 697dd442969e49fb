"""Epsilon in words that a person can judge."""

import math


def certainty(epsilon: float) -> str:
    """Return how sure an observer can become who was undecided (50 %): e^epsilon / (1 + e^epsilon)."""
    doubt = 1 / (1 + math.exp(min(epsilon, 700.0)))  # what is left of it
    if doubt < 1e-6:
        return "more than 99.9999 %"
    digits = max(1, math.ceil(-math.log10(doubt)) - 1)  # as many as the doubt needs: 73.1 %, 99.75 %
    return f"{100 * (1 - doubt):.{digits}f} %"
