"""How much to trust each of several predictors, learnt from rows that none of them was fitted to."""

import numpy as np

from privge._typing import Floats

_ROUNDS = 300


def mixture_weights(chances: Floats) -> Floats:
    """Return the weights, at least 0 and together 1, whose mixture gives the true classes the highest likelihood.

    The likelihood is concave in the weights, so that expectation and maximisation in turn find its one maximum. Every
    predictor is given one row beforehand, so that few rows do not decide alone.

    Parameters
    ----------
    chances
        What each predictor (column) gave to the true class of each row, out of fold.
    """
    rows, predictors = chances.shape
    floored = np.maximum(chances, 1e-9)
    weights = np.full(predictors, 1 / predictors)
    for _ in range(_ROUNDS):
        credit = floored * weights
        credit /= credit.sum(axis=1, keepdims=True)
        weights = (credit.sum(axis=0) + 1) / (rows + predictors)
    return weights
