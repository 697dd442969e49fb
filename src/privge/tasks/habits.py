"""How people answer whatever their class is: fitted to the codes of everybody, whose classes nobody knows.

A device may repeat the public prior, and a question learnt from noisy reports leans towards some classes: too many
people are told that they resemble them. Both show in how often each answer is given, so they are found by thousands of
people and spend no label. What they explain is no evidence: somebody who gives an answer that everybody gives says
little about themselves, and a device that always gives the same one says nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.tasks.skill import Confusion

_SPREAD = 1.5  # how far the logarithm of a trust is expected to be from 0
_TRUSTS = (-3.0, 4.0)  # between which it is
_LEANING = 1.0  # how far a leaning is expected to be from 0
_LEANINGS = (-6.0, 6.0)  # between which it is


@dataclass(frozen=True, eq=False, slots=True)
class Codes:
    """What some people answered, and what is known of them without it; `privge.tasks.Answers` explains the names.

    Parameters
    ----------
    likelihood
        For each person and class, the probability of the code if this class were the answer, up to a factor.
    asked
        Which classes each person was asked about.
    prior
        Public log-probabilities of the classes, which the question takes into account.
    known
        Probabilities of the classes without the code, up to a factor.
    """

    likelihood: Floats
    asked: NDArray[np.bool_]
    prior: Floats
    known: Floats

    def likeliest(self, skill: float) -> Confusion:
        """Return the trust and the leanings that make the codes likeliest, whatever the classes are."""
        from scipy.optimize import minimize

        classes = self.prior.shape[1]
        found = minimize(
            self._loss,
            np.zeros(1 + classes),
            args=(np.expm1(skill),),
            jac=True,
            method="L-BFGS-B",
            bounds=[_TRUSTS, *[_LEANINGS] * classes],
        ).x
        return Confusion(float(np.exp(found[0])), skill, tuple(found[1:].tolist()))

    def _loss(self, habits: Floats, excess: float) -> tuple[float, Floats]:
        """Return minus the logarithm of the probability of all codes, with what is expected of habits; its gradient.

        With ``s_j = trust * prior_j + leaning_j`` and ``e_j = exp(s_j)``, a code has the probability ``sum_c known_c
        above_c / below_c``, where ``above_c = sum_j L_j e_j (1 + g [j = c])`` and ``below_c`` is the same without L.
        """
        trust, leanings = np.exp(habits[0]), habits[1:]
        expected = expected_answers(self.asked, self.prior, trust, leanings)
        given = expected * self.likelihood
        above = given.sum(axis=1, keepdims=True) + excess * given
        below = expected.sum(axis=1, keepdims=True) + excess * expected
        joint = self.known * above / below
        codes = joint.sum(axis=1, keepdims=True)
        over_above, over_below = joint / codes / above, joint / codes / below
        slopes = given * (over_above.sum(axis=1, keepdims=True) + excess * over_above)
        slopes -= expected * (over_below.sum(axis=1, keepdims=True) + excess * over_below)
        unlikely = 0.5 * (habits[0] / _SPREAD) ** 2 + 0.5 * np.square(leanings / _LEANING).sum()
        gradient = np.concatenate([[habits[0] / _SPREAD**2], leanings / _LEANING**2])
        gradient[0] -= trust * (slopes * self.prior).sum()
        gradient[1:] -= slopes.sum(axis=0)
        return float(unlikely - np.log(codes).sum()), gradient


def expected_answers(asked: NDArray[np.bool_], prior: Floats, trust: float, leanings: Floats) -> Floats:
    """Return how often each class is answered by people without any skill, up to a factor for each person.

    The likeliest class of those asked has 1, classes that were not asked 0.
    """
    scores = np.where(asked, trust * prior + leanings, -np.inf)
    top = scores.max(axis=1, keepdims=True, initial=-1e300)  # a number, of somebody who was asked nothing, too
    expected: Floats = np.where(asked, np.exp(np.minimum(scores - top, 0.0)), 0.0)
    return expected
