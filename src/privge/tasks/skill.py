"""`Skill`: what judges make one believe of how much devices know, from nothing at all to everything.

How much an answer follows the class is not estimated as one number but believed in, on a grid, with a first place for
"the device knows nothing"; see `privge.tasks.Answers`. Each place has the habits that make the codes of everybody who
was asked likeliest, whose classes nobody knows (`privge.tasks.habits`): so a device that always repeats the public
prior, or always says the same, is found out by thousands of people, not by the few who judge. Only what is left,
whether answers follow the class, is judged by labels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.tasks.logit import normalised

NOTHING = 0.5
"""How likely it is, before anybody is judged, that devices know nothing."""

SKILLS = (0.0, 0.2, 0.4, 0.7, 1.1, 1.8, 3.0, 5.0, 9.0)
"""How much answers may follow the class, from not at all."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """How a device's answer follows from its class; see `privge.tasks.answers`.

    Parameters
    ----------
    trust
        ``a``: how much the answer follows the public prior.
    skill
        ``b``: how much it follows the class. 0 is a model that knows nothing.
    leanings
        ``t``: how much the answer leans towards each class, whatever prior and class are; none if there are none.
    """

    trust: float
    skill: float
    leanings: tuple[float, ...] = ()


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
        cls, confusions: Sequence[Confusion], evidence: Callable[[Confusion], Floats], known: Floats, targets: Rows
    ) -> Self:
        """Weigh confusions by people whose classes are known.

        Parameters
        ----------
        confusions
            One for each of `SKILLS`.
        evidence
            What the codes of the judges say, under a confusion.
        known, targets
            The logarithms of the probabilities of the judges' classes without their codes, and their classes.
        """
        others = len(confusions) - 1
        before = np.array([NOTHING, *[(1 - NOTHING) / others] * others])
        people = np.arange(len(targets))
        fits = [normalised(known + evidence(one))[people, targets].sum() for one in confusions]
        beliefs = before * np.exp(np.array(fits) - max(fits))
        return cls(tuple(confusions), beliefs / beliefs.sum())
