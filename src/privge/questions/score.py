"""A question for the score that a public model gives a profile: a number, clipped between two public integers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privge._typing import Levels
from privge.errors import BadData
from privge.mechanisms import MAX_LEVELS
from privge.questions.encoding import Encoding
from privge.questions.features.feature import Misfits
from privge.questions.levels import NumericQuestion, check_mechanism
from privge.questions.people import People
from privge.questions.question import AnyLaw
from privge.questions.stated import integer, text
from privge.questions.subject import about_profile
from privge.questions.weighted import Weighted


@dataclass(frozen=True)
class Score(NumericQuestion, Weighted):
    """How high is the score of a public model? Clipped, on a grid, through any law of numbers; decodes to one column.

    Parameters
    ----------
    encoding
        The profile.
    weights
        One row of integers, an entry for each coordinate.
    low, high
        Public integers between which the score is clipped; they decode to -1 and 1.
    levels
        Levels of the grid between them, 1,025 by default.
    mechanism
        A name of `privge.mechanisms.laws`, by default ``hds``.
    bias, normalised, shift, fraction
        As for `Model`.
    name
        What its column is called.
    laws
        Given by a campaign.
    """

    kind = "score"

    encoding: Encoding
    weights: tuple[tuple[int, ...], ...]
    low: int
    high: int
    levels: int = 1025
    mechanism: str = "hds"
    bias: tuple[int, ...] | None = None
    normalised: bool = False
    shift: int = 0
    fraction: int | None = None
    name: str = "score"
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        text("name", self.name)
        levels = integer("levels", self.levels, 2, MAX_LEVELS)
        low, high = (integer(name, getattr(self, name), -(2**52), 2**52) for name in ("low", "high"))
        if not (low < high and 2 * (high - low) * levels < 2**53):
            raise BadData(f"low must be below high, and 2 (high - low) levels below 2**53, got {low} and {high}")
        check_mechanism(self.mechanism)
        self._settle(1)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def title(self) -> str:
        return self.name

    def words(self) -> str:
        """Say in words what is asked."""
        return (
            f"the score of a public model, clipped to {self.low} … {self.high}, computed on the device "
            f"from {len(self.encoding.features):,} features"
        )

    def answers(self, people: People, places: Sequence[int]) -> tuple[Levels, list[Misfits]]:
        """Return the level of each person's score: clipped, and rounded to the nearest, halves upwards."""
        scores, misfits = self.scored(people, places)
        above, span = np.clip(scores[:, 0], self.low, self.high) - self.low, self.high - self.low
        return (2 * above * (self.levels - 1) + span) // (2 * span), misfits

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        own = {name: getattr(self, name) for name in ("low", "high", "levels", "mechanism", "name")}
        return {**super().to_document(), **own}


def score_of(document: Mapping[str, object]) -> Score:
    """Read a score question."""
    return about_profile(Score, document)
