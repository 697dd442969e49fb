"""`TaughtQuestion`: a public model that was learnt from teachers, in floats, and the question that devices compute.

Devices compute integers. `TaughtQuestion.rounded` has the model with integer weights and the unit of its scores;
`TaughtQuestion.assignment` has the personal part: which classes a person is asked about, and integers that stand for
what the public prior of their node says already.
"""

import json
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from privge._files.atomic import atomic_path
from privge._files.mistaken import refused_document, refused_table
from privge._typing import Floats
from privge.campaign import Assignment
from privge.errors import BadData
from privge.graph.labels import Classes
from privge.ids import Ids
from privge.questions import Encoding, Model, rounded_model
from privge.teaching.roles import Roles
from privge.teaching.sealed import check_seal, sealed

FORMAT = "privge-question-1"
_LARGEST_UNIT = 2**26
_SMALL = 0.25  # largest weights below it would get a unit above that
_LEAST_LOG = -15.0  # offsets of less likely classes are taken as this


class Rounded(NamedTuple):
    """A model in integers, and what 1 of the scores in floats is in integers."""

    model: Model
    unit: int


@dataclass(frozen=True, slots=True)
class Teaching:
    """How a question was learnt, for whoever reads or approves it.

    It stands in the question's file, beside the weights.

    Parameters
    ----------
    by
        ``reports``, each with local privacy, or ``panel``: people who agreed to hand out their profile.
    people
        How many taught.
    labelled
        How many of them had a known label.
    epsilon
        Of each teacher's report; None for a panel, which has no local privacy.
    campaign
        Id of the teachers' campaign.
    kept
        The share of what was estimated that survived shrinking: near 0, nothing was learnt.
    round
        Round of the teachers' campaign, in which whoever is asked must not report a second time.
    """

    by: str
    people: int
    labelled: int
    epsilon: float | None
    campaign: str | None
    kept: float
    round: str | None = None

    def words(self) -> str:
        """Say in words who taught, and what it cost them."""
        if self.by == "panel":
            return (
                f"{self.people:,} people who agreed handed out their whole profile to the curator. They have no local "
                "privacy, and the question may reveal what they are like to everybody who reads it"
            )
        return (
            f"{self.people:,} people, {self.labelled:,} of them labelled, each by one report with epsilon "
            f"{self.epsilon:g}. The question follows from these reports alone and costs nobody anything more"
        )


@dataclass(frozen=True, eq=False, slots=True)
class TaughtQuestion:
    """A question for devices: which of these classes their profile resembles.

    Parameters
    ----------
    encoding, classes
        The public encoding of profiles, and what the classes are called.
    weights
        Of the profile at length 1: one row for each class, one column for each coordinate. Scores are log-odds.
    bias
        One for each class.
    teaching
        How it was learnt.
    """

    encoding: Encoding
    classes: tuple[str, ...]
    weights: Floats
    bias: Floats
    teaching: Teaching

    def rounded(self) -> Rounded:
        """Return the question in integers, as finely as 2**53 and offsets of 31 binary digits allow."""
        if np.abs(self.weights).max() >= _SMALL:
            return Rounded(
                *rounded_model(self.encoding, self.weights, self.bias, classes=self.classes, normalised=True)
            )
        weights = [[int(weight) for weight in row] for row in np.rint(self.weights * _LARGEST_UNIT).tolist()]
        bias = [int(one) for one in np.rint(self.bias * _LARGEST_UNIT).tolist()]
        return Rounded(Model(self.encoding, weights, bias, self.classes, True), _LARGEST_UNIT)  # type: ignore[arg-type]

    def assignment(self, ids: Ids, prior: Floats, roles: Roles) -> Assignment:
        """Return who is asked, about which classes, with the integers that stand for their public prior.

        Parameters
        ----------
        ids
            The node of each row.
        prior
            Public log-probabilities of classes, a row for each node.
        roles
            Who is asked about what.
        """
        own = prior[roles.asked]
        relative = np.maximum(own - own.max(axis=1, keepdims=True), _LEAST_LOG)
        offsets = np.rint(relative * self.rounded().unit).astype(np.int64)
        return Assignment.of(
            ids[roles.asked], roles.classes, np.take_along_axis(offsets, np.maximum(roles.classes, 0), axis=1)
        )

    def to_document(self) -> dict[str, Any]:
        """Return the question as plain values: integers as devices compute them, who taught it, and hashes of each."""
        model, unit = self.rounded()
        return sealed(
            {
                "format": FORMAT,
                "taught by": self.teaching.words(),
                "teaching": asdict(self.teaching),
                "unit": unit,
                "question": model.to_document(),
            }
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the document; the file is complete or absent."""
        with atomic_path(Path(path)) as partial:
            partial.write_text(json.dumps(self.to_document(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote; a file of another kind is refused with what it is."""
        content = Path(path).read_bytes()
        if other := refused_table(content):
            raise BadData(f"{path}: {other}. A question is a document in JSON")
        try:
            return cls.from_document(json.loads(content))
        except (json.JSONDecodeError, UnicodeDecodeError, BadData) as error:
            raise BadData(f"{path}: {error}") from error

    @classmethod
    def from_document(cls, document: object) -> Self:
        """Read what `to_document` returned; integers come back as they are. What was changed since is refused."""
        from privge.questions import question_of

        if not isinstance(document, dict) or document.get("format") != FORMAT:
            other = refused_document(document, "privge-question")
            raise BadData(other or f"this is not a question: its format must be {FORMAT!r}")
        check_seal(document)
        model, unit = question_of(document.get("question")), document.get("unit")
        if not isinstance(model, Model) or not isinstance(unit, int) or unit < 1:
            raise BadData("the question must be a model, and its unit an integer")
        try:
            teaching = Teaching(**document["teaching"])
        except (KeyError, TypeError) as error:
            raise BadData("it must say how the question was taught") from error
        weights, bias = (np.array(part, dtype=np.float64) / unit for part in (model.weights, model.bias))
        return cls(model.encoding, model.classes, weights, bias, teaching)


def class_names(classes: Classes) -> tuple[str, ...]:
    """Return what classes are called in a question."""
    return tuple(str(one) for one in classes.tolist())
