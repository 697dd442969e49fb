"""One of a public list of values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.mechanisms import MAX_LEVELS
from privge.questions.features.feature import LARGEST_SCALE, SPAN, Encoded, Feature, Read
from privge.questions.people import People
from privge.questions.stated import distinct, integer, listed, text


@dataclass(frozen=True)
class ChoiceFeature(Feature):
    """One of ``m`` values, with ``m`` coordinates: ``scale - centre`` for the own value, ``-centre`` for the others.

    Values are compared as text, whole numbers by their digits.

    Parameters
    ----------
    name
        The raw column in which the value stands.
    values
        The public list of values, text or integers.
    otherwise
        The value that one counts as which is missing or not in the list; the last one if left out.
    scale, centre
        Integers of the encoding; 2,048 and an ``m``-th of it if left out.
    """

    kind = "choice"

    name: str
    values: tuple[str | int, ...]
    otherwise: str | int | None = None
    scale: int | None = None
    centre: int | None = None

    def __post_init__(self) -> None:
        text("name", self.name)
        values = tuple(_value(each) for each in listed("values", self.values, 2, MAX_LEVELS))
        distinct("values", [str(each) for each in values])
        otherwise = values[-1] if self.otherwise is None else _value(self.otherwise)
        if str(otherwise) not in map(str, values):
            raise BadData(f"otherwise must be one of the values, got {otherwise!r}")
        scale = SPAN if self.scale is None else integer("scale", self.scale, -LARGEST_SCALE, LARGEST_SCALE)
        centre = scale // len(values) if self.centre is None else integer("centre", self.centre, -(2**52), 2**52)
        for name, value in (("values", values), ("otherwise", otherwise), ("scale", scale), ("centre", centre)):
            object.__setattr__(self, name, value)

    @property
    def raw(self) -> tuple[str, ...] | int:
        return (self.name,)

    @property
    def levels(self) -> int:
        return len(self.values)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{self.name}={value}" for value in self.values)

    @property
    def largest(self) -> tuple[int, ...]:
        scale, centre = self._encoding
        return (max(abs(centre), abs(scale - centre)),) * len(self.values)

    def read(self, people: People, places: Sequence[int]) -> Read:
        """Return the place of each person's value in the list; every value is compared with every entry."""
        texts = people.texts(places[0])
        known, levels = np.zeros(people.rows, dtype=np.bool_), np.zeros(people.rows, dtype=np.int64)
        for place, value in enumerate(self.values):
            same = (texts == str(value)).astype(np.bool_)
            known |= same
            levels += place * same
        absent = np.array([each is None for each in texts.tolist()], dtype=np.bool_)
        stand_in = list(map(str, self.values)).index(str(self.otherwise))
        return Read(np.where(known, levels, stand_in), int((~known & ~absent).sum()), int(absent.sum()))

    def encoded(self, people: People, places: Sequence[int]) -> Encoded:
        """Return one coordinate for each value of the list."""
        levels, outside, absent = self.read(people, places)
        scale, centre = self._encoding
        return Encoded(scale * (levels[:, None] == np.arange(self.levels)) - centre, outside, absent)

    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Refuse: a choice has no 0."""
        raise BadData(f"{self.name!r} is a choice, which cannot be counted")

    def words(self) -> str:
        """Say in words what is asked."""
        shown = ", ".join(str(value) for value in self.values[:8])
        more = f" and {self.levels - 8} more" if self.levels > 8 else ""
        return f"one of {shown}{more}; missing or another: {self.otherwise}"

    @property
    def _encoding(self) -> tuple[int, int]:
        return integer("scale", self.scale, -LARGEST_SCALE, LARGEST_SCALE), integer(
            "centre", self.centre, -(2**52), 2**52
        )


def _value(value: object) -> str | int:
    if isinstance(value, str):
        return text("values", value)
    return integer("values", value, -(2**52), 2**52)
