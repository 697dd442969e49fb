"""`Skill`: what judges make one believe of how much devices know, from nothing at all to everything.

How much an answer follows the class is not estimated as one number but believed in, on a grid, with a first place for
"the device knows nothing"; see `privge.tasks.Answers`. Each place has a trust in the public prior that makes the codes
of everybody who was asked likeliest, whose classes nobody knows: so a device that always repeats the public prior is
found out by thousands of people, not by the few who judge. Only what is left, whether answers follow the class, is
judged by labels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.logit import normalised

NOTHING = 0.5
"""How likely it is, before anybody is judged, that devices know nothing."""

_SKILLS = (0.0, 0.2, 0.4, 0.7, 1.1, 1.8, 3.0, 5.0, 9.0)
_SPREAD = 1.5  # how far the logarithm of a trust is expected to be from 0
_TRUSTS = (-3.0, 4.0)  # between which it is


@dataclass(frozen=True, slots=True)
class Confusion:
    """How a device's answer follows from its class; see `privge.tasks.answers`.

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
class Skill:
    """Confusions, and how likely each is; the first one knows nothing.

    Parameters
    ----------
    confusions
        From no skill to the surest.
    beliefs
        The probability of each, given the judges; they sum to 1.
    """

    confusions: tuple[Confusion, ...]
    beliefs: Floats

    @property
    def belief(self) -> float:
        """How likely it is that devices know anything."""
        return 1 - float(self.beliefs[0])

    @property
    def knowing(self) -> Floats:
        """How likely each confusion but the first is, if devices know anything."""
        beliefs = self.beliefs[1:]
        if not beliefs.any():  # so unlikely that no number is as small: the least skill is the least unlikely
            beliefs = np.where(np.arange(len(beliefs)) == 0, 1.0, 0.0)
        shares: Floats = beliefs / beliefs.sum()
        return shares

    @property
    def mean(self) -> float:
        """The expected skill."""
        return float(self.beliefs @ [one.skill for one in self.confusions])

    @classmethod
    def judged(
        cls,
        heard: Callable[[Confusion], Floats],
        known: Floats,
        judging: Callable[[Confusion], Floats],
        judges: tuple[Floats, Rows],
    ) -> Self:
        """Weigh the grid by people whose classes are known.

        Parameters
        ----------
        heard, known
            The evidence of people whose classes need not be known, under a confusion, and the logarithms of the
            probabilities of their classes without it: these fit the trust.
        judging, judges
            The same evidence of the judges; what is known of them, and their classes.
        """
        confusions = tuple(Confusion(likeliest_trust(heard, known, skill), skill) for skill in _SKILLS)
        before = np.array([NOTHING, *[(1 - NOTHING) / (len(_SKILLS) - 1)] * (len(_SKILLS) - 1)])
        prior, targets = judges
        people = np.arange(len(targets))
        fits = [normalised(prior + judging(one))[people, targets].sum() for one in confusions]
        beliefs = before * np.exp(np.array(fits) - max(fits))
        return cls(confusions, beliefs / beliefs.sum())


def likeliest_trust(heard: Callable[[Confusion], Floats], known: Floats, skill: float) -> float:
    """Return the trust that makes the codes of people likeliest, whatever their classes are."""
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp

    def loss(logarithm: float) -> float:
        codes = logsumexp(known + heard(Confusion(float(np.exp(logarithm)), skill)), axis=1)
        return float(0.5 * (logarithm / _SPREAD) ** 2 - codes.sum())

    found = minimize_scalar(loss, bounds=_TRUSTS, method="bounded", options={"xatol": 0.1})
    return float(np.exp(found.x))
