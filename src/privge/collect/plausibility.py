"""How many reports must be false, because no values whatever make the law give such codes.

Whatever people's values are, a law puts an honest code into a set *A* of codes with a probability of at most
``p(A) = max over levels of weight(A) / 2**53``. Draws are independent, so the honest codes in *A* are no more, in
distribution, than a binomial of ``p(A)``; and ``m`` false reports of ``k`` codes add at most ``m k``. If ``x`` of
``n k`` codes lie in *A*, at least ``m`` reports are false, where ``m`` is the smallest number with

    ``Pr[Binomial((n - m) k, p(A)) >= x - m k] >= level``.

That is asked of many sets: the runs of 1, 2, 4, 8, ... codes that tile all codes, and what is outside each of them. The
level is ``ALPHA`` shared among them, so that of a billion honest campaigns one is accused at all, whatever the inputs.

*Questions.* Each question has a law of its own, or one for each number of classes that people are asked about. The
answers by each law are a group, in which a report has at most one code, and the groups share the level. If a report has
one code, nobody is in two groups, and false reports of all groups add up; of several codes, the worst group counts.

*What it cannot see.* False reports that stay within what the law could have given: a liar who runs the law on a false
value is honest to every test. A law with two outputs explains nearly everything. So 0 % means *nothing that the law
rules out*, not *no liars*.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.collect.asking import completed
from privge.collect.groups import answers_by_law
from privge.collect.stores.store import Store
from privge.mechanisms import Law, Nearest
from privge.random import TOTAL

ALPHA = 1e-9
"""Probability of accusing a campaign without a single false report."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """What the law of a campaign cannot explain.

    Only numbers: which of the reports are the false ones, nobody can say.

    Parameters
    ----------
    campaign
        Id of the campaign that the reports answer.
    reports
        How many reports were looked at.
    false
        How many of them, at least, no honest device sent.
    """

    campaign: str
    reports: int
    false: int

    @property
    def share(self) -> float:
        """The share of false reports, at least."""
        return self.false / self.reports if self.reports else 0.0


def unexplained(store: Store) -> list[Unexplained]:
    """Say of each campaign with reports how many of them its law cannot explain, at least."""
    found = []
    for state in store.campaigns():
        if state.reports:
            look = _of_numbers if state.campaign.questions is None else _of_questions
            found.append(Unexplained(state.campaign.id, state.reports, look(store, state.campaign)))
    return found


def _of_numbers(store: Store, campaign: Campaign) -> int:
    counts = np.zeros(campaign.law.outputs, dtype=np.int64)
    for block in store.read(campaign.id):
        counts += np.bincount(block.codes.ravel(), minlength=campaign.law.outputs)
    return least_false(campaign.law, campaign.k, counts)


def _of_questions(store: Store, campaign: Campaign) -> int:
    blocks = ((block.ids, block.codes) for block in store.read(campaign.id))
    return least_false_answers(campaign.k, answers_by_law(completed(campaign, store.shard), blocks))


def least_false_answers(k: int, groups: Sequence[tuple[Law | Nearest, NDArray[np.int64]]]) -> int:
    """Return how many reports must be false, at least, by laws and how often each of their codes was reported."""
    each = [least_false(law, 1, counts, ALPHA / len(groups)) for law, counts in groups]
    return sum(each) if k == 1 else max(each, default=0)


def least_false(law: Law | Nearest, k: int, counts: NDArray[np.int64], alpha: float = ALPHA) -> int:
    """Return how many reports must be false, at least.

    Parameters
    ----------
    law, k
        The law, and how many codes a report has.
    counts
        How often each output code was reported.
    alpha
        Probability of an accusation without a false report.
    """
    total = int(counts.sum())
    if not total:
        return 0
    most, least = extremes(law)
    inside = sums_of_runs(counts)
    found = np.concatenate([inside, total - inside])  # in each run, and outside of it
    chances = np.concatenate([most, TOTAL - least]) / TOTAL
    level = alpha / found.size
    suspicious = np.flatnonzero(binomial_tail(found, total, chances) < level)
    return max((_least(int(found[i]), total, k, float(chances[i]), level) for i in suspicious), default=0)


def _least(found: int, total: int, k: int, chance: float, level: float) -> int:
    """Return the smallest number of false reports that explains a set, by bisection: more of them explain more."""
    low, high = 0, total // k  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_tail(np.array([found - middle * k]), total - middle * k, np.array([chance]))[0] < level:
            low = middle
        else:
            high = middle
    return high


def binomial_tail(found: NDArray[np.int64], trials: int, chances: Floats) -> Floats:
    """Return ``Pr[Binomial(trials, chance) >= found]``."""
    from scipy.special import betainc  # the service verifies nothing and stays small

    number = np.clip(found, 1, trials)
    tail: Floats = betainc(number, trials - number + 1, chances)
    return np.where(found <= 0, 1.0, tail)


def extremes(law: Law | Nearest) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the largest and the smallest weight of each run of codes, over all levels."""
    if isinstance(law, Nearest):
        return _extremes_of_directions(law)
    most = least = sums_of_runs(law.weights(0))
    for level in range(1, law.levels):
        sums = sums_of_runs(law.weights(level))
        most, least = np.maximum(most, sums), np.minimum(least, sums)
    return most, least


def _extremes_of_directions(law: Nearest) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the same for directions: any of them can be the nearest, so as many as fit into a run, or as few."""
    sizes = sums_of_runs(np.ones(law.outputs, dtype=np.int64))
    same = sums_of_runs(law.weights(()))  # as if none were near, with what is left of all weights in its place
    more = law.high - law.low
    inside = np.minimum(sizes, law.near), np.maximum(0, law.near - (law.outputs - sizes))
    most, least = (same + near * more for near in inside)
    return most, least


def sums_of_runs(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums of all runs of 1, 2, 4, ... neighbours that tile the values, as long as there are two."""
    sizes = [2**bits for bits in range(max(1, (values.size - 1).bit_length()))]
    return np.concatenate([np.add.reduceat(values, np.arange(0, values.size, size)) for size in sizes])
