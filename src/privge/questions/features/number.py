"""A number of a person: on a grid between public bounds, or by public thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.questions.features.feature import Read, SingleFeature, check_encoding, not_zero
from privge.questions.features.grid import check_grid, grid_words, levels_on_grid
from privge.questions.people import People
from privge.questions.stated import text


@dataclass(frozen=True)
class NumberFeature(SingleFeature):
    """A number, with one coordinate ``scale * level - centre``.

    Parameters
    ----------
    name
        Its raw column.
    low, high
        Public bounds; what lies outside counts as the nearer one.
    levels
        Equally spaced levels from one bound to the other, both included; 1,025 if left out.
    thresholds
        Public thresholds instead of bounds: the level is how many of them are at or below the number.
    sqrt
        Take the square roots of the number and of both bounds before.
    missing
        What a missing number counts as: the level in the ``midpoint``, the ``low`` or the ``high`` one.
    scale, centre
        Integers of the encoding; if left out, the coordinate goes from -1,024 to 1,024, or nearly so.
    """

    kind = "number"

    name: str
    low: float | None = None
    high: float | None = None
    levels: int = 0
    thresholds: tuple[float, ...] = ()
    sqrt: bool = False
    missing: str = "midpoint"
    scale: int | None = None
    centre: int | None = None

    def __post_init__(self) -> None:
        text("name", self.name)
        check_grid(self)
        check_encoding(self, self.levels)

    def read(self, people: People, places: Sequence[int]) -> Read:
        """Return the level of each person."""
        levels, outside, absent = levels_on_grid(self, people.numbers(places[0]))
        return Read(levels, int(outside.sum()), int(absent.sum()))

    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Return 1 for each person whose number is there and not 0."""
        values = people.numbers(places[0])
        return not_zero(values)

    def words(self) -> str:
        """Say in words what is asked."""
        return grid_words(self)
