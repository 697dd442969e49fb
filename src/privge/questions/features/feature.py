"""A raw value of a person and its public encoding: the value becomes a level, the level becomes integer coordinates."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Levels
from privge.questions.people import People
from privge.questions.stated import integer, plain

if TYPE_CHECKING:
    import scipy.sparse

    Coordinates: TypeAlias = NDArray[np.int64] | scipy.sparse.csr_array

SPAN = 2048
"""Coordinates from the least to the largest level, unless a feature states its own scale."""

LARGEST_SCALE = 2**40
"""Largest magnitude of a scale that a feature can state."""


class Read(NamedTuple):
    """Levels of people, and of how many the value did not fit: for whoever holds the values."""

    levels: Levels
    outside: int
    absent: int


class Encoded(NamedTuple):
    """Coordinates of people, a row for each, and of how many values did not fit."""

    coordinates: "Coordinates"
    outside: int
    absent: int


class Misfits(NamedTuple):
    """How many of a feature's values did not fit: for whoever holds the values."""

    feature: "Feature"
    outside: int
    absent: int


class Feature(ABC):
    """One raw value, or several alike. Members are frozen dataclasses that state their own encoding."""

    kind: ClassVar[str]
    """What documents call it."""

    name: str

    @property
    @abstractmethod
    def raw(self) -> tuple[str, ...] | int:
        """The raw columns that it owns: their names, or how many there are if they have none."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many levels a value can have."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of its coordinates."""

    @property
    @abstractmethod
    def largest(self) -> tuple[int, ...]:
        """The largest magnitude of each coordinate: public, so that sums can be proven to stay exact."""

    @abstractmethod
    def encoded(self, people: People, places: Sequence[int]) -> Encoded:
        """Return the coordinates of people, whose raw columns are at these places."""

    @abstractmethod
    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Return how many of its values are there and not 0, for each person."""

    @abstractmethod
    def words(self) -> str:
        """Say in words what is asked, and what becomes of a value that does not fit."""

    def to_document(self) -> dict[str, Any]:
        """Return the feature as a document has it."""
        return {"kind": self.kind, **plain(self)}  # type: ignore[arg-type]


class SingleFeature(Feature):
    """A feature of one raw value, which is one level and one coordinate, ``scale * level - centre``."""

    scale: int | None
    centre: int | None

    @abstractmethod
    def read(self, people: People, places: Sequence[int]) -> Read:
        """Return the level of each person."""

    @property
    def raw(self) -> tuple[str, ...] | int:
        return (self.name,)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def largest(self) -> tuple[int, ...]:
        return (largest_of(self.levels, *self._encoding),)

    def encoded(self, people: People, places: Sequence[int]) -> Encoded:
        levels, outside, absent = self.read(people, places)
        scale, centre = self._encoding
        return Encoded((scale * levels - centre)[:, None], outside, absent)

    @property
    def _encoding(self) -> tuple[int, int]:
        assert self.scale is not None  # noqa: S101 (checked at construction)
        assert self.centre is not None  # noqa: S101
        return self.scale, self.centre


def check_encoding(feature: Any, levels: int) -> None:  # noqa: ANN401 (a frozen dataclass with scale and centre)
    """Put the default of scale and centre into a feature that states none, and check what it states."""
    scale = feature.scale if feature.scale is not None else max(1, SPAN // (levels - 1))
    integer("scale", scale, -LARGEST_SCALE, LARGEST_SCALE)
    centre = feature.centre if feature.centre is not None else scale * (levels - 1) // 2
    object.__setattr__(feature, "scale", scale)
    object.__setattr__(feature, "centre", integer("centre", centre, -(2**52), 2**52))


def largest_of(levels: int, scale: int, centre: int) -> int:
    """Return the largest magnitude of ``scale * level - centre``."""
    return max(abs(centre), abs(scale * (levels - 1) - centre))


def not_zero(values: Floats) -> NDArray[np.int64]:
    """Return 1 for each number that is there and not 0."""
    return np.asarray(~np.isnan(values) & (values != 0), dtype=np.int64)
