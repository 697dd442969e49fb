"""Temperature: one number that makes predicted probabilities as sure as they are right."""

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.structure.heads import log_loss

_WIDEST = 3.0  # of the logarithm of a temperature
_FLOOR = 1e-12


def best_temperature(probabilities: Floats, targets: Rows) -> float:
    """Return the temperature with the smallest log loss on these rows."""
    from scipy.optimize import minimize_scalar

    def loss(logarithm: float) -> float:
        return log_loss(at_temperature(probabilities, float(np.exp(logarithm))), targets)

    return float(np.exp(minimize_scalar(loss, bounds=(-_WIDEST, _WIDEST), method="bounded").x))


def at_temperature(probabilities: Floats, temperature: float) -> Floats:
    """Return ``p^(1/temperature)``, brought to the sum 1: above 1 less sure, below 1 surer."""
    logits = np.log(np.maximum(probabilities, _FLOOR)) / temperature
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    calibrated: Floats = powers / powers.sum(axis=1, keepdims=True)
    return calibrated
