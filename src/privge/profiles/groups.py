"""Groups of people that are public: who is in which."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._files.columns import column_of, ids_of
from privge._files.tables import read_table
from privge.errors import BadData
from privge.graph.labels import Labels, LabelsById, by_id
from privge.ids import Ids, as_texts


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """A public grouping: each person is in one group, or in none.

    Parameters
    ----------
    ids
        People who are in a group, each once.
    places
        The group of each, a place in ``names``.
    names
        What the groups are called, the largest group first.
    blank
        How many people were named without a group: they are in none.
    """

    ids: Ids
    places: NDArray[np.int64]
    names: tuple[str, ...]
    blank: int = 0

    @classmethod
    def of(cls, groups: LabelsById) -> Self:
        """Take groups by id: a mapping, a Series, or ids and groups as two arrays; None and NaN are in no group."""
        ids, labels = by_id(groups)
        return cls._sorted(ids, labels)

    @classmethod
    def _sorted(cls, ids: Ids, labels: Labels) -> Self:
        """Put the largest group first; of two alike the one whose name comes first."""
        known = labels.known
        if not known.size:
            raise BadData("nobody is in a group")
        counts = np.bincount(labels.places[known], minlength=len(labels.classes))
        order = np.argsort(-counts, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        names = tuple(str(name) for name in labels.classes[order].tolist())
        return cls(ids[known], rank[labels.places[known]], names, len(ids) - len(known))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many people are in each."""
        return np.bincount(self.places, minlength=len(self.names))

    def largest(self, count: int) -> Self:
        """Return the largest groups alone; whoever is in another is in none."""
        kept = self.places < count
        return type(self)(self.ids[kept], self.places[kept], self.names[:count], self.blank)

    def rows(self, ids: Ids) -> NDArray[np.int64]:
        """Return the group of each id, and ``len(self)`` for those in none; as everywhere, 17 and "17" are one node."""
        mine, others = (self.ids, ids) if self.ids.dtype == ids.dtype else (as_texts(self.ids), as_texts(ids))
        place = dict(zip(mine.tolist(), self.places.tolist(), strict=True))
        return np.array([place.get(node, len(self)) for node in others.tolist()], dtype=np.int64)


def read_groups(
    path: str | PathLike[str], *, group_column: str = "group", id_column: str = "id", integer_ids: bool = False
) -> Groups:
    """Read a table with a column of ids and a column of groups; whoever has an empty one is in none, and counted.

    Parameters
    ----------
    path
        Any table that this package reads.
    group_column, id_column
        What the columns are called.
    integer_ids
        As for `privge.graph.read_graph`.
    """
    path = Path(path)
    table = read_table(path, text=[id_column, group_column])
    column = column_of(table, group_column, path, blanks=True, what="group")
    ids = ids_of(table, path, integer_ids=integer_ids, name=id_column)
    try:
        return Groups.of((ids, _texts(column.to_pylist())))
    except (BadData, ValueError) as error:
        raise BadData(f"{path}: {error}") from error


def _texts(values: Iterable[object]) -> list[str | None]:
    return [None if value is None or not str(value).strip() else str(value) for value in values]
