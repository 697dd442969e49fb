"""Questions whose answer is one level of a law, and among them those that are answered through a law of numbers."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Decoding, Levels, Words
from privge.errors import BadData
from privge.mechanisms import Law, laws
from privge.questions.features.feature import Misfits
from privge.questions.people import People
from privge.questions.question import Answers, AnyLaw, Asked, Noise, Question, drawn
from privge.questions.stated import one_of


class LevelQuestion(Question):
    """A question that everybody answers through the same law of levels."""

    @abstractmethod
    def answers(self, people: People, places: Sequence[int]) -> tuple[Levels, list[Misfits]]:
        """Return the level of each person's answer, and what did not fit."""

    def simulate(self, people: People, places: Sequence[int], asked: Asked, words: Words) -> Answers:
        """Return everybody's codes."""
        levels, misfits = self.answers(people, places)
        return Answers(self._law.codes(levels, words), misfits)

    def draw(self, person: People, places: Sequence[int], asked: Asked, word: int) -> tuple[int, list[Misfits]]:
        """Return one person's code."""
        levels, misfits = self.answers(person, places)
        return drawn(self._law, levels, word), misfits

    @property
    def _law(self) -> Law:
        law = self.law
        assert isinstance(law, Law)  # noqa: S101 (checked with the campaign)
        return law


class NumericQuestion(LevelQuestion):
    """A question for a number on a grid, answered through a law of numbers; decodes to one column."""

    mechanism: str

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many levels the grid has."""

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

    def decode(self, codes: Codes, asked: Asked, decoding: Decoding) -> NDArray[np.float32]:
        """Return one column: low bounds are -1 and high bounds 1."""
        return self._law.decode(codes, decoding).astype(np.float32)[:, None]

    @property
    def noise(self) -> Noise:
        """Exact moments at the middle level."""
        mean, second = self._law.moments((self.levels - 1) // 2)
        gain = self._law.gain
        return Noise(np.array([float(second / gain**2)]), np.array([float((mean / gain) ** 2)]))


def check_mechanism(name: str) -> None:
    """Refuse what is not the name of a law of numbers, or names a control."""
    one_of("mechanism", name, [each for each, law in laws().items() if law.fixed_epsilon is None])
