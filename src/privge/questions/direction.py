"""A question for a whole profile: which of the public directions of a person it is near to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Words
from privge.errors import BadData
from privge.mechanisms import Nearest
from privge.mechanisms.directions import (
    LARGEST,
    RULE,
    chosen_directions,
    directions_of,
    scores_of,
    state_of,
    states_of,
)
from privge.mechanisms.nearest import DEFAULT_DIRECTIONS, MAX_DIRECTIONS
from privge.questions.encoding import Encoding
from privge.questions.features.feature import Misfits
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise
from privge.questions.stated import EXACT, integer, one_of
from privge.questions.subject import AboutProfile, about_profile


@dataclass(frozen=True)
class Direction(AboutProfile):
    """Where does the whole profile point? One of the public directions of this person, near ones likelier.

    It decodes to a column for each coordinate: an unbiased estimate of the profile at length 1, whose noise has the
    same known variance in every coordinate (`privge.mechanisms.Nearest`).

    Parameters
    ----------
    encoding
        The profile.
    directions
        How many public directions each person has, 64 by default.
    rule
        How they follow from campaign and node; there is only one.
    laws
        Given by a campaign.
    """

    kind = "direction"

    encoding: Encoding
    directions: int = DEFAULT_DIRECTIONS
    rule: str = RULE
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("directions", self.directions, 2, MAX_DIRECTIONS)
        one_of("rule", self.rule, (RULE,))
        if LARGEST * sum(self.encoding.largest) >= EXACT:
            raise BadData("the coordinates are too large: an inner product could exceed 2**53; lower their scales")

    @property
    def names(self) -> tuple[str, ...]:
        return self.encoding.names

    @property
    def title(self) -> str:
        return "direction"

    def words(self) -> str:
        """Say in words what is asked."""
        return (
            f"which of {self.directions} public directions the whole profile is near to, "
            f"of {self.encoding.columns:,} coordinates from {len(self.encoding.features):,} features"
        )

    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon."""
        return Nearest.for_epsilon(epsilon, self.directions)

    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law of another kind or number of directions."""
        if not isinstance(law, Nearest) or law.directions != self.directions:
            raise BadData(f"the law must be that of {self.directions} directions")

    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""
        return Nearest.from_parameters(parameters)

    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes; the directions are never all in memory."""
        coordinates, misfits = self.encoding.encoded(people, places)
        states = states_of(asked.campaign, asked.question, asked.nodes)
        return Answers(self._law.codes(scores_of(coordinates, states, self.directions), words), misfits)

    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code."""
        coordinates, misfits = self.encoding.encoded(person, places)
        state = state_of(asked.campaign, asked.question, asked.nodes[0])
        scores = directions_of(state, self.directions, self.encoding.columns) @ coordinates[0]
        return self._law.code(scores, word), misfits

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return the reported direction; unbiased, divided by the gain."""
        states = states_of(asked.campaign, asked.question, asked.nodes)
        reported = chosen_directions(states, codes, self.encoding.columns)
        if decoding == "raw":
            return reported
        if decoding != "unbiased":
            raise ValueError(f"decoding must be 'raw' or 'unbiased', got {decoding!r}")
        return reported / np.float32(self._law.gain)

    @property
    def noise(self) -> Noise:
        """Moments in a coordinate in which the profile is 0; along the profile see `privge.mechanisms.Nearest`."""
        columns = self.encoding.columns
        return Noise(np.full(columns, self._law.noise), np.zeros(columns))

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        features = self.encoding.to_document()
        return {"kind": self.kind, "directions": self.directions, "rule": self.rule, "features": features}

    @property
    def _law(self) -> Nearest:
        law = self.law
        assert isinstance(law, Nearest)  # noqa: S101 (checked with the campaign)
        return law


def direction_of(document: Mapping[str, object]) -> Direction:
    """Read a direction question."""
    return about_profile(Direction, document)
