"""A question for a single value: a number on its grid, or yes or no."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Floats, Words
from privge.errors import BadData
from privge.mechanisms import Law, MultiBit, laws
from privge.questions.encoding import Misfits, feature_of
from privge.questions.features import CountFeature, NumberFeature, YesNoFeature
from privge.questions.features.feature import SingleFeature
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise, Question, drawn
from privge.questions.stated import one_of
from privge.random import TOTAL


class _Single(Question):
    """A question for one feature of one value, answered through a law of numbers; decodes to one column."""

    feature: SingleFeature
    mechanism: str

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        return (self.feature.name,)

    @property
    def raw_width(self) -> int:
        return 1

    @property
    def names(self) -> tuple[str, ...]:
        return (self.feature.name,)

    @property
    def title(self) -> str:
        return self.feature.name

    def words(self) -> str:
        """Say in words what is asked."""
        return self.feature.words()

    def law_for(self, epsilon: Fraction, size: int | None) -> AnyLaw:
        """Build the law for a share of epsilon."""
        return laws()[self.mechanism].for_epsilon(epsilon, self.feature.levels)

    def check_law(self, law: AnyLaw, size: int | None) -> None:
        """Refuse a law of another mechanism or grid."""
        if not isinstance(law, Law) or law.name != self.mechanism or law.levels != self.feature.levels:
            raise BadData(f"the law must be a {self.mechanism} law of {self.feature.levels} levels")

    def read_law(self, parameters: Mapping[str, object]) -> AnyLaw:
        """Read a law from a document."""
        return laws()[self.mechanism].from_parameters(parameters)

    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes."""
        levels, outside, absent = self.feature.read(people, places)
        return Answers(self._law.codes(levels, words), [Misfits(self.feature, outside, absent)])

    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code."""
        levels, outside, absent = self.feature.read(person, places)
        return drawn(self._law, levels, word), [Misfits(self.feature, outside, absent)]

    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit."""
        _, outside, absent = self.feature.read(people, places)
        return [Misfits(self.feature, outside, absent)]

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return one column: low bounds are -1 and high bounds 1."""
        return self._law.decode(codes, decoding).astype(np.float32)[:, None]

    @property
    def noise(self) -> Noise:
        """Exact moments at the middle level."""
        mean, second = self._law.moments((self._law.levels - 1) // 2)
        gain = self._law.gain
        return Noise(np.array([float(second / gain**2)]), np.array([float((mean / gain) ** 2)]))

    @property
    def _law(self) -> Law:
        law = self.law
        assert isinstance(law, Law)  # noqa: S101 (checked with the campaign)
        return law


@dataclass(frozen=True)
class Number(_Single):
    """How large is it? A number on its grid, through any law of numbers; decodes to one column.

    Parameters
    ----------
    feature
        The number.
    mechanism
        A name of `privge.mechanisms.laws`, such as ``hds`` (the default).
    laws
        Given by a campaign.
    """

    kind = "number"

    feature: NumberFeature
    mechanism: str = "hds"
    laws: tuple[AnyLaw, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.feature, NumberFeature) or isinstance(self.feature, CountFeature):
            raise BadData("a number question is about a NumberFeature")
        numeric = [name for name in laws() if laws()[name].fixed_epsilon is None]
        one_of("mechanism", self.mechanism, numeric)

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        return {**self.feature.to_document(), "mechanism": self.mechanism}


@dataclass(frozen=True)
class YesNo(_Single):
    """Yes or no? Through the two-point law; decodes to one column, no is -1 and yes is 1.

    Parameters
    ----------
    feature
        The answer.
    laws
        Given by a campaign.
    """

    kind = "yes-no"

    feature: YesNoFeature
    laws: tuple[AnyLaw, ...] = ()

    mechanism = MultiBit.name

    def __post_init__(self) -> None:
        if not isinstance(self.feature, YesNoFeature):
            raise BadData("a yes-no question is about a YesNoFeature")

    @property
    def options(self) -> tuple[str, ...]:
        return ("no", "yes")

    def log_likelihood(self, codes: Codes, asked: Asked) -> Floats:
        """Return the log-likelihood of no and of yes, over that of an answer at random."""
        weights = np.array([self._law.weights(level) for level in (0, 1)], dtype=np.float64)
        return np.asarray(np.log(2 * weights / TOTAL).T[codes])

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it."""
        return self.feature.to_document()


def number_of(document: Mapping[str, object]) -> Number:
    """Read a number question: the fields of its feature, and the mechanism."""
    stated = dict(document)
    mechanism = stated.pop("mechanism", next(f.default for f in fields(Number) if f.name == "mechanism"))
    return Number(feature_of({"kind": "number", **stated}), mechanism)  # type: ignore[arg-type]


def yes_no_of(document: Mapping[str, object]) -> YesNo:
    """Read a yes-no question: the fields of its feature."""
    return YesNo(feature_of({"kind": "yes-no", **document}))  # type: ignore[arg-type]
