"""Whether vectors are used beside what the graph says of a pair.

Both contenders are listwise logits of the same queries, with the column of vectors and without it. Vectors are used
only if held-out friends are told better with them, by cross-validation and by more than two standard errors. If not,
the score *is* the structure's.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.recommendation.logit import Lists, ListwiseLogit

_FOLDS = 5
_ERRORS = 2.0  # standard errors that a gain must exceed


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether vectors tell held-out friends better than the structure does without them.

    Parameters
    ----------
    gain
        Mean gain of the logarithm of the probability of the right candidate, a query, in nats.
    error
        Its standard error.
    queries
        How many queries judged it.
    """

    gain: float
    error: float
    queries: int

    @property
    def open(self) -> bool:
        """Whether vectors are used."""
        return self.gain > _ERRORS * self.error > 0

    def __str__(self) -> str:
        verdict = "it helps, and is used" if self.open else "it does not help, so the result is the structure alone"
        change = f"{100 * abs(math.expm1(self.gain)):.1f} % {'more' if self.gain > 0 else 'less'} likely"
        logarithm = f"{self.gain:+.4f} ± {self.error:.4f} in the mean logarithm, {self.queries:,} judged"
        return f"with them held-out friends are {change} ({logarithm}): {verdict}"

    @classmethod
    def judge(cls, lists: Lists, prior: Floats, seed: int, whole: ListwiseLogit | None = None) -> Self:
        """Compare both contenders on queries that did not fit them.

        Parameters
        ----------
        lists
            Queries; the last column is that of vectors.
        prior
            Weights of the other columns before anything was learnt.
        seed
            Of the division into folds.
        whole
            The fit of both to all lists, from which the fits to parts start; if it is not given, it is made.
        """
        if len(lists) < 2 * _FOLDS:
            return cls(0.0, 0.0, len(lists))
        alone = Lists(lists.columns[:, :-1], lists.starts, lists.right)
        folds = np.random.default_rng([seed, 31]).permutation(len(lists)) % _FOLDS
        gains = np.empty(len(lists))
        with_it, without = whole or fused(lists, prior), ListwiseLogit.fit(alone, prior)
        for fold in range(_FOLDS):
            mine, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            better = fused(lists.take(others), prior, with_it)
            worse = ListwiseLogit.fit(alone.take(others), prior, start=without)
            gains[mine] = _told(better, lists.take(mine)) - _told(worse, alone.take(mine))
        return cls(float(gains.mean()), float(gains.std(ddof=1) / len(gains) ** 0.5), len(gains))


def fused(lists: Lists, prior: Floats, start: ListwiseLogit | None = None) -> ListwiseLogit:
    """Fit the columns of the structure and, last, the one of vectors, whose weight is at least 0."""
    return ListwiseLogit.fit(lists, np.append(prior, 0.0), 1, start)


def _told(logit: ListwiseLogit, lists: Lists) -> Floats:
    return lists.logs(logit.scores(lists.columns))[0]
