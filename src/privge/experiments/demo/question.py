"""The answered question of the demonstration: who teaches, who is asked, and one person's answer."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from privge._typing import Floats
from privge.campaign.asking import asked as questions_asked
from privge.experiments.demo.halves import FEW, Halves
from privge.questions import Encoding
from privge.questions.people import people_of
from privge.structure import NodeChannel
from privge.tasks import NodeSplit
from privge.teaching import Design, Null, Outcome, two_step


@dataclass(frozen=True, eq=False)
class Asked:
    """One run of teaching and asking.

    Parameters
    ----------
    halves
        Who is known, and who is to be found.
    outcome
        Who taught, who was asked, and what their answers were worth.
    """

    halves: Halves
    outcome: Outcome

    @classmethod
    def of(cls, halves: Halves, prior: NodeChannel, epsilon: float, *, seed: int, null: Null | None = None) -> Self:
        """Teach and ask at a budget; ``null`` is a control that must fail."""
        network = halves.network
        outcome = two_step(
            network.graph,
            network.features,
            network.labels,
            encoding=Encoding.numbers(network.features.shape[1], 0, 1),
            split=NodeSplit(halves.train, halves.validation, halves.test),
            design=Design(epsilon=epsilon),
            null=null,
            structure=prior,
            seed=seed,
        )
        return cls(halves, outcome)

    @property
    def alone(self) -> Floats:
        """Of each community for each person, by the graph alone."""
        return self.outcome.fusion.structure

    @property
    def probabilities(self) -> Floats:
        """Of each community for each person, by the graph and the answers."""
        return self.outcome.fusion.probabilities

    def person(self) -> "Person | None":
        """Return the first person to be found, with one or two friends, who was asked; whatever came of it."""
        friends = self.halves.network.graph.degrees
        candidates = np.flatnonzero(np.isin(self.outcome.roles.asked, self.halves.test))
        rows = self.outcome.roles.asked[candidates]
        few = candidates[(friends[rows] <= FEW) & (friends[rows] > 0)]
        return None if self.outcome.asking is None or not len(few) else Person.of(self, int(few[0]))


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was asked.

    Parameters
    ----------
    name, friends
        Who it is, and how many friends they have.
    community
        Their true community, which nobody knows.
    before, after
        How likely each community is, without and with the answer.
    asked
        The communities that they were asked about.
    truth, sent
        What their device computed, and what it sent.
    honest
        How likely it was to send what it had computed.
    """

    name: str
    friends: int
    community: int
    before: list[float]
    after: list[float]
    asked: list[int]
    truth: int
    sent: int
    honest: float

    @classmethod
    def of(cls, asked: Asked, place: int) -> Self:
        """Tell of somebody by their place among those who were asked."""
        outcome, network = asked.outcome, asked.halves.network
        assert outcome.asking is not None  # noqa: S101 (somebody was asked)
        row = int(outcome.roles.asked[place])
        classes = [int(one) for one in outcome.roles.classes[place] if one >= 0]
        model, node = outcome.question.rounded().model, network.graph.ids[[row]].tolist()
        profile = people_of(network.features[[row]], None, network.features.shape[1])
        levels, _ = model.answers(profile, range(model.raw_width), questions_asked(outcome.asking, 0, node))
        before, after = asked.alone[row], asked.probabilities[row]
        moved = after[classes] / before[classes]
        odds = float(np.exp(outcome.asking.epsilon))
        return cls(
            name=str(network.graph.ids[row]),
            friends=int(network.graph.degrees[row]),
            community=int(network.labels[row]),
            before=before.tolist(),
            after=after.tolist(),
            asked=classes,
            truth=classes[int(levels[0])],
            sent=classes[int(moved.argmax())],
            honest=odds / (odds + len(classes) - 1),
        )
