"""How far out a difference lies by chance alone: tails that hold for few answers and rare codes.

A normal law is wrong there. Of twenty people who all say no, through the law of epsilon 4, three seem to say yes in one
of 190 cells; for the normal law it is one of a million.

*Two answers.* A yes or no, a number through a two-point law and a value of a choice have an answer of two kinds. If all
people are drawn from the same, then, given how many of everybody said one of them, the number in the group is
hypergeometric, whatever people have and whatever the law is: Fisher's exact test. Its smaller tail is doubled.

*Many answers.* Their mean is compared with a gamma law of the same skewness (Pearson's type III), measured from the
answers of everybody. It is used toward the longer side, where it is the larger one.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln

from privge._typing import Floats

_SMALL = 1e-15  # what is added beyond this share of a sum does not change it
_STRAIGHT = 1e-4  # a skewness below which the gamma law is the normal one


def exact_tail(seen: Floats, drawn: Floats, marked: Floats, everybody: Floats) -> Floats:
    """Return the two-sided p-value of Fisher's exact test.

    Parameters
    ----------
    seen
        How many of the group said it.
    drawn
        How many of the group answered.
    marked
        How many of everybody said it.
    everybody
        How many answered.
    """
    above = seen * everybody >= drawn * marked
    hits, marks = np.where(above, seen, drawn - seen), np.where(above, marked, everybody - marked)
    others = everybody - marks
    logarithm = _choices(marks, hits) + _choices(others, drawn - hits) - _choices(everybody, drawn)
    term, total = np.ones(hits.shape), np.ones(hits.shape)
    while (term > _SMALL * total).any():  # each next number of hits, as a multiple of the one before
        term = term * (marks - hits) * (drawn - hits) / ((hits + 1) * (others - drawn + hits + 1))
        total, hits = total + term, hits + 1
    return np.asarray(np.minimum(2 * np.exp(logarithm) * total, 1.0))


def skew_tail(score: Floats, skewness: Floats) -> Floats:
    """Return the two-sided p-value of a score by the gamma law of this skewness; 0 where it leans the other way."""
    leaning = skewness > _STRAIGHT
    shape = 4 / np.where(leaning, skewness, 1.0) ** 2
    return np.where(leaning, np.minimum(2 * gammaincc(shape, shape + score * np.sqrt(shape)), 1.0), 0.0)


def _choices(of: Floats, some: Floats) -> NDArray[np.float64]:
    """Return the logarithm of the number of ways to choose some."""
    return np.asarray(gammaln(of + 1) - gammaln(some + 1) - gammaln(of - some + 1))
