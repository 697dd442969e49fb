"""Raw values of people, column by column: a matrix, the columns of a table, or the values of one person.

A column is found by its place among the raw columns of a campaign. What is not a number is missing where a number is
asked; whole numbers and text are compared as text where a choice is asked, so that 7, 7.0 and "7" are one value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, is_arrow, is_pandas
from privge.errors import BadData

if TYPE_CHECKING:
    import scipy.sparse

    Matrix: TypeAlias = NDArray[Any] | scipy.sparse.csr_array

_YES = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class People:
    """Raw values, a row for each person.

    Parameters
    ----------
    rows
        How many people there are: the length of each column.
    matrix
        Numbers, dense or sparse by rows, a column for each raw value; None if the columns are separate.
    columns
        The separate columns, numbers or objects; empty if there is a matrix.
    """

    rows: int
    matrix: "Matrix | None" = None
    columns: tuple[NDArray[Any], ...] = ()

    @property
    def width(self) -> int:
        """How many raw columns there are."""
        return len(self.columns) if self.matrix is None else int(self.matrix.shape[1])

    def take(self, rows: "NDArray[np.integer] | slice") -> Self:
        """Return some of the people."""
        if self.matrix is not None:
            part = self.matrix[rows]
            return type(self)(part.shape[0], part)
        parts = tuple(column[rows] for column in self.columns)
        return type(self)(len(np.arange(self.rows)[rows]), None, parts)

    def __getitem__(self, rows: "NDArray[np.integer] | slice") -> Self:
        """Return some of the people, as of a matrix."""
        return self.take(rows)

    def numbers(self, place: int) -> Floats:
        """Return a column as numbers, NaN for what is missing or not a number."""
        column = self._column(place)
        if column.dtype.kind in "biuf":
            return column.astype(np.float64)
        return np.array([as_number(value) for value in column.tolist()], dtype=np.float64)

    def block(self, places: Sequence[int]) -> "Matrix":
        """Return several columns beside each other, as numbers; those of a sparse matrix stay sparse."""
        numeric = self.matrix is not None and self.matrix.dtype.kind in "biuf"
        if self.matrix is not None and numeric and list(places) == list(range(self.width)):
            return self.matrix
        if self.matrix is not None and not isinstance(self.matrix, np.ndarray):
            return self.matrix[:, list(places)]
        return np.column_stack([self.numbers(place) for place in places])

    def texts(self, place: int) -> NDArray[np.object_]:
        """Return a column as text, None for what is missing."""
        texts = np.empty(self.rows, dtype=np.object_)
        texts[:] = [as_text(value) for value in self._column(place).tolist()]
        return texts

    def written(self, place: int) -> NDArray[np.bool_]:
        """Say of whom something is written in a column, be it a number or not."""
        column = self._column(place)
        if column.dtype.kind in "biuf":
            return np.asarray(~np.isnan(column), dtype=np.bool_)
        return np.array([bool((as_text(value) or "").strip()) for value in column.tolist()], dtype=np.bool_)

    def _column(self, place: int) -> NDArray[Any]:
        if self.matrix is None:
            return self.columns[place]
        column = self.matrix[:, [place]]
        return (column if isinstance(column, np.ndarray) else column.toarray()).ravel()


def people_of(data: Any, names: Sequence[str] | None, width: int) -> People:  # noqa: ANN401 (whatever holds a table)
    """Read raw values from whatever holds them.

    Parameters
    ----------
    data
        A matrix, dense or sparse, with its columns in order; a table of pandas, polars or pyarrow, or a mapping from
        name to column, whose columns are taken by name.
    names
        The raw columns, in order; None if they have no names.
    width
        How many there are.
    """
    if isinstance(data, People):
        people = data
    elif is_pandas(data) or is_arrow(data) or isinstance(data, Mapping):
        people = _table(data, names)
    else:
        matrix = data.tocsr() if hasattr(data, "tocsr") else np.asarray(data)
        if matrix.ndim != 2:
            raise BadData(
                f"features must be a matrix, got shape {matrix.shape}. Reshape your data: a row for each person"
            )
        people = People(matrix.shape[0], matrix)
    if people.width != width:
        raise BadData(f"there must be {width} raw columns, got {people.width}")
    return people


def one_person(values: Sequence[object]) -> People:
    """Return one person's raw values as people, each a column of its own."""
    columns = [np.empty(1, dtype=np.object_) for _ in values]
    for column, value in zip(columns, values, strict=True):
        column[0] = value
    return People(1, None, tuple(columns))


def as_number(value: object) -> float:
    """Return a number, NaN for whatever is none; yes and no are 1 and 0. It never fails, whatever the value does."""
    try:
        if is_text(value):
            return _YES.get(str.strip(value).casefold(), math.nan) if isinstance(value, str) else math.nan
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond all floats is outside every bound
        return _beyond(value)
    except Exception:  # noqa: BLE001 (whatever it is: taking part must not depend on it)
        return math.nan


def as_text(value: object) -> str | None:
    """Return what a value is compared as, in plain text; None if it is missing. It never fails either."""
    try:
        if isinstance(value, str):
            return str.__str__(value)  # a subclass may have its own words, or its own way to compare them
        if isinstance(value, float | np.floating):
            number = float(value)
            return None if math.isnan(number) else str(int(number)) if number.is_integer() else str(number)
        if isinstance(value, bool | np.bool_):
            return str(bool(value))
        return int.__repr__(int(value)) if isinstance(value, int | np.integer) else None
    except Exception:  # noqa: BLE001 (whatever it is: taking part must not depend on it)
        return None


def is_text(value: object) -> bool:
    """Say whether a value is text or bytes, by its type alone: a value may lie about its class, or fail to say it."""
    return issubclass(type(value), str | bytes)


def _beyond(value: Any) -> float:  # noqa: ANN401 (whatever has no float)
    try:
        return math.inf if value > 0 else -math.inf
    except Exception:  # noqa: BLE001 (as above)
        return math.nan


def _table(data: Any, names: Sequence[str] | None) -> People:  # noqa: ANN401 (whatever holds a table)
    held = list(data.keys()) if isinstance(data, Mapping) else list(getattr(data, "column_names", data.columns))
    wanted = [name for name in held if name != "id"] if names is None else list(names)
    absent = [name for name in wanted if name not in held]
    if absent:
        raise BadData(f"there is no column for {len(absent):,} of {len(wanted):,} features, the first is {absent[0]!r}")
    columns = tuple(_array(data[name]) for name in wanted)
    return People(len(columns[0]) if columns else 0, None, columns)


def _array(column: Any) -> NDArray[Any]:  # noqa: ANN401 (a column of any library)
    values = column.to_numpy(zero_copy_only=False) if hasattr(column, "type") else column
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    return array if array.dtype.kind in "biuf" else array.astype(np.object_)
