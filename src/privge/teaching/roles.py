"""`Roles`: who teaches and who is asked, decided by public data alone.

An answer with epsilon moves log-odds by at most epsilon. Where the public prior is so sure that no answer could
change the decision, asking would be for nothing: these people teach, if they take part. So do labelled people, except
for some who are asked and whose labels then judge what answers are worth. Everybody else is asked, about as many of
their likeliest classes as promises the highest accuracy. Nobody is in two groups, and nothing here depends on
anything private: the prior comes from the public graph and from labels that are known anyway.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.graph.labelled import Rows

JUDGES = 500
"""How many labelled people are asked, at most, beside those who are reserved for it."""

_SHARE = 1 / 3  # of those labelled for learning, at most so many are asked in place of teaching
_MOST = 3  # times as many judges, if enough people are reserved for it
_FEWEST = 20


@dataclass(frozen=True, eq=False, slots=True)
class Roles:
    """A division of people, by row.

    Nobody both teaches and is asked, because each person reports once.

    Parameters
    ----------
    teachers
        Those who report in the first campaign, in increasing order.
    asked
        Those who are asked in the second one.
    classes
        Which classes each of ``asked`` is asked about, in increasing order, filled up with -1.
    judges
        Labelled people who are asked: they fit the fusion.
    """

    teachers: Rows
    asked: Rows
    classes: NDArray[np.int64]
    judges: Rows

    def __post_init__(self) -> None:
        if len(np.intersect1d(self.teachers, self.asked)):
            raise BadData("nobody may teach and be asked: each person reports once")
        if len(np.intersect1d(self.teachers, self.judges)):
            raise BadData("nobody may teach and judge: a judge's label must not have taught the question")
        if len(self.classes) != len(self.asked):
            raise BadData("there must be classes for each person who is asked")

    def __repr__(self) -> str:
        return f"Roles({len(self.teachers):,} teach, {len(self.asked):,} are asked, {len(self.judges):,} judge)"

    @classmethod
    def of(
        cls, prior: Floats, *, train: Rows, validation: Rows, epsilon: float, judges: int = JUDGES, seed: int = 0
    ) -> Self:
        """Divide people by their public prior.

        Parameters
        ----------
        prior
            Log-probabilities of classes: a row for each person. Those of labelled people must not know their labels.
        train
            Labelled people to learn from. They teach, except for some of whom the prior is unsure: see ``judges``.
        validation
            Labelled people reserved for judging, as far as their answers could matter.
        epsilon
            What an answer costs.
        judges
            How many people whose answers could matter should judge. Validation people come first, up to three times as
            many; if they are fewer, training people are asked in place of teaching, at most a third of them. Validation
            people who do not judge teach.
        seed
            Of which ones.
        """
        sizes, generator = best_sizes(prior, epsilon), np.random.default_rng([seed, 12])
        reserved, more = (generator.permutation(part[sizes[part] > 1]) for part in (validation, train))
        reserved = reserved[: _MOST * judges]
        judging = np.concatenate([reserved, more[: min(max(0, judges - len(reserved)), int(_SHARE * len(train)))]])
        if len(judging) < _FEWEST:  # nobody's answer matters much; the fusion still needs labels
            judging = np.union1d(judging, validation)
        teaching = np.setdiff1d(np.concatenate([train, validation]), judging)
        sizes[teaching] = 1
        asked = np.flatnonzero(sizes > 1)
        teachers = np.setdiff1d(np.flatnonzero(sizes < 2), judging)
        return cls(teachers, asked, likeliest(prior[asked], sizes[asked]), np.sort(judging))


class BestAnswers(NamedTuple):
    """About how many classes to ask each person, and how often the decision is then right, from 0 to 1."""

    sizes: NDArray[np.int64]
    accuracy: Floats


def best_sizes(prior: Floats, epsilon: float) -> NDArray[np.int64]:
    """Return about how many of their likeliest classes to ask each person; 1 if no answer could change the decision."""
    return best_answers(prior, epsilon).sizes


def best_answers(prior: Floats, epsilon: float) -> BestAnswers:
    """Return the best number of classes for each person, and its expected accuracy.

    The prior is taken as true and the device as right: of ``m`` classes asked, an answer of the own class has the
    probability ``e^epsilon / (e^epsilon + m - 1)``, each other one ``1 / (e^epsilon + m - 1)``. Somebody of a class
    that was not asked answers at random. No other report with epsilon does better: a test compares it with the
    optimum over all of them, by linear programming.
    """
    ordered = -np.sort(-np.exp(prior - prior.max(axis=1, keepdims=True)), axis=1)
    ordered /= ordered.sum(axis=1, keepdims=True)
    best, sizes = ordered[:, 0].copy(), np.ones(len(prior), dtype=np.int64)
    for size in range(2, prior.shape[1] + 1):
        other = 1 / (np.exp(epsilon) + size - 1)
        own = np.exp(epsilon) * other
        outside = ordered[:, size] / size if size < prior.shape[1] else np.zeros(len(prior))
        expected = np.zeros(len(prior))
        for place in range(size):
            rival = other * ordered[:, 1 if place == 0 else 0]
            expected += np.maximum(np.maximum(own * ordered[:, place], rival), outside)
        better = expected > best + 1e-9
        best[better], sizes[better] = expected[better], size
    return BestAnswers(sizes, best)


def likeliest(prior: Floats, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return so many of the likeliest classes of each person, in increasing order, filled up with -1."""
    width = int(sizes.max(initial=2))
    nowhere = prior.shape[1]
    order = np.argsort(-prior, axis=1, kind="stable")[:, :width]
    kept = np.sort(np.where(np.arange(width) < sizes[:, None], order, nowhere), axis=1)
    return np.where(kept < nowhere, kept, -1)
