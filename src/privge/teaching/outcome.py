"""What teaching and asking came to: accuracy beside the structure's, overall and by the number of friends."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.campaign import Campaign
from privge.graph.labelled import Rows
from privge.tasks import Fusion
from privge.tasks.friends import by_friends
from privge.teaching.question import TaughtQuestion
from privge.teaching.roles import Roles


@dataclass(frozen=True, slots=True)
class Row:
    """Accuracy for some people, in percent.

    Parameters
    ----------
    people, count
        Who they are, and how many of them were judged.
    structure, fused
        Accuracy of the structure, which knows the same labels, and accuracy with the answers.
    """

    people: str
    count: int
    structure: float
    fused: float

    @property
    def lift(self) -> float:
        """What the answers add, in points."""
        return self.fused - self.structure


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """A run of the two steps.

    Parameters
    ----------
    rows
        Accuracy on the test people, for everybody and by the number of friends.
    roles
        Who taught, who was asked.
    question
        What was learnt.
    teaching, asking
        The two campaigns; of a panel there is no first one. None is asked if nobody's answer could matter.
    fusion
        Of structure and answers.
    device
        How often the question's own class is right, in percent of the asked test people: before any noise, with the
        public prior.
    """

    rows: tuple[Row, ...]
    roles: Roles
    question: TaughtQuestion
    teaching: Campaign | None
    asking: Campaign | None
    fusion: Fusion
    device: float

    @property
    def structure(self) -> float:
        """Accuracy of the structure with the same labels, in percent."""
        return self.rows[0].structure

    @property
    def accuracy(self) -> float:
        """Accuracy of structure and answers, in percent."""
        return self.rows[0].fused

    @property
    def lift(self) -> float:
        """What the answers add, in points."""
        return self.rows[0].lift

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        answers = self.fusion.contributions.get("answers")
        return {
            "structure": self.structure,
            "accuracy": self.accuracy,
            "lift": self.lift,
            "by friends": [{**asdict(row), "lift": row.lift} for row in self.rows],
            "teachers": len(self.roles.teachers),
            "asked": len(self.roles.asked),
            "judges": len(self.roles.judges),
            "device": self.device,
            "weights": dict(self.fusion.weights),
            "answers": None if answers is None else asdict(answers),
            "kept": self.question.teaching.kept,
        }


def rows_by_friends(
    degrees: NDArray[np.int64], labels: NDArray[np.int64], test: Rows, structure: Floats, fused: Floats
) -> tuple[Row, ...]:
    """Return accuracy on the test people, overall and by the number of friends; groups without anybody are left out.

    Parameters
    ----------
    degrees
        Of every node.
    labels
        The class of every node, as a column.
    test
        Who is judged.
    structure, fused
        Probabilities of every node's classes.
    """
    hits = [100.0 * (found.argmax(axis=1)[test] == labels[test]) for found in (structure, fused)]
    return tuple(_rows(degrees[test], *hits))


def _rows(degrees: NDArray[np.int64], structure: Floats, fused: Floats) -> Iterator[Row]:
    for name, inside in by_friends(degrees):
        if inside.any():
            yield Row(name, int(inside.sum()), float(structure[inside].mean()), float(fused[inside].mean()))
