"""What a report can add to a public prior: the most at epsilon, and with an answer that knows only so much.

*Ceiling.* Let p be somebody's prior. Whatever a report with epsilon says, the decision after it is right with at most
the probability that `privge.teaching.roles.best_answers` computes: the own class of the m likeliest, through randomised
response. Between two classes that is ``kappa (p1 + p2)`` with ``kappa = e^epsilon / (1 + e^epsilon)``, so a report adds
at most ``(kappa (p1 + p2) - p1)+``.

*With discriminability.* A device does not know its person's class; it computes a score of each class from the profile,
adds the public prior and names the likeliest class. Scores are taken as normal. In the best case that of the own class
lies ``delta^2 / 2`` higher and log-odds of two classes vary by ``delta``: then of two classes the device is right with
the probability ``a = p1 Phi((L + delta^2/2) / delta) + p2 Phi((-L + delta^2/2) / delta)``, L the prior's log-odds, and
through randomised response the decision gains ``(kappa a + (1 - kappa)(p1 + p2 - a) - p1)+``. A real question may be
too sure or not sure enough, and may repeat what the prior says already: `Skill` has a number for each. More classes
than two are one integral more; the same code does both.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from privge._typing import Floats
from privge.structure.calibration import at_temperature
from privge.teaching.roles import best_answers

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(32)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_LEAST = 1e-12
_CHUNK = 8192  # people at once


@dataclass(frozen=True, slots=True)
class Skill:
    """What the answers of a question know.

    Parameters
    ----------
    gap, spread
        By how much the question's log-odds of two classes differ between people of the one and of the other, and how
        much they vary among people of one class.
    echo
        How much of the prior's log-odds they repeat: 0 if a question says only what the graph does not.
    """

    gap: float
    spread: float
    echo: float = 0.0

    @classmethod
    def calibrated(cls, delta: float) -> "Skill":
        """Return the skill of scores that are log-odds themselves."""
        return cls(delta**2, delta)

    @property
    def delta(self) -> float:
        """Discriminability: the gap in units of the spread."""
        return self.gap / max(self.spread, _LEAST)


@dataclass(frozen=True, eq=False, slots=True)
class Asking:
    """People with their prior, and about how many classes each is asked at some epsilon.

    Parameters
    ----------
    prior
        Probabilities of classes: a row for each person.
    sizes, most
        How many of their likeliest classes each is asked about, 1 for those who are not asked; and the highest accuracy
        that any report with epsilon allows.
    """

    prior: Floats
    epsilon: float
    sizes: NDArray[np.int64]
    most: Floats

    @classmethod
    def of(cls, prior: Floats, epsilon: float) -> "Asking":
        """Choose for each person as many classes as promise the highest accuracy."""
        return cls(prior, epsilon, *best_answers(np.log(np.maximum(prior, _LEAST)), epsilon))

    @property
    def ceiling(self) -> Floats:
        """The most that any report with epsilon adds for each person."""
        ceiling: Floats = np.maximum(self.most - self.prior.max(axis=1), 0.0)
        return ceiling

    def warmer(self, temperature: float) -> "Asking":
        """Return the same people with a prior that is less sure of each."""
        return Asking.of(at_temperature(self.prior, temperature), self.epsilon)

    def take(self, rows: NDArray[np.integer]) -> "Asking":
        """Return some of the people."""
        return Asking(self.prior[rows], self.epsilon, self.sizes[rows], self.most[rows])

    def expected(self, skill: Skill) -> Floats:
        """Return what answers of this skill are expected to add for each person; never more than the ceiling."""
        gain = np.zeros(len(self.prior))
        for size in np.unique(self.sizes[self.sizes > 1]).tolist() if skill.gap > 0 else ():
            members = np.flatnonzero(self.sizes == size)
            for first in range(0, len(members), _CHUNK):
                rows = members[first : first + _CHUNK]
                gain[rows] = _gain(self.prior[rows], size, self.epsilon, skill)
        return gain


def _gain(prior: Floats, size: int, epsilon: float, skill: Skill) -> Floats:
    """Return the gain of people who are all asked about so many classes."""
    ordered = -np.sort(-prior, axis=1)
    own = ordered[:, :size]
    said = _confusions(np.log(np.maximum(own, _LEAST)), skill)
    other = 1 / (np.exp(epsilon) + size - 1)
    sent = other * (1 + np.expm1(epsilon) * said)  # [person, true class, code]; the last class is any that is not asked
    best = (own[:, :, None] * sent[:, :size]).max(axis=1)
    if size < prior.shape[1]:
        best = np.maximum(best, ordered[:, size, None] * sent[:, size])
    gain: Floats = np.maximum(best.sum(axis=1) - ordered[:, 0], 0.0)
    return gain


def _confusions(logs: Floats, skill: Skill) -> Floats:
    """Return how often a device names each class, for each true class and for one that is not asked about.

    A class is named if its score, with the prior, is the largest of independent normal ones: an integral over its own
    value of the product of the chances that each other one is smaller.
    """
    people, size = logs.shape
    spread = max(skill.spread, 1e-6) / 2**0.5
    said = np.empty((people, size + 1, size))
    for true in range(size + 1):
        scores = (1 + skill.echo) * logs
        if true < size:
            scores[:, true] += skill.gap / 2
        for named in range(size):
            below = np.ones((people, len(_NODES)))
            for rival in range(size):
                if rival != named:
                    below *= ndtr((scores[:, named] - scores[:, rival])[:, None] / spread + _NODES)
            said[:, true, named] = below @ _WEIGHTS
    said /= said.sum(axis=2, keepdims=True)
    return said


def gain_of_evidence(prior: Floats, delta: float) -> Floats:
    """Return what evidence of this discriminability adds where it is seen as it is, without randomised response.

    For reports whose noise is part of the discriminability. The two likeliest classes are told apart.
    """
    gain = np.zeros(len(prior))
    for first in range(0, len(prior) if delta > 0 else 0, _CHUNK):
        rows = slice(first, first + _CHUNK)
        pair = -np.sort(-prior[rows], axis=1)[:, :2]
        said = _confusions(np.log(np.maximum(pair, _LEAST)), Skill.calibrated(delta))[:, :2]
        gain[rows] = np.maximum((pair[:, :, None] * said).max(axis=1).sum(axis=1) - pair[:, 0], 0.0)
    return gain
