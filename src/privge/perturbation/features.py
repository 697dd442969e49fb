"""Features with names and ids: whose row, which column.

Names and ids decide, wherever there are any: a table's column goes to the feature of its name, and its row to the node
of its id. Only an array has neither: its columns stand in the campaign's order and its rows in that of the ids.
"""

import difflib
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix, checked_matrix
from privge._typing import Floats, Table, is_arrow, is_pandas
from privge.errors import BadData
from privge.ids import Ids, as_ids

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

logger = logging.getLogger(__name__)

AnyMatrix: TypeAlias = NDArray[np.number] | scipy.sparse.csr_array

_SHOWN = 5  # names in one message
_LIKE_IDS = re.compile(
    r"(^|[\W_])(ids?|uid|uuid|guid)$|^(node|user|person|member|customer)s?$|[a-z](Id|ID)$", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Features:
    """Feature rows by node id: numbers, dense or sparse.

    Parameters
    ----------
    ids
        Node ids, one for each row.
    matrix
        One row for each node, one column for each feature.
    names
        What the columns are called, if they have names.
    """

    ids: Ids
    matrix: AnyMatrix
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.matrix.dtype.kind not in "biuf":
            raise BadData(f"features must be numbers, NaN where missing; got an array of {self.matrix.dtype}")


FeatureMatrix: TypeAlias = NDArray[np.number] | SparseMatrix
FeatureData: TypeAlias = FeatureMatrix | Table | Features


def is_table(data: FeatureData) -> bool:
    """Say whether rows have ids of their own, as those of a table have and those of an array have not."""
    return isinstance(data, Features) or is_pandas(data) or is_arrow(data)


def features_of(
    data: FeatureData, wanted: Sequence[str] | None = None, *, ids: Iterable[object] | None = None
) -> Features:
    """Read features from whatever holds them.

    Parameters
    ----------
    data
        An array or a sparse matrix, whose rows are of nodes 0, 1, ...; or a table. The ids of a table are its column
        ``id``, as in a file; a data frame of pandas that has no such column has them in its index. All other columns
        are features. Those that pandas has merely numbered from 0 have no names.
    wanted
        The columns to take, in this order, if columns have names; others are left out, with a remark.
    ids
        Node ids, instead of the table's own.
    """
    if isinstance(data, Features):
        matrix, names = in_order(data, wanted), _taken(data.names, wanted)
    elif is_pandas(data):
        matrix, names = _from_pandas(data, wanted)
    elif is_arrow(data):
        matrix, names = _from_arrow(data, wanted)
    else:
        matrix, names = _array(data), None
    return Features(as_ids(_own_ids(data, matrix) if ids is None else ids), matrix, names)


def in_order(features: Features, wanted: Sequence[str] | None) -> AnyMatrix:
    """Return the wanted columns in the wanted order, and remark on others; if either side has no names, all columns."""
    if features.names is None or wanted is None or features.names == tuple(wanted):
        return features.matrix
    return features.matrix[:, _remarked(features.names, wanted)]


def pick(names: Sequence[str], wanted: Sequence[str], what: str = "column") -> tuple[list[int], list[str]]:
    """Return where the wanted names stand, and which names nobody wants; one that is absent is refused."""
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise BadData(f"the column {next(name for name in names if list(names).count(name) > 1)!r} appears twice")
    extra = sorted(places.keys() - set(wanted), key=places.__getitem__)
    absent = [name for name in wanted if name not in places]
    if absent:
        guesses = [f"{name!r}{_guess(name, extra)}" for name in absent]
        raise BadData(f"there is no {what} for {len(absent):,} of {len(wanted):,} features: {listed(guesses)}")
    return [places[name] for name in wanted], extra


def remark_extra(extra: Sequence[str]) -> None:
    """Say which columns of a table are not used."""
    if extra:
        columns = "1 column that is no feature" if len(extra) == 1 else f"{len(extra):,} columns that are no features"
        logger.warning("left out %s of the campaign: %s", columns, listed([repr(name) for name in extra]))


def remark_order(names: Sequence[str]) -> None:
    """Say that the order of columns decides, because the campaign has no names."""
    logger.warning("the campaign names no features, so the columns go in their own order: %s", listed(names))


def listed(words: Sequence[str]) -> str:
    """Return a few words for a message, and how many there are beyond them."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


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


def _remarked(names: Sequence[str], wanted: Sequence[str] | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    places, extra = pick(names, wanted)
    remark_extra(extra)
    return places


def _taken(names: tuple[str, ...] | None, wanted: Sequence[str] | None) -> tuple[str, ...] | None:
    return names if names is None or wanted is None else tuple(wanted)


def _guess(name: str, others: Sequence[str]) -> str:
    """Return the name that was probably meant, in brackets."""
    folded = {other.strip().casefold(): other for other in others}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    return f" (is it {folded[close[0]]!r}?)" if close else ""


def _own_ids(data: FeatureData, matrix: AnyMatrix) -> Iterable[object]:
    if isinstance(data, Features):
        return data.ids
    if is_pandas(data):
        return _pandas_ids(data)
    if is_arrow(data):
        return _arrow_ids(data)
    return np.arange(matrix.shape[0])


def _pandas_ids(frame: "pd.DataFrame") -> Iterable[object]:
    """Return the column ``id``, or the index; if rows are merely numbered, no column may look like their ids."""
    if "id" in frame.columns:
        return frame["id"].to_numpy()  # type: ignore[no-any-return]
    numbered = frame.index.name is None and frame.index.equals(type(frame.index)(range(len(frame))))
    suspects = [label for label in frame.columns if isinstance(label, str) and _LIKE_IDS.search(label)]
    if numbered and suspects:
        raise BadData(
            f"the rows of the table are merely numbered, and column {suspects[0]!r} looks like their ids: "
            "call it 'id', make it the index, or give ids="
        )
    return frame.index.to_numpy()  # type: ignore[no-any-return]


def _from_pandas(frame: "pd.DataFrame", wanted: Sequence[str] | None) -> tuple[AnyMatrix, tuple[str, ...] | None]:
    labels = frame.columns.tolist()
    columns = [place for place, label in enumerate(labels) if label != "id"]
    names = None if labels == list(range(len(labels))) else tuple(str(labels[place]) for place in columns)
    if names is not None:
        columns = [columns[place] for place in _remarked(names, wanted)]
    chosen = frame.iloc[:, columns]
    for label, kind in chosen.dtypes.items():
        if kind.kind not in "biuf":
            raise BadData(f"feature {str(label)!r} holds {kind}, not numbers")
    sparse = getattr(chosen, "sparse", None)  # only if all columns are
    matrix = chosen.to_numpy(np.float64, na_value=np.nan) if sparse is None else scipy.sparse.csr_array(sparse.to_coo())
    return matrix, _taken(names, wanted)


def _from_arrow(data: Table, wanted: Sequence[str] | None) -> tuple[AnyMatrix, tuple[str, ...]]:
    import pyarrow as pa

    table = pa.table(data)
    columns = [place for place, name in enumerate(table.column_names) if name != "id"]
    names = tuple(table.column_names[place] for place in columns)
    places = _remarked(names, wanted)
    matrix = np.empty((len(table), len(places)))
    for target, place in enumerate(places):
        try:
            matrix[:, target] = numbers(table.column(columns[place]))
        except BadData as error:
            raise BadData(f"feature {names[place]!r} {error}") from error
    return matrix, tuple(names[place] for place in places)


def _arrow_ids(data: Table) -> list[object]:
    import pyarrow as pa

    table = pa.table(data)
    if "id" not in table.column_names:
        raise BadData("the table has no column 'id', and no ids are given beside it")
    return table["id"].to_pylist()  # type: ignore[no-any-return]


def _array(data: FeatureMatrix) -> AnyMatrix:
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan)
    sparse = scipy.sparse.issparse(data)
    matrix: AnyMatrix = scipy.sparse.csr_array(checked_matrix(data)) if sparse else np.asarray(data)
    if matrix.ndim != 2:
        raise BadData(f"features must be a matrix, got shape {matrix.shape}")
    return matrix
