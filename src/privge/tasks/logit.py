"""The conditional logit: one weight a channel, perhaps one intercept a class. Small, so that few labels fit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows

_OWN, _OTHER = 5.0, 0.5
"""Penalties of the squared distance from "the first channel as it is, and nothing else": of its weight and of
intercepts, which are known to be near 1 and 0, and of the other channels' weights. They count as a few people do."""

_LEAST = 0.01  # weight of the first channel: with 0 it would say nothing, and the first class would be named


@dataclass(frozen=True, eq=False, slots=True)
class ConditionalLogit:
    """Log-odds of a class: a weighted sum of what each channel says of it, and an intercept.

    Parameters
    ----------
    weights
        One for each channel, at least 0; a channel with 0 is not heard. That of the first is always above.
    intercepts
        One for each class; 0 if none were fitted.
    """

    weights: Floats
    intercepts: Floats

    @classmethod
    def fit(cls, channels: Sequence[Floats], targets: Rows, *, intercepts: bool = True) -> Self:
        """Maximise the likelihood of the classes, shrunk towards the first channel as it is.

        Parameters
        ----------
        channels
            For each channel what it says of each class (columns) of each person (rows), as logarithms.
        targets
            The class of each person.
        intercepts
            Whether classes have any. Without, one channel by itself ranks classes as it did before, surer or less sure.
        """
        from scipy.optimize import minimize

        centred = np.stack([channel - channel.mean(axis=1, keepdims=True) for channel in channels])
        scales = np.array([1.0, *(max(float(channel.std()), 1e-9) for channel in centred[1:])])
        problem = _Problem(centred / scales[:, None, None], targets)
        free = (None, None) if intercepts else (0.0, 0.0)
        bounds = [(_LEAST, None)] + [(0.0, None)] * (len(channels) - 1) + [free] * centred.shape[2]
        found = minimize(problem.loss, problem.start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(found[: len(channels)] / scales, found[len(channels) :])

    def log_probabilities(self, channels: Sequence[Floats]) -> Floats:
        """Return the logarithm of the probability of each class, for each row of the channels."""
        scores = sum(weight * channel for weight, channel in zip(self.weights, channels, strict=True))
        return normalised(np.asarray(scores + self.intercepts, dtype=np.float64))


@dataclass(frozen=True, eq=False, slots=True)
class _Problem:
    """What is minimised: the mean log loss, and the ridge."""

    channels: Floats
    targets: Rows

    @property
    def start(self) -> Floats:
        start = np.zeros(len(self.channels) + self.channels.shape[2])
        start[0] = 1.0
        return start

    @property
    def ridge(self) -> Floats:
        """The penalty of each parameter, a person."""
        others = len(self.channels) - 1
        penalties = np.array([_OWN, *[_OTHER] * others, *[_OWN] * self.channels.shape[2]])
        return penalties / len(self.targets)

    def loss(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the value and its gradient."""
        weights, intercepts = np.split(parameters, [len(self.channels)])
        logs = normalised(np.tensordot(weights, self.channels, 1) + intercepts)
        people = np.arange(len(self.targets))
        residual = np.exp(logs)
        residual[people, self.targets] -= 1
        residual /= len(people)
        distance, ridge = parameters - self.start, self.ridge
        value = -logs[people, self.targets].mean() + ridge @ np.square(distance)
        gradient = np.concatenate([np.tensordot(self.channels, residual, 2), residual.sum(axis=0)])
        return float(value), gradient + 2 * ridge * distance


def normalised(scores: Floats) -> Floats:
    """Return scores as logarithms of probabilities: those of each row sum to 1."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs
