"""A yes or no of a person."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privge.questions.features.feature import Read, SingleFeature, check_encoding, not_zero
from privge.questions.people import People
from privge.questions.stated import one_of, text


@dataclass(frozen=True)
class YesNoFeature(SingleFeature):
    """A yes or no, with one coordinate ``scale * level - centre``: no is level 0, yes is level 1.

    Whatever number is not 0 is a yes, as are the words yes and true. Other words than these, no and false are unknown:
    they are counted, and taken as what is missing.

    Parameters
    ----------
    name
        Its raw column.
    missing
        What a missing answer counts as: ``no`` or ``yes``.
    scale, centre
        Integers of the encoding; if left out, no is -1,024 and yes is 1,024.
    """

    kind = "yes-no"

    name: str
    missing: str = "no"
    scale: int | None = None
    centre: int | None = None

    def __post_init__(self) -> None:
        text("name", self.name)
        one_of("missing", self.missing, ("no", "yes"))
        check_encoding(self, 2)

    @property
    def levels(self) -> int:
        return 2

    def read(self, people: People, places: Sequence[int]) -> Read:
        """Return the level of each person."""
        values = people.numbers(places[0])
        neither = np.isnan(values)
        unknown = int((neither & people.written(places[0])).sum())
        levels = np.where(neither, int(self.missing == "yes"), values != 0)
        return Read(levels.astype(np.int64), unknown, int(neither.sum()) - unknown)

    def nonzero(self, people: People, places: Sequence[int]) -> NDArray[np.int64]:
        """Return 1 for each person who said yes."""
        values = people.numbers(places[0])
        return not_zero(values)

    def words(self) -> str:
        """Say in words what is asked."""
        return f"yes or no; missing or another: {self.missing}"
