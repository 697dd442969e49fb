"""Shrinking noisy effects of classes by what is known: the noise exactly, their spread from the effects themselves.

Of every coordinate there is an estimated effect of each class, with normal noise of known variance. Effects are
unequal: most coordinates tell nothing, a few tell much, and in sparse profiles those that are often there tell more.
So the true effects of a coordinate are taken as normal with a variance that is one of a grid, times nothing or times
the squared mean of the coordinate. How often each of these variances occurs is estimated from all coordinates
together (by expectation maximisation), and every effect is replaced by its mean given its estimate. No label, no
person and no budget is used that the estimates did not use already.
"""

import numpy as np

from privge._typing import Floats

_SPREADS = np.array([1e-4, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])  # of true effects, in standard errors
_ROUNDS = 60
_NONE = 1e-9  # of the largest error: below, it is one of rounding


def shrinkage(effects: Floats, variances: Floats, frequencies: Floats | None = None) -> Floats:
    """Return what the estimated effects of each coordinate are to be multiplied by: a number from 0 to 1.

    Parameters
    ----------
    effects
        One row for each class, one column for each coordinate.
    variances
        The variance of the noise, one for each class. The classes' effects are differences from a common mean, so that
        of C classes only C - 1 vary freely. 0 of a class that no teacher could be of, which has no effect.
    frequencies
        The mean of each coordinate, if coordinates with a large mean may have larger effects.
    """
    classes = len(effects)
    free = max(classes - 1, 1)
    errors = np.broadcast_to(np.sqrt(variances)[:, None], effects.shape)
    standard = np.divide(effects, errors, out=np.zeros_like(effects), where=errors > _NONE * errors.max())
    energy = np.square(standard).sum(axis=0) * free / classes
    spreads = _spreads(effects.shape[1], frequencies)
    logs = -0.5 * energy[:, None] / (1 + spreads) - 0.5 * free * np.log1p(spreads)
    shares = np.full(spreads.shape[1], 1 / spreads.shape[1])
    for _ in range(_ROUNDS):
        likely = np.log(np.maximum(shares, 1e-300)) + logs
        likely = np.exp(likely - likely.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        shares = likely.mean(axis=0)
    factors: Floats = (likely * spreads / (1 + spreads)).sum(axis=1)
    return factors


def _spreads(coordinates: int, frequencies: Floats | None) -> Floats:
    """Return the variances that each coordinate's effects may have, in units of the noise."""
    flat = np.tile(np.square(_SPREADS), (coordinates, 1))
    if frequencies is None:
        return flat
    squares = np.square(frequencies)
    return np.hstack([flat, np.outer(squares / max(float(squares.mean()), 1e-300), np.square(_SPREADS[1:]))])
