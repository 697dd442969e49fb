"""Features in tables of other libraries: pandas, and whatever hands out Arrow columns."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats, Table
from privge.errors import BadData
from privge.perturbation.columns import places_of, taken

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

AnyMatrix: TypeAlias = NDArray[np.number] | scipy.sparse.csr_array

_LIKE_IDS = re.compile(
    r"(^|[\W_])(ids?|uid|uuid|guid)$|^(node|user|person|member|customer)s?$|[a-z](Id|ID)$", re.IGNORECASE
)


def numbers(column: "pa.ChunkedArray") -> Floats:
    """Return a column as floats, NaN where a value is missing; one of anything else is refused by its type."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise BadData(f"holds {kind}, not numbers")
    # Not checked for exactness: an integer beyond 2**53 is rounded, where the check would put it into a message.
    floats: Floats = column.cast(pa.float64(), safe=False).to_numpy()
    return floats


def pandas_ids(frame: "pd.DataFrame") -> Iterable[object]:
    """Return the column ``id``, or the index; if rows are merely numbered, no column may look like their ids."""
    if "id" in frame.columns:
        return frame["id"].to_numpy()  # type: ignore[no-any-return]
    numbered = frame.index.name is None and frame.index.equals(type(frame.index)(range(len(frame))))
    suspects = [label for label in frame.columns if _looks_like_ids(frame, label)] if numbered else []
    if suspects:
        raise BadData(
            f"the rows of the table are merely numbered, and column {suspects[0]!r} looks like their ids: "
            "call it 'id', make it the index, or give ids="
        )
    return frame.index.to_numpy()  # type: ignore[no-any-return]


def _looks_like_ids(frame: "pd.DataFrame", label: object) -> bool:
    """Say whether a column is called like ids, or holds text that tells every row from the others."""
    if isinstance(label, str) and _LIKE_IDS.search(label):
        return True
    column = frame[label]
    return getattr(column, "dtype", None) in ("object", "string", "str") and len(column) > 1 and bool(column.is_unique)


def from_pandas(frame: "pd.DataFrame", wanted: Sequence[str] | None) -> tuple[AnyMatrix, tuple[str, ...] | None]:
    """Return the wanted columns of a data frame, and what they are called."""
    labels = frame.columns.tolist()
    columns = [place for place, label in enumerate(labels) if label != "id"]
    names = None if labels == list(range(len(labels))) else tuple(str(labels[place]) for place in columns)
    if names is not None:
        columns = [columns[place] for place in places_of(names, wanted)]
    chosen = frame.iloc[:, columns]
    for label, kind in chosen.dtypes.items():
        if kind.kind not in "biuf":
            raise BadData(
                f"feature {str(label)!r} holds {kind}, not numbers; leave it out, or if it holds the ids of the rows, "
                "call it 'id' or make it the index"
            )
    sparse = getattr(chosen, "sparse", None)  # only if all columns are
    matrix = chosen.to_numpy(np.float64, na_value=np.nan) if sparse is None else scipy.sparse.csr_array(sparse.to_coo())
    return matrix, taken(names, wanted)


def from_arrow(data: Table, wanted: Sequence[str] | None) -> tuple[AnyMatrix, tuple[str, ...]]:
    """Return the wanted columns of an Arrow table, and what they are called."""
    import pyarrow as pa

    table = pa.table(data)
    columns = [place for place, name in enumerate(table.column_names) if name != "id"]
    names = tuple(table.column_names[place] for place in columns)
    places = places_of(names, wanted)
    matrix = np.empty((len(table), len(places)))
    for target, place in enumerate(places):
        try:
            matrix[:, target] = numbers(table.column(columns[place]))
        except BadData as error:
            raise BadData(f"feature {names[place]!r} {error}") from error
    return matrix, tuple(names[place] for place in places)


def arrow_ids(data: Table) -> list[object]:
    """Return the column ``id``."""
    import pyarrow as pa

    table = pa.table(data)
    if "id" not in table.column_names:
        raise BadData("the table has no column 'id', and no ids are given beside it")
    return table["id"].to_pylist()  # type: ignore[no-any-return]
