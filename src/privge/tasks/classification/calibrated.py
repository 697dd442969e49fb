"""As sure as right, for people with few friends too; and never surer of somebody without friends than epsilon allows.

One temperature for all is an average: it makes those with many friends too unsure and those with few too sure. So each
group by number of friends has its own, fitted to labels held out and drawn to the common one where they are few.

Of somebody without friends nothing is known but what is public and their own report. A report that costs epsilon has,
for any two classes, probabilities that differ by a factor of at most ``e^epsilon``, whatever is asked and whatever
others sent. Hence the odds of any two classes are at most ``e^epsilon`` times those among people without friends, and
``e^0`` times if they sent nothing. A head that says more has learnt it from people with friends: it is held to that.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.embedding.embedding import Embedding
from privge.graph.labelled import Rows
from privge.propagation import Matrix
from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.heads import log_loss
from privge.tasks.by_id import matrix_of
from privge.tasks.classification.known import Known

FROM = (3, 11)
"""Numbers of friends from which on the second and the third group begin: 0 to 2, 3 to 10, more."""

_SPREAD = 0.5  # by how much logarithms of temperatures differ between groups, before anything was seen: a factor of 1.6
_WIDEST = 2.0  # of the same difference
_PSEUDO = 10.0  # people as whom the shares among everybody count beside those among people without friends
_FLOOR = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class People:
    """What is public of some people: it decides how sure an answer may be.

    Parameters
    ----------
    friends
        How many friends each has; None without a graph.
    limits
        Of each the largest logarithm by which odds may differ from those of people without friends; infinite for
        whoever has friends.
    """

    friends: Rows | None
    limits: Floats

    @classmethod
    def without_vectors(cls, friends: Rows) -> Self:
        """Say that nobody sent anything: then nothing at all is known of those without friends."""
        return cls(friends, np.where(friends == 0, 0.0, np.inf))

    @classmethod
    def of(cls, vectors: Matrix | Embedding, friends: Rows | None, epsilon: float | None) -> Self:
        """Find who has no friends, and who of these sent nothing: their vector is zero."""
        limits = np.full(len(vectors), np.inf)
        if friends is not None and epsilon is not None:
            alone = np.flatnonzero(friends == 0)
            sent = np.asarray(matrix_of(vectors)[alone]).any(axis=1)
            limits[alone] = np.where(sent, epsilon, 0.0)
        return cls(friends, limits)

    def take(self, rows: Rows) -> Self:
        """Return some of them."""
        return type(self)(None if self.friends is None else self.friends[rows], self.limits[rows])


@dataclass(frozen=True, eq=False, slots=True)
class Calibration:
    """How probabilities are made as sure as they are right.

    Parameters
    ----------
    temperature
        The common one; above 1 probabilities had been too sure.
    by_friends
        That of each group of `FROM`; nothing without a graph.
    alone
        The share of each class among people without friends, drawn to those among everybody.
    """

    temperature: float
    by_friends: tuple[float, ...]
    alone: Floats

    @classmethod
    def fit(cls, probabilities: Floats, targets: Rows, people: People) -> Self:
        """Fit to labelled people, of whom the probabilities must not have seen the class."""
        common, classes = best_temperature(probabilities, targets), probabilities.shape[1]
        shares = (np.bincount(targets, minlength=classes) + 1) / (len(targets) + classes)
        if people.friends is None:
            return cls(common, (), shares)
        groups = _groups(people.friends)
        own = tuple(
            _drawn(probabilities[groups == group], targets[groups == group], common) for group in range(len(FROM) + 1)
        )
        counted = np.bincount(targets[people.friends == 0], minlength=classes)
        return cls(common, own, (counted + _PSEUDO * shares) / (counted.sum() + _PSEUDO))

    def applied(self, probabilities: Floats, people: People) -> Floats:
        """Return calibrated probabilities."""
        if people.friends is None:
            return at_temperature(probabilities, self.temperature)
        groups, made = _groups(people.friends), np.empty_like(probabilities)
        for group, temperature in enumerate(self.by_friends):
            made[groups == group] = at_temperature(probabilities[groups == group], temperature)
        limited = np.flatnonzero(np.isfinite(people.limits))
        made[limited] = held_to(made[limited], self.alone, people.limits[limited])
        return made


def calibrated_apart(probabilities: Floats, known: Known, people: People) -> Floats:
    """Return calibrated probabilities of labelled nodes, of each part by what was fitted to the others."""
    made = np.empty_like(probabilities)
    for fold in np.unique(known.folds):
        mine, others = np.flatnonzero(known.folds == fold), np.flatnonzero(known.folds != fold)
        rule = Calibration.fit(probabilities[others], known.targets[others], people.take(others))
        made[mine] = rule.applied(probabilities[mine], people.take(mine))
    return made


def held_to(probabilities: Floats, prior: Floats, limits: Floats) -> Floats:
    """Return probabilities whose odds differ from those of a prior by a factor of at most ``e^limit``.

    Where they differ by more, the logarithms of the factors shrink together, so that their order stays.
    """
    factors = np.log(np.maximum(probabilities, _FLOOR)) - np.log(prior)
    widths = np.ptp(factors, axis=1) if len(factors) else np.empty(0)
    shrunk = factors * np.where(widths > limits, limits / np.maximum(widths, _FLOOR), 1.0)[:, None]
    logs = np.log(prior) + shrunk
    powers = np.exp(logs - logs.max(axis=1, keepdims=True)) if len(logs) else logs
    made: Floats = powers / powers.sum(axis=1, keepdims=True)
    return made


def _groups(friends: Rows) -> Rows:
    return np.searchsorted(FROM, friends, side="right")


def _drawn(probabilities: Floats, targets: Rows, common: float) -> float:
    """Return the temperature of a group: the likeliest, if groups differ from the common one as `_SPREAD` says."""
    from scipy.optimize import minimize_scalar

    if not len(targets):
        return common

    def loss(difference: float) -> float:
        own = log_loss(at_temperature(probabilities, common * float(np.exp(difference))), targets)
        return len(targets) * own + difference**2 / (2 * _SPREAD**2)

    return common * float(np.exp(minimize_scalar(loss, bounds=(-_WIDEST, _WIDEST), method="bounded").x))
