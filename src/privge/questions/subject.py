"""What a question is about: one feature of a person, or the whole profile."""

from collections.abc import Mapping, Sequence
from typing import Any

from privge._typing import Levels
from privge.errors import BadData
from privge.questions.encoding import Encoding
from privge.questions.features import ChoiceFeature
from privge.questions.features.feature import Misfits, SingleFeature
from privge.questions.levels import LevelQuestion
from privge.questions.people import People
from privge.questions.question import Question
from privge.questions.stated import Made, made_of


class AboutFeature(LevelQuestion):
    """A question for the level of one feature, which has one raw column; its answer decodes to the coordinates."""

    feature: SingleFeature | ChoiceFeature

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        return (self.feature.name,)

    @property
    def raw_width(self) -> int:
        return 1

    @property
    def names(self) -> tuple[str, ...]:
        return self.feature.columns

    @property
    def title(self) -> str:
        return self.feature.name

    def words(self) -> str:
        """Say in words what is asked."""
        return self.feature.words()

    def answers(self, people: People, places: Sequence[int]) -> tuple[Levels, list[Misfits]]:
        """Return the level of each person's value, and how many did not fit."""
        levels, outside, absent = self.feature.read(people, places)
        return levels, [Misfits(self.feature, outside, absent)]

    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit."""
        return self.answers(people, places)[1]

    def to_document(self) -> dict[str, Any]:
        """Return the question as a document has it: the fields of its feature."""
        return self.feature.to_document()


class AboutProfile(Question):
    """A question that is computed from all coordinates of an encoding."""

    encoding: Encoding

    def __post_init__(self) -> None:
        if not isinstance(self.encoding, Encoding):
            raise BadData(f"a {self.kind} question is about an Encoding")

    @property
    def raw_names(self) -> tuple[str, ...] | None:
        return self.encoding.raw_names

    @property
    def raw_width(self) -> int:
        return self.encoding.raw_width

    def misfits(self, people: People, places: Sequence[int]) -> list[Misfits]:
        """Return how many values do not fit."""
        return self.encoding.encoded(people, places)[1]


def about_profile(kind: type[Made], document: Mapping[str, object]) -> Made:
    """Read a question about a profile: the features of its encoding, and its own fields."""
    stated = dict(document)
    encoding = Encoding.from_document(stated.pop("features", None))
    return made_of(kind, {"encoding": encoding, **stated})
