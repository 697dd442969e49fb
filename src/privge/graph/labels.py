"""Public labels: a class for each row, or for each id; numbers or text."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from privge._files.columns import column_of, ids_of
from privge._files.tables import read_table
from privge.ids import Ids, as_ids

_NUMBERS = (int, float, np.integer, np.floating)

Classes: TypeAlias = NDArray[Any]
"""Classes as they are called: all integers, or all text."""


class Series(Protocol):
    """A Series of pandas, as far as it matters here."""

    @property
    def index(self) -> Iterable[object]:
        """The ids."""

    def to_numpy(self) -> NDArray[Any]:
        """Return the classes."""

    def __iter__(self) -> Iterator[object]: ...


LabelsById: TypeAlias = Mapping[Any, object] | Series | tuple[Iterable[object], Iterable[object]]
"""A mapping from ids to classes, a Series whose index are the ids, or ids and classes as two arrays."""


LabelsByRow: TypeAlias = NDArray[Any] | list[Any]
"""One class for each row."""


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """The class of each of some nodes.

    Parameters
    ----------
    places
        A place in ``classes`` for each node; -1 where the class is unknown.
    classes
        What the classes are called, sorted.
    """

    places: NDArray[np.int64]
    classes: Classes

    def __len__(self) -> int:
        return len(self.places)

    @property
    def known(self) -> NDArray[np.int64]:
        """Positions of the nodes whose class is known."""
        return np.flatnonzero(self.places >= 0)

    @classmethod
    def of(cls, values: Iterable[object]) -> Self:
        """Read classes: integers, of which negative ones are unknown, or text. None and NaN are unknown, too."""
        array, known = _classes(values)
        classes, found = np.unique(array[known], return_inverse=True)
        places = np.full(len(array), -1, dtype=np.int64)
        places[known] = found
        return cls(places, classes)

    def at(self, rows: NDArray[np.int64], count: int) -> Self:
        """Return the labels of so many rows, of which these rows have the labels here and the others none."""
        places = np.full(count, -1, dtype=np.int64)
        places[rows] = self.places
        return type(self)(places, self.classes)


def is_by_id(labels: object) -> TypeGuard[LabelsById]:
    """Say whether labels have ids of their own."""
    return isinstance(labels, Mapping) or _is_series(labels) or (isinstance(labels, tuple) and len(labels) == 2)


def by_id(labels: LabelsById) -> tuple[Ids, Labels]:
    """Return ids, each once, and their labels."""
    ids, values = _named(labels)
    nodes, found = as_ids(ids), Labels.of(values)
    if len(nodes) != len(found):
        raise ValueError(f"{len(found)} labels for {len(nodes)} ids")
    return nodes, found


def read_labels(
    path: str | PathLike[str],
    *,
    integer_ids: bool = False,
    id_column: str = "id",
    label_column: str = "label",
    blanks: bool = False,
) -> tuple[Ids, NDArray[np.object_]]:
    """Read a table with a column of ids and one of labels; see `read_graph` for ``integer_ids``.

    Parameters
    ----------
    path
        The file.
    integer_ids
        As of `read_graph`.
    id_column, label_column
        What the two columns are called.
    blanks
        Whether a row without a label is one of a node whose class is unknown; otherwise it is refused. All classes are
        then text, as they are written.
    """
    path = Path(path)
    table = read_table(path, text=[id_column, label_column] if blanks else [id_column])
    ids = ids_of(table, path, integer_ids=integer_ids, name=id_column)
    if not blanks:
        return ids, column_of(table, label_column, path, what="label").to_numpy().astype(np.object_)
    labels = column_of(table, label_column, path, blanks=True, what="label").to_pylist()
    return ids, _objects(None if label is None or _is_missing(label) else str(label) for label in labels)


def _named(labels: LabelsById) -> tuple[Iterable[object], Iterable[object]]:
    if isinstance(labels, Mapping):
        return labels.keys(), labels.values()
    return labels if isinstance(labels, tuple) else (labels.index, labels.to_numpy())


def _classes(values: Iterable[object]) -> tuple[Classes, NDArray[np.bool_]]:
    """Return classes as an array of one type, and which of them are known."""
    array = values if isinstance(values, np.ndarray) else _objects(values)
    if array.ndim != 1:
        raise ValueError(f"labels must be one class for each node, got shape {array.shape}")
    known = np.ones(len(array), dtype=np.bool_)
    if array.dtype.kind in "OfT":
        known = np.array([not _is_missing(value) for value in array.tolist()], dtype=np.bool_)
        array = _of_one_type(array, known)
    return array, known & (array >= 0) if array.dtype.kind in "iu" else known


def _of_one_type(array: NDArray[Any], known: NDArray[np.bool_]) -> Classes:
    """Return text as objects and whole numbers as integers; what is unknown is of no account."""
    values = array[known].tolist()
    if all(isinstance(value, str) for value in values):
        return array
    if not all(isinstance(value, _NUMBERS) and math.isfinite(value) and value == int(value) for value in values):
        raise ValueError("classes must be all whole numbers or all text")
    numbers = np.full(len(array), -1, dtype=np.int64)
    numbers[known] = [int(value) for value in values]
    return numbers


def _objects(values: Iterable[object]) -> NDArray[np.object_]:
    """Return values as they are: numpy's own choice of a type would turn a missing one into the text ``nan``."""
    listed = list(values)
    array = np.empty(len(listed), dtype=np.object_)
    array[:] = listed
    return array


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, _NUMBERS) and math.isnan(value))


def _is_series(labels: object) -> TypeGuard[Series]:
    return type(labels).__module__.partition(".")[0] == "pandas" and hasattr(labels, "index")
