"""Wagers against honest people: all codes of a report together, as one number with a proven error.

Of a report with k codes, T are in a set *A*. Whatever the values, each code is in *A* with a probability between the
least and the largest of all inputs. The mean of any g(T) is linear in each of the k probabilities, so it is largest
where each of them is one end or the other: k + 1 laws of T are enough, and whatever honest people send is, in the mean
of g, below the best of these.

A wager is a g that is nowhere negative and whose mean is at most 1 for all of them: the likelihood ratio of a suspicion
(so many liars, all of whose codes are in *A*) to the honest law that is nearest to it, divided by its largest mean.
Reports are independent, so the product over all of them has a mean of at most 1, and so has the average over many
suspicions. By Markov's inequality it reaches 1/p with a probability of at most p, whatever the values are.

It sees what no count of codes sees: people who hold low values send few reports whose codes are all high, and people
who send many of these hold high values, which their other reports must show too.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from privge._typing import Floats

MOST_CODES = 32
"""Reports with more codes are looked at by other tests alone, which see liars there easily."""

_SHARES = (0.02, 0.05, 0.15)  # of liars, in suspicions
_PLACES = (0.0, 0.5, 1.0)  # of the honest people's probability, between the ends
_STEPS = 4000  # towards the nearest honest law; whatever is left is divided out


@dataclass(frozen=True, eq=False, slots=True)
class Wagers:
    """The logarithm of each wager, by run of codes, suspicion, and number of codes in the run."""

    logs: Floats

    @classmethod
    def of(cls, k: int, least: Floats, most: Floats) -> "Wagers":
        """Make the wagers of reports with k codes, for runs with these least and largest probabilities."""
        if not 1 < k <= MOST_CODES:
            return cls(np.zeros((len(least), 1, k + 1)))
        return cls(np.array([_of_run(k, *ends) for ends in zip(least.tolist(), most.tolist(), strict=True)]))

    def p_value(self, reached: NDArray[np.floating] | NDArray[np.integer]) -> float:
        """Return how often honest people would win as much, at most.

        Parameters
        ----------
        reached
            For each run, how many reports have 0, 1, ..., k codes in it.
        """
        return _p_value(self._won(reached))

    def expected_p_value(self, reached: Floats) -> float:
        """Return the same for numbers of reports that are expected, less two standard deviations of what is won."""
        spread = np.einsum("rst,rt->rs", np.square(self.logs), reached) - np.square(self._won(reached)) / np.maximum(
            reached.sum(axis=1, keepdims=True), 1
        )
        return _p_value(self._won(reached) - 2 * np.sqrt(np.maximum(spread, 0)))

    def _won(self, reached: NDArray[np.floating] | NDArray[np.integer]) -> Floats:
        won: Floats = np.einsum("rst,rt->rs", self.logs, reached)
        return won


def _p_value(won: Floats) -> float:
    return float(np.exp(min(0.0, np.log(won.size) - float(logsumexp(won)))))


@lru_cache(maxsize=256)
def _of_run(k: int, least: float, most: float) -> Floats:
    honest = np.array([_sums([most] * high + [least] * (k - high)) for high in range(k + 1)])
    suspicions = []
    for place in _PLACES:
        law = _sums([least + place * (most - least)] * k)
        suspicions += [(1 - share) * law + share * (np.arange(k + 1) == k) for share in _SHARES]
    suspected = np.array(suspicions)
    nearest = _nearest(suspected, honest)
    wagers = suspected / np.maximum(nearest, 1e-300)
    return np.asarray(np.log(np.maximum(wagers, 1e-300)) - np.log((wagers @ honest.T).max(axis=1))[:, None])


def _sums(chances: list[float]) -> Floats:
    """Return the law of how many of independent events come about."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


def _nearest(suspected: Floats, honest: Floats) -> Floats:
    """Return the mixture of honest laws that is nearest to each suspicion, about (expectation maximisation)."""
    weights = np.full((len(suspected), len(honest)), 1 / len(honest))
    for _ in range(_STEPS):
        weights *= (suspected / np.maximum(weights @ honest, 1e-300)) @ honest.T
    mixed: Floats = weights @ honest
    return mixed
