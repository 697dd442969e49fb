"""Many numbers alike, such as the words of a text: one grid and one encoding for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.questions.features.feature import LARGEST_SCALE, Encoded, Feature, check_encoding, largest_of, not_zero
from privge.questions.features.grid import check_grid, grid_words, levels_on_grid
from privge.questions.people import People
from privge.questions.stated import distinct, integer, listed, text

MOST = 2**20


@dataclass(frozen=True)
class NumbersFeature(Feature):
    """``count`` numbers, each with one coordinate ``scale * level - centre``.

    If a 0 has the coordinate 0, sparse features stay sparse.

    Parameters
    ----------
    count
        How many there are.
    low, high, levels, thresholds, sqrt, missing
        As for `NumberFeature`, the same for all of them.
    scale, centre
        As for `NumberFeature`; ``scale`` may be a list with one integer for each number, and then ``centre`` is 0.
    names
        Their raw columns, if these have names.
    name
        What all of them together are called.
    """

    kind = "numbers"

    count: int
    low: float | None = None
    high: float | None = None
    levels: int = 0
    thresholds: tuple[float, ...] = ()
    sqrt: bool = False
    missing: str = "midpoint"
    scale: int | tuple[int, ...] | None = None
    centre: int | None = None
    names: tuple[str, ...] | None = None
    name: str = "numbers"

    def __post_init__(self) -> None:
        integer("count", self.count, 1, MOST)
        text("name", self.name)
        check_grid(self)
        if isinstance(self.scale, list | tuple | np.ndarray):
            each = listed("scale", self.scale, self.count, self.count)
            scales = tuple(integer("scale", one, -LARGEST_SCALE, LARGEST_SCALE) for one in each)
            object.__setattr__(self, "scale", scales)
            object.__setattr__(self, "centre", integer("centre", self.centre or 0, 0, 0))
        else:
            check_encoding(self, self.levels)
        if self.names is not None:
            names = tuple(text("names", one) for one in listed("names", self.names, self.count, self.count))
            distinct("names", names)
            object.__setattr__(self, "names", names)

    @property
    def raw(self) -> tuple[str, ...] | int:
        return self.count if self.names is None else self.names

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.count))) if self.names is None else self.names

    @property
    def largest(self) -> tuple[int, ...]:
        if isinstance(self.scale, tuple):
            return tuple(largest_of(self.levels, scale, 0) for scale in self.scale)
        return (largest_of(self.levels, self.scale or 0, self.centre or 0),) * self.count

    def encoded(self, people: People, places: Sequence[int]) -> Encoded:
        """Return the coordinates; sparse ones for a sparse matrix in which a 0 stays a 0."""
        block = people.block(places)
        if isinstance(block, np.ndarray):
            levels, outside, absent = levels_on_grid(self, block.astype(np.float64))
            return Encoded(self._coordinates(levels, slice(None)), int(outside.sum()), int(absent.sum()))
        nothing = levels_on_grid(self, np.zeros(1)).levels
        if np.any(np.asarray(self.scale) * nothing - (self.centre or 0)):
            return self.encoded(People(people.rows, block.toarray()), range(self.count))
        levels, outside, absent = levels_on_grid(self, block.data.astype(np.float64))
        data = self._coordinates(levels, block.indices)
        coordinates = type(block)((data, block.indices, block.indptr), shape=block.shape)
        return Encoded(coordinates, int(outside.sum()), int(absent.sum()))

    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Return how many of the numbers are there and not 0."""
        block = people.block(places)
        if isinstance(block, np.ndarray):
            return np.asarray(not_zero(block.astype(np.float64)).sum(axis=1), dtype=np.int64)
        sums = np.concatenate([[0], np.cumsum(not_zero(block.data.astype(np.float64)))])
        counts: NDArray[np.int64] = sums[block.indptr[1:]] - sums[block.indptr[:-1]]
        return counts

    def words(self) -> str:
        """Say in words what is asked."""
        return f"{self.count:,} numbers, each {grid_words(self)}"

    def _coordinates(self, levels: NDArray[np.int64], columns: "NDArray[np.integer] | slice") -> NDArray[np.int64]:
        each = isinstance(self.scale, tuple)
        scale = np.array(self.scale, dtype=np.int64)[columns] if each else np.array(self.scale, dtype=np.int64)
        return np.asarray(scale * levels - (self.centre or 0), dtype=np.int64)
