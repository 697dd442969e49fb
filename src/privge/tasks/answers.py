"""What an answer says of a class: the exact law of the answer, and how often the device's own model errs.

A device computes an answer ``j`` among the classes it was asked about, and a law turns it into a code. The law is known
exactly; how often the model picks the true class is not, and is estimated on labelled people who answered::

    P(answer j | class c)  is proportional to  exp(a * prior_j + b * [j = c])   over the classes asked

``prior`` are the public log-probabilities that the question already takes into account, by its offsets. With ``e_j =
exp(a * prior_j)``, 0 outside the question, and ``g = exp(b) - 1``, the probability of a code with likelihood ``L_j``
under answer ``j`` is ::

    P(code | c) = (sum_j L_j e_j + g L_c e_c) / (sum_j e_j + g e_c)

A model that is always right has infinite ``g``, and ``P(code | c) = L_c``: the law's own likelihood. One that knows
nothing has ``g = 0``, and the code says the same of every class: nothing.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.logit import normalised

_SPREAD = 0.7  # how far log a is expected to be from 0
_SUREST = 20.0  # the largest b
_START = ((0.0, 1.0), (_SPREAD, 1.0), (0.0, 2.0))


@dataclass(frozen=True, slots=True)
class Confusion:
    """How a device's answer follows from its class; see the module.

    Parameters
    ----------
    trust
        ``a``: how much the answer follows the public prior.
    skill
        ``b``: how much it follows the class. 0 is a model that knows nothing.
    """

    trust: float
    skill: float


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

    def evidence(self, confusion: Confusion) -> Floats:
        """Return the logarithm of the probability of each person's code given each class; 0 without an answer."""
        answered = self.asked.any(axis=1, keepdims=True)
        likelihood = np.exp(self.likelihood - self.likelihood.max(axis=1, keepdims=True))
        top = np.where(self.asked, self.prior, -np.inf).max(axis=1, keepdims=True, initial=-1e300)
        expected = np.where(self.asked, np.exp(np.minimum(confusion.trust * (self.prior - top), 0.0)), 0.0)
        given = expected * likelihood
        excess = np.expm1(confusion.skill)
        above = given.sum(axis=1, keepdims=True) + excess * given
        below = expected.sum(axis=1, keepdims=True) + excess * expected
        ratio = np.divide(above, below, out=np.ones_like(above), where=answered)
        evidence: Floats = np.log(np.maximum(ratio, 1e-300))
        return evidence

    def fitted(self, prior: Floats, targets: Rows, rows: Rows) -> Floats:
        """Return the evidence of everybody, with the confusion that makes the classes of some people likeliest.

        Parameters
        ----------
        prior
            What is known of these rows without the answers, as log-probabilities.
        targets
            Their classes.
        rows
            The rows of the labelled people.
        """
        return self.evidence(self._rows(rows).confusion(prior, targets))

    def confusion(self, prior: Floats, targets: Rows) -> Confusion:
        """Return the likeliest confusion, where ``targets`` are the classes of all people of this evidence."""
        from scipy.optimize import minimize

        answered = np.flatnonzero(self.asked.any(axis=1))
        if len(answered) == 0:
            return Confusion(1.0, 0.0)
        judged, prior, targets = self._rows(answered), prior[answered], targets[answered]

        def loss(parameters: Floats) -> float:
            logs = normalised(prior + judged.evidence(_confusion(parameters)))
            return float(-logs[np.arange(len(targets)), targets].sum() + 0.5 * (parameters[0] / _SPREAD) ** 2)

        options = {"maxiter": 80, "xatol": 0.02, "fatol": 0.01, "initial_simplex": _START}
        return _confusion(minimize(loss, _START[0], method="Nelder-Mead", options=options).x)

    def _rows(self, rows: Rows) -> Self:
        return type(self)(self.likelihood[rows], self.asked[rows], self.prior[rows])


def _confusion(parameters: Floats) -> Confusion:
    return Confusion(float(np.exp(np.clip(parameters[0], -3, 3))), float(np.clip(parameters[1], 0, _SUREST)))
