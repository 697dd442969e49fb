"""Judges: labelled people who say what a channel is worth, each by a fit that did not see their label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.logit import ConditionalLogit


class Evidence(Protocol):
    """A channel with parameters of its own, such as `privge.tasks.Answers`."""

    def fitted(self, known: Floats, targets: Rows, rows: Rows) -> tuple[Floats, float]:
        """Return the evidence of everybody, if it says anything, and the belief that it does.

        ``known`` are everybody's log-probabilities without it; ``targets`` are the classes of ``rows``.
        """
        ...


Channel: TypeAlias = Evidence | Floats


@dataclass(frozen=True, eq=False, slots=True)
class Stage:
    """A channel on top of what is known without it.

    Parameters
    ----------
    channel
        A matrix of log-likelihoods, or something that is fitted.
    share
        The belief in a matrix: its share in the average with what is known without it.
    """

    channel: Channel
    share: float = 1.0

    def on(self, known: Floats, targets: Rows, rows: Rows) -> tuple[Floats, float, float]:
        """Return everybody's log-probabilities with the channel, its weight, and the belief in it."""
        if isinstance(self.channel, np.ndarray):
            evidence, belief = self.channel, self.share
        else:
            evidence, belief = self.channel.fitted(known, targets, rows)
        logit = ConditionalLogit.fit([known[rows], evidence[rows]], targets, intercepts=False)
        heard = logit.log_probabilities([known, evidence])
        with np.errstate(divide="ignore"):  # of a belief of 0 or 1
            together = np.logaddexp(np.log1p(-belief) + known, np.log(belief) + heard)
        return together, belief * float(logit.weights[1]), belief


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """What some judges make of the structure and of channels on top of it.

    Parameters
    ----------
    logs
        Everybody's log-probabilities.
    structure
        The weight of the structure.
    weights, beliefs
        Of each channel.
    """

    logs: Floats
    structure: float
    weights: tuple[float, ...]
    beliefs: tuple[float, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Judges:
    """The labelled people, divided into folds.

    Parameters
    ----------
    prior
        Logarithms of the structure's probabilities, of everybody.
    rows, targets
        The judges, and their classes.
    folds
        The fold of each judge.
    """

    prior: Floats
    rows: Rows
    targets: Rows
    folds: Rows

    def fit(self, stages: Sequence[Stage], places: Rows | None = None) -> Fitted:
        """Fit structure and channels to some of the judges; to all of them without ``places``."""
        rows, targets = (self.rows, self.targets) if places is None else (self.rows[places], self.targets[places])
        structure = ConditionalLogit.fit([self.prior[rows]], targets, intercepts=False)
        logs, weights, beliefs = structure.log_probabilities([self.prior]), [], []
        for stage in stages:
            logs, weight, belief = stage.on(logs, targets, rows)
            weights.append(weight)
            beliefs.append(belief)
        return Fitted(logs, float(structure.weights[0]), tuple(weights), tuple(beliefs))

    def held_out(self, stages: Sequence[Stage]) -> Floats:
        """Return log-probabilities of the judges, each by a fit that did not see their label."""
        logs = np.empty((len(self.rows), self.prior.shape[1]))
        for fold in np.unique(self.folds):
            mine = self.folds == fold
            logs[mine] = self.fit(stages, np.flatnonzero(~mine)).logs[self.rows[mine]]
        return logs
