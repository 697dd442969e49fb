"""Private features in files. Everything is joined by id and by name, never by position alone."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._files.columns import ids_of
from privge._files.folder import Folder
from privge._files.formats import MATRICES
from privge._files.parquet import opened_parquet, read_parquet
from privge._files.tables import decoded, is_text, read_table
from privge.errors import BadData
from privge.perturbation.columns import pick, remark_extra
from privge.perturbation.features import Features
from privge.perturbation.tables import numbers
from privge.perturbation.text_values import refuse_text

_KINDS = "[[questions]] of a campaign file (--campaign)"


def read_features(
    path: str | PathLike[str],
    *,
    leave_out: Sequence[str] = (),
    wanted: Sequence[str] | None = None,
    integer_ids: bool = False,
    id_column: str = "id",
    kinds: str = _KINDS,
) -> Features:
    """Read features: a table with a column ``id`` and one number column for each feature, or a sparse matrix.

    Row ``i`` of a matrix belongs to node ``i``, and its columns have no names.

    Parameters
    ----------
    path
        The table or matrix.
    leave_out
        Columns that are not features.
    wanted
        Names of the features, in the order that columns shall have; any other column is left out, with a remark.
    integer_ids
        As for `read_graph`.
    id_column
        The column of ids, if it is not ``id``.
    kinds
        What states the kind of a column that is not numbers, for messages.
    """
    path = Path(path)
    if path.suffix in MATRICES:
        matrix = MATRICES[path.suffix](path)
        try:
            return Features(np.arange(matrix.shape[0]), matrix)
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
    table = read_table(path, text=[id_column])
    features = _features(table, path, leave_out, wanted, integer_ids=integer_ids, id_column=id_column, kinds=kinds)
    if wanted is not None:
        remark_extra([name for name in table.column_names if name not in {id_column, *leave_out, *wanted}])
    return features


def read_features_part(
    folder: Folder, name: str, *, leave_out: Sequence[str] = (), wanted: Sequence[str] | None = None
) -> Features:
    """Read features from one Parquet file of a folder, which may be an address that fsspec knows; as `read_features`.

    There is no remark on other columns, which all parts have.
    """
    try:
        return _features(read_parquet(folder, name), Path(name), leave_out, wanted)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: not a Parquet file ({error})") from error
    except BadData as error:
        raise BadData(f"{folder.file('')}{error}") from error


def read_feature_names(folder: Folder, name: str) -> tuple[str, ...]:
    """Return the feature columns of one Parquet file of a folder; no row is read."""
    try:
        with opened_parquet(folder, name) as (parquet, _):
            return tuple(column for column in parquet.schema_arrow.names if column != "id")
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: not a Parquet file ({error})") from error


def _features(
    table: pa.Table,
    path: Path,
    leave_out: Sequence[str],
    wanted: Sequence[str] | None,
    *,
    integer_ids: bool = False,
    id_column: str = "id",
    kinds: str = _KINDS,
) -> Features:
    ids = ids_of(table, path, integer_ids=integer_ids, name=id_column)
    names = tuple(name for name in table.column_names if name != id_column and name not in leave_out)
    if not names:
        raise BadData(f"{path}: there is no feature column beside {id_column}")
    if wanted is not None:
        try:
            names = tuple(names[place] for place in pick(names, wanted)[0])
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
    columns = [_numbers(table[name], name, path, kinds) for name in names]
    return Features(ids, np.column_stack(columns), names)


def _numbers(column: pa.ChunkedArray, name: str, path: Path, kinds: str) -> NDArray[np.float64]:
    column = decoded(column)
    if is_text(column.type):
        refuse_text(column, name, path, f"is not a number but text, and text needs a kind: state it in {kinds}")
    try:
        return numbers(column)
    except BadData as error:
        raise BadData(f"{path}: feature {name!r} {error}") from error
