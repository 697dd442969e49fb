"""A question for the score that a public model gives a profile: a number, clipped between two public integers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Levels, Words
from privge.errors import BadData
from privge.mechanisms import MAX_LEVELS, Law, laws
from privge.questions.encoding import Encoding, Misfits
from privge.questions.model import model_document, settle_weights
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise, Question, drawn
from privge.questions.scores import scores
from privge.questions.stated import integer, made_of, one_of, text


@dataclass(frozen=True)
class Score(Question):
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
    bias
        As for `Model`.
    normalised
        As for `Model`.
    shift, fraction
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
        if not isinstance(self.encoding, Encoding):
            raise BadData("a score question is about an Encoding")
        text("name", self.name)
        levels = integer("levels", self.levels, 2, MAX_LEVELS)
        low, high = (integer(name, getattr(self, name), -(2**52), 2**52) for name in ("low", "high"))
        if not (low < high and 2 * (high - low) * levels < 2**53):
            raise BadData(f"low must be below high, and 2 (high - low) levels below 2**53, got {low} and {high}")
        one_of("mechanism", self.mechanism, [name for name in laws() if laws()[name].fixed_epsilon is None])
        settle_weights(self, 1)

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        return self.encoding.raw_names

    @property
    def raw_width(self) -> int:
        return self.encoding.raw_width

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

    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon."""
        return laws()[self.mechanism].for_epsilon(epsilon, self.levels)

    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law of another mechanism or grid."""
        if not isinstance(law, Law) or law.name != self.mechanism or law.levels != self.levels:
            raise BadData(f"the law must be a {self.mechanism} law of {self.levels} levels")

    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""
        return laws()[self.mechanism].from_parameters(parameters)

    def answers(self, people: People, places: Sequence[int]) -> tuple[Levels, list[Misfits]]:
        """Return the level of each person's score: clipped, and rounded to the nearest, halves upwards."""
        coordinates, misfits = self.encoding.encoded(people, places)
        each = scores(coordinates, *self.integers, digits=self.digits)[:, 0]
        above, span = np.clip(each, self.low, self.high) - self.low, self.high - self.low
        return (2 * above * (self.levels - 1) + span) // (2 * span), misfits

    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes."""
        levels, misfits = self.answers(people, places)
        return Answers(self._law.codes(levels, words), misfits)

    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code."""
        levels, misfits = self.answers(person, places)
        return drawn(self._law, levels, word), misfits

    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit."""
        return self.encoding.encoded(people, places)[1]

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return one column."""
        return self._law.decode(codes, decoding).astype(np.float32)[:, None]

    @property
    def noise(self) -> Noise:
        """Exact moments at the middle level."""
        mean, second = self._law.moments((self.levels - 1) // 2)
        gain = self._law.gain
        return Noise(np.array([float(second / gain**2)]), np.array([float((mean / gain) ** 2)]))

    @cached_property
    def integers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weights and bias as arrays."""
        return np.array(self.weights, dtype=np.int64), np.array(self.bias, dtype=np.int64)

    @property
    def digits(self) -> tuple[int, int] | None:
        """Shift and fraction of normalised scores."""
        return (self.shift, self.fraction or 0) if self.normalised else None

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        own = {name: getattr(self, name) for name in ("low", "high", "levels", "mechanism", "name")}
        return {**model_document(self), **own}

    @property
    def _law(self) -> Law:
        law = self.law
        assert isinstance(law, Law)  # noqa: S101 (checked with the campaign)
        return law


def score_of(document: Mapping[str, object]) -> Score:
    """Read a score question."""
    stated = dict(document)
    encoding = Encoding.from_document(stated.pop("features", None))
    return made_of(Score, {"encoding": encoding, **stated})
