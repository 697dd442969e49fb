"""What finds held-out friends without knowing anybody: people at random, and the people with the most friends.

Both rank everybody who could be recommended to a person, not only those near: not oneself, friends, barred pairs and
whoever is gone. Other held-out friends are taken out, as they are for every score (`privge.recommendation.ranking`). A
score that finds no more than these is of no use, however normal its numbers look.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs
from privge.recommendation.neighbourhood import Marks
from privge.recommendation.ranking import SHOWN, Found, Quality
from privge.recommendation.trial import Trial
from privge.tasks.metrics import auc

RANDOM, POPULAR = "at random", "most friends"


@dataclass(frozen=True, eq=False, slots=True)
class Everybody:
    """All who compete with each held-out friend.

    Parameters
    ----------
    possible
        Whether the friend may be recommended at all.
    others
        How many others may be.
    higher, same
        How many of the others have more friends than the held-out one, and how many just as many.
    """

    possible: Marks
    others: Rows
    higher: Rows
    same: Rows

    @classmethod
    def of(cls, trial: Trial, pairs: NodePairs) -> Self:
        """Count them; friends are counted without the held-out edges."""
        degrees, here = trial.view.neighbourhood.graph.degrees, ~trial.view.neighbourhood.excluded.gone
        ordered = np.sort(degrees[here])
        own = degrees[pairs[:, 1]]
        first, last = (np.searchsorted(ordered, own, side) for side in ("left", "right"))
        counts = np.column_stack([np.full(len(pairs), len(ordered)), len(ordered) - last, last - first])
        possible = here[pairs[:, 1]]
        for place, (person, friend) in enumerate(pairs):
            barred = _barred(trial, person)
            possible[place] &= friend not in barred
            out = np.unique(np.concatenate([[person, friend], _friends(trial, person), barred]))
            theirs = degrees[out[here[out]]]
            counts[place] -= len(theirs), (theirs > own[place]).sum(), (theirs == own[place]).sum()
        return cls(possible, *counts.T)

    def at_random(self) -> Found:
        """Return what is expected of a random order, exactly: the friend has each rank with the same probability."""
        size = self.others + 1
        harmonic = scipy.special.digamma(size + 1) + np.euler_gamma  # 1 + 1/2 + ... + 1/size
        hits = np.minimum(1.0, SHOWN / size)
        return Found(np.where(self.possible, hits, 0.0), np.where(self.possible, harmonic / size, 0.0))

    def most_friends(self) -> Found:
        """Return what the order by number of friends finds."""
        return Found.of(np.where(self.possible, 1 + self.higher + self.same / 2, np.inf))


def baselines(trial: Trial, pairs: NodePairs) -> dict[str, Found]:
    """Return by name what both find of each query."""
    everybody = Everybody.of(trial, pairs)
    return {RANDOM: everybody.at_random(), POPULAR: everybody.most_friends()}


def qualities(trial: Trial, found: dict[str, Found]) -> dict[str, Quality]:
    """Sum up what both find; of the order by friends both ends of a pair count as candidates, in the AUC."""
    degrees = trial.view.neighbourhood.graph.degrees
    joined, apart = (_ends(degrees, pairs) for pairs in trial.area_pairs())
    areas = {RANDOM: 0.5, POPULAR: auc(joined, apart)}
    return {name: each.quality(areas[name]) for name, each in found.items()}


def _ends(degrees: Rows, pairs: NodePairs) -> Floats:
    ends: Floats = degrees[pairs.ravel()].astype(np.float64)
    return ends


def _friends(trial: Trial, person: int) -> Rows:
    indptr, indices = trial.whole.indptr, trial.whole.indices
    return indices[indptr[person] : indptr[person + 1]].astype(np.int64)


def _barred(trial: Trial, person: int) -> Rows:
    excluded = trial.view.neighbourhood.excluded
    return excluded.indices[excluded.indptr[person] : excluded.indptr[person + 1]].astype(np.int64)
