"""Labels that people gave under m-ary randomised response, and what is known of their noise.

With ``m`` classes a person reports their own with probability p and each other one with probability q. If a model says
that a node has class c with probability ``f(c)``, then it *reports* class c with probability ``q + (p - q) f(c)``. The
forward-corrected loss is minus the logarithm of that, for the class that was reported: its minimum over all models is
the true ``f``, where the plain loss has its minimum at the blurred one, and a report that disagrees with everything
else costs at most ``-log q``. The same relation read backwards (`LabelNoise.unmixed`) turns whatever is linear in
labels, or a calibrated probability of the *reported* class, into one of the true class.

*Privacy.* Labels are a campaign of their own. Somebody who gives features and a label spends the sum of both epsilons,
which the ledgers of device and store add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.errors import BadData
from privge.graph.labels import Classes, Labels
from privge.ids import Ids
from privge.mechanisms import Choice as ChoiceLaw
from privge.questions import Choice
from privge.random import TOTAL
from privge.reports import Reports


@dataclass(frozen=True, slots=True)
class LabelNoise:
    """How labels were perturbed.

    Parameters
    ----------
    classes
        All classes that could be answered, in the order of the levels of the law.
    own
        Probability that somebody reports their own class.
    other
        Probability of each other class.
    """

    classes: tuple[Any, ...]
    own: float
    other: float

    def __post_init__(self) -> None:
        total = self.own + (len(self.classes) - 1) * self.other
        if len(self.classes) < 2 or not 0 < self.other < self.own < 1 or abs(total - 1) > 1e-9:
            raise ValueError("the probabilities of the classes must sum to 1, and the own class must be the likeliest")

    @classmethod
    def of_law(cls, law: ChoiceLaw, classes: Sequence[Any]) -> Self:
        """Take the probabilities of an exact law."""
        if len(classes) != law.levels:
            raise ValueError(f"{len(classes)} classes for a law of {law.levels} values")
        return cls(tuple(classes), law.high / TOTAL, law.low / TOTAL)

    @classmethod
    def of(cls, campaign: Campaign) -> Self:
        """Take classes and law of a campaign that asks for a label: one question, a choice."""
        question = _label_question(campaign)
        law = question.law
        if not isinstance(law, ChoiceLaw):
            raise BadData("the question of the campaign does not have the law of a choice")
        return cls.of_law(law, question.feature.values)

    def places(self, labels: Labels) -> NDArray[np.int64]:
        """Return where the class of each node stands among the classes, -1 if it has none."""
        where = {name: place for place, name in enumerate(self.classes)}
        strange = [name for name in labels.classes.tolist() if name not in where]
        if strange:
            raise ValueError(f"the class {strange[0]!r} is not one that could be answered")
        columns = np.array([where[name] for name in labels.classes.tolist()] + [-1], dtype=np.int64)
        found: NDArray[np.int64] = columns[labels.places]  # a place of -1 takes the last
        return found

    def soft(self, labels: Labels) -> Floats:
        """Return a column for each class whose mean is 1 for the true class and 0 for others; zeros if unknown."""
        places = self.places(labels)
        known = places >= 0
        soft = np.zeros((len(places), len(self.classes)))
        soft[known] = -self.other / (self.own - self.other)
        soft[np.flatnonzero(known), places[known]] += 1 / (self.own - self.other)
        return soft

    def unmixed(self, mass: Floats) -> Floats:
        """Return what a column for each class would be with the true labels; nothing is below 0, and sums stay.

        Parameters
        ----------
        mass
            Whatever is linear in the reported labels, as `privge.tasks.label_mass` is, or calibrated probabilities of
            the reported class, as those of `privge.structure.node_channel`.
        """
        total = mass.sum(axis=1, keepdims=True)
        unbiased = np.maximum((mass - self.other * total) / (self.own - self.other), 0.0)
        scale = np.divide(total, unbiased.sum(axis=1, keepdims=True), out=np.ones_like(total), where=total > 0)
        result: Floats = unbiased * scale
        return result


def private_labels(reports: Reports) -> tuple[Ids, Classes]:
    """Return ids and reported classes of a campaign that asks for a label: labels by id, with `LabelNoise.of`."""
    values = np.array(_label_question(reports.campaign).feature.values)
    reported: Classes = values[reports.codes[:, 0]]
    return reports.ids, reported


def _label_question(campaign: Campaign) -> Choice:
    asked = campaign.questions or ()
    if len(asked) != 1 or not isinstance(asked[0], Choice):
        raise BadData("labels are answers to a campaign with one question, which is a choice")
    return asked[0]
