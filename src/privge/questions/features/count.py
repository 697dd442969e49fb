"""How many of a person's numbers are not 0, and of their answers yes: the size of a profile."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.questions.features.feature import Read, SingleFeature, check_encoding
from privge.questions.features.grid import check_grid, grid_words, levels_on_grid
from privge.questions.people import People
from privge.questions.stated import distinct, listed, text


@dataclass(frozen=True)
class CountFeature(SingleFeature):
    """A count of numbers that are there and not 0, and of answers yes; on a grid or by thresholds as any number.

    It has no raw column of its own: an `privge.questions.Encoding` says which columns it counts.

    Parameters
    ----------
    name
        What its coordinate is called.
    of
        The names of the features that are counted; if left out, all numbers and answers of the encoding.
    low, high, levels, thresholds, sqrt, scale, centre
        As for `NumberFeature`.
    """

    kind = "count"

    name: str
    of: tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None
    levels: int = 0
    thresholds: tuple[float, ...] = ()
    sqrt: bool = False
    scale: int | None = None
    centre: int | None = None

    missing = "low"  # a count is never missing

    def __post_init__(self) -> None:
        text("name", self.name)
        if self.of is not None:
            names = tuple(text("of", each) for each in listed("of", self.of, 1, 2**16))
            distinct("of", names)
            object.__setattr__(self, "of", names)
        check_grid(self)
        check_encoding(self, self.levels)

    @property
    def raw(self) -> tuple[str, ...] | int:
        return ()

    def read(self, people: People, places: Sequence[int]) -> Read:
        """Refuse: what is counted is known to the encoding alone."""
        raise BadData(f"{self.name!r} is a count of other features, which only an encoding knows")

    def of_counts(self, counts: NDArray[np.int64]) -> Read:
        """Return the level of each count."""
        levels, outside, _ = levels_on_grid(self, counts.astype(np.float64))
        return Read(levels, int(outside.sum()), 0)

    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Refuse: a count is not counted."""
        raise BadData(f"{self.name!r} is a count itself, which cannot be counted")

    def words(self) -> str:
        """Say in words what is asked."""
        of = "all numbers and answers" if self.of is None else f"{len(self.of):,} of them"
        return f"how many are not 0, of {of}: {grid_words(self).partition('; missing')[0]}"
