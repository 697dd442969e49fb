"""How far a sum of independent errors strays: Bernstein's inequality, which the paper uses, and Bennett's.

Let ``S`` be a sum of independent terms with mean 0, ``variance`` the sum of their variances, and
``L = log(2 / chance)``.

*Bernstein.* If ``E|X|^m <= m!/2 Var(X) scale^(m-2)`` for every term X and every m from 3 on, then
``|S| <= scale L + sqrt((scale L)^2 + 2 variance L)`` but for the given chance. Terms of at most ``reach`` have
``scale <= reach / 3``, which is the form that the paper quotes.

*Bennett.* If every term is at most ``reach``, then ``|S| <= u variance / reach``, where u solves
``(1+u) log(1+u) - u = L reach^2 / variance``. It is sharper where terms are rare and large: a feature that one person
in a thousand reports, multiplied by a thousand.
"""

import math

import numpy as np

from privge._typing import ArrayLike, Floats


def bernstein(variance: ArrayLike, scale: ArrayLike, chance: float) -> Floats:
    """Return what the sum exceeds with at most the given chance, by Bernstein's inequality.

    Parameters
    ----------
    variance
        The sum of the variances of the terms.
    scale
        How fast moments of a term may grow; for bounded terms a third of the bound.
    chance
        How often the sum may be larger, in (0, 1).
    """
    logarithm = _logarithm(chance)
    linear = np.asarray(scale, dtype=np.float64) * logarithm
    return linear + np.sqrt(linear**2 + 2 * np.asarray(variance, dtype=np.float64) * logarithm)


def bennett(variance: ArrayLike, reach: ArrayLike, chance: float) -> Floats:
    """Return what the sum exceeds with at most the given chance, by Bennett's inequality.

    Parameters
    ----------
    variance, chance
        As of `bernstein`.
    reach
        The largest magnitude of a term.
    """
    total, largest = np.broadcast_arrays(*(np.asarray(given, dtype=np.float64) for given in (variance, reach)))
    bound = np.zeros(total.shape)
    random = total > 0
    total, largest = total[random], largest[random]
    target = _logarithm(chance) * largest**2 / total
    root = bernstein(total, largest / 3, chance) * largest / total  # above the solution, as Bernstein is weaker
    for _ in range(50):  # Newton's steps on a convex function stay above its root
        root -= (_entropy(root) - target) / np.log1p(root)
    bound[random] = root * total / largest
    return bound


def _entropy(u: Floats) -> Floats:
    """Return ``(1+u) log(1+u) - u``, by its series where that cancels."""
    series = u**2 / 2 * (1 - u / 3 + u**2 / 6)
    return np.where(u < 1e-4, series, (1 + u) * np.log1p(u) - u)


def _logarithm(chance: float) -> float:
    if not 0 < chance < 1:
        raise ValueError(f"chance must lie between 0 and 1, both excluded, got {chance!r}")
    return math.log(2 / chance)
