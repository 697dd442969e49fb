"""What an answer says of a class: the exact law of the answer, and how often the device's own model errs.

A device computes an answer ``j`` among the classes it was asked about, and a law turns it into a code. The law is known
exactly; how often the model picks the true class is not, and is judged by labelled people who answered::

    P(answer j | class c)  is proportional to  exp(a * prior_j + t_j + b * [j = c])   over the classes asked

``prior`` are the public log-probabilities that the question already takes into account, by its offsets, and ``t`` says
towards which classes the question leans. With ``e_j = exp(a * prior_j + t_j)``, 0 outside the question, and ``g =
exp(b) - 1``, the probability of a code with likelihood ``L_j`` under answer ``j`` is ::

    P(code | c) = (sum_j L_j e_j + g L_c e_c) / (sum_j e_j + g e_c)

A model that is always right has infinite ``g``, and ``P(code | c) = L_c``: the law's own likelihood. One that knows
nothing has ``g = 0``, and the code says the same of every class: nothing. The habits ``a`` and ``t`` follow from the
codes of everybody (`privge.tasks.habits`). Nobody knows ``b``: evidence is the average of ``P(code | c)`` over what
judges make one believe of it, and how far it is heard is how far they make one believe that there is any
(`privge.tasks.skill`).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.habits import Codes, expected_answers
from privge.tasks.skill import SKILLS, Confusion, Skill

_HEARD = 2000  # people, at most, whose codes say what the habits of answers are
_LEAST = -600.0  # of logarithms: below, probabilities vanish


@dataclass(frozen=True, eq=False, slots=True)
class Answers:
    """Codes of a question about classes, as evidence.

    Parameters
    ----------
    likelihood
        For each person and class, the logarithm of the probability of the code if this class were the answer; up to a
        constant for each person, as `privge.reports.Reports` gives it.
    asked
        Which classes each person was asked about; of somebody who did not answer, none.
    prior
        Public log-probabilities of the classes.
    """

    likelihood: Floats
    asked: NDArray[np.bool_]
    prior: Floats

    def __post_init__(self) -> None:
        if not self.likelihood.shape == self.asked.shape == self.prior.shape:
            raise ValueError("likelihood, asked and prior must have one row a person and one column a class, each")
        if not (np.isfinite(self.likelihood).all() and np.isfinite(self.prior).all()):
            raise ValueError("likelihood and prior must be finite logarithms: no answer and no class is impossible")

    def evidence(self, confusion: Confusion) -> Floats:
        """Return the logarithm of the probability of each person's code given each class; 0 without an answer."""
        answered = self.asked.any(axis=1, keepdims=True)
        leanings = np.array(confusion.leanings or 0.0)
        expected = expected_answers(self.asked, self.prior, confusion.trust, leanings)
        given = expected * _relative(self.likelihood)
        excess = np.expm1(confusion.skill)
        above = given.sum(axis=1, keepdims=True) + excess * given
        below = expected.sum(axis=1, keepdims=True) + excess * expected
        ratio = np.divide(above, below, out=np.ones_like(above), where=answered)
        evidence: Floats = np.log(np.maximum(ratio, 1e-300))
        return evidence

    def fitted(self, known: Floats, targets: Rows, rows: Rows) -> tuple[Floats, float]:
        """Return the evidence of everybody if devices know anything, averaged over how much, and the belief in that.

        Parameters
        ----------
        known
            What is known of everybody without the answers, as log-probabilities.
        targets
            Classes of the judges.
        rows
            The rows of the judges.
        """
        skill = self.skill(known, targets, rows)
        knowing = zip(skill.confusions[1:], skill.knowing, strict=True)
        heard = [share * np.exp(self.evidence(one)) for one, share in knowing]
        evidence: Floats = np.log(np.sum(heard, axis=0))
        return evidence, skill.belief

    def skill(self, known: Floats, targets: Rows, rows: Rows) -> Skill:
        """Return what judges make one believe of the devices; see `fitted`."""
        codes = self._codes(known)
        confusions = [codes.likeliest(skill) for skill in SKILLS]
        return Skill.judged(confusions, self._rows(rows).evidence, known[rows], np.asarray(targets))

    def _codes(self, known: Floats) -> Codes:
        """Return what some of those who answered said, spread over all of them."""
        answered = np.flatnonzero(self.asked.any(axis=1))
        some = answered[np.unique(np.linspace(0, len(answered) - 1, _HEARD).astype(int))] if len(answered) else answered
        heard = self._rows(some)
        return Codes(_relative(heard.likelihood), heard.asked, heard.prior, _relative(known[some]))

    def _rows(self, rows: Rows) -> Self:
        return type(self)(self.likelihood[rows], self.asked[rows], self.prior[rows])


def _relative(logs: Floats) -> Floats:
    """Return probabilities from logarithms, each as a share of the largest of its row; never 0."""
    relative: Floats = np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), _LEAST))
    return relative
