"""Features with names and ids: whose row, which column.

Names and ids decide, wherever there are any: a table's column goes to the feature of its name, and its row to the node
of its id. Only an array has neither: its columns stand in the campaign's order and its rows in that of the ids.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.matrices import SparseMatrix, checked_matrix
from privge._typing import Table, is_arrow, is_pandas
from privge.errors import BadData
from privge.ids import Ids, as_ids
from privge.perturbation.columns import places_of, taken
from privge.perturbation.tables import AnyMatrix, arrow_ids, from_arrow, from_pandas, pandas_ids


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
        if self.matrix.dtype.kind == "c":
            raise BadData("Complex data not supported: features must be real numbers")
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
        matrix, names = in_order(data, wanted), taken(data.names, wanted)
    elif is_pandas(data):
        matrix, names = from_pandas(data, wanted)
    elif is_arrow(data):
        matrix, names = from_arrow(data, wanted)
    else:
        matrix, names = _array(data), None
    return Features(as_ids(own_ids(data) if ids is None else ids), matrix, names)


def in_order(features: Features, wanted: Sequence[str] | None) -> AnyMatrix:
    """Return the wanted columns in the wanted order, and remark on others; if either side has no names, all columns."""
    if features.names is None or wanted is None or features.names == tuple(wanted):
        return features.matrix
    return features.matrix[:, places_of(features.names, wanted)]


def own_ids(data: FeatureData) -> Iterable[object]:
    """Return the ids of rows, without a look at any value; those of an array are 0, 1, ..."""
    if isinstance(data, Features):
        return data.ids
    if is_pandas(data):
        return pandas_ids(data)
    if is_arrow(data):
        return arrow_ids(data)
    return np.arange(_array(data).shape[0])


def _array(data: FeatureMatrix) -> AnyMatrix:
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan)
    sparse = scipy.sparse.issparse(data)
    matrix: AnyMatrix = scipy.sparse.csr_array(checked_matrix(data)) if sparse else np.asarray(data)
    if matrix.ndim != 2:
        raise BadData(f"features must be a matrix, got shape {matrix.shape}. Reshape your data: a row for each person")
    return matrix
