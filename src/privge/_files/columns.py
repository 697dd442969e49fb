"""Columns of a table file: ids, and columns that must be there.

Ids of a text file are text, ids of a Parquet column are what the column holds. Whoever wants integers from text says so
(``integer_ids``); then every id must be the plain spelling of an integer.
"""

from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa

from privge._files.tables import (
    decoded,
    digits,
    first_null,
    first_other_than_digits,
    first_spoiled,
    is_text,
    line_of,
    read_table,
)
from privge.errors import BadData
from privge.ids import Ids, as_ids, first_repeated


def read_ids(path: str | PathLike[str], *, integer_ids: bool = False, column: str = "id") -> Ids:
    """Read the ids of a table, by default its column ``id``; see `read_graph` for ``integer_ids``."""
    path = Path(path)
    return ids_of(read_table(path, text=[column]), path, integer_ids=integer_ids, name=column)


def column_of(
    table: pa.Table, name: str, path: Path, *, blanks: bool = False, what: str | None = None
) -> pa.ChunkedArray:
    """Return a column that must be there and, unless blanks are allowed, have a value in every row."""
    if name not in table.column_names:
        # The names of the other columns are not told: without a header, the first person would stand there.
        kind = what if what is not None else name if name in ("label", "group") else None
        one = " (in this table alone: --id-column TABLE=NAME)" if kind == "id" else ""
        other = "" if kind is None else f"; --{kind}-column names another one{one}"
        raise BadData(
            f"{path}: there is no column {name!r} among its {table.num_columns}; it needs a header with it{other}"
        )
    column = table[name]
    if column.null_count and not blanks:
        raise BadData(f"{line_of(path, first_null(column), header=True)}: no {name}")
    return column


def ids_of(table: pa.Table, path: Path, *, integer_ids: bool, name: str = "id") -> Ids:
    """Return a column as node ids, each once."""
    column = decoded(column_of(table, name, path, what="id"))
    if not (pa.types.is_integer(column.type) or is_text(column.type)):
        raise BadData(f"{path}: ids must be integers or strings, the column holds {column.type}")
    refuse_spoiled(column, path, header=True)
    if integer_ids:
        column = integers(column, path, header=True)
    try:
        ids = as_ids(column.to_numpy(), unique=False)
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    repeated = first_repeated(ids)
    if repeated is not None:
        raise BadData(f"{line_of(path, repeated, header=True)}: this id appears twice")
    return ids


def spoiled(ids: Ids | pa.Array) -> bool:
    """Say whether an id is empty or has white space around it."""
    texts = pa.array(ids) if isinstance(ids, np.ndarray) and ids.dtype == np.object_ else ids
    return isinstance(texts, pa.Array) and is_text(texts.type) and first_spoiled(texts) is not None


def refuse_spoiled(column: pa.ChunkedArray, path: Path, *, header: bool) -> None:
    """Refuse, by its line, an id that is empty or has white space around it."""
    if is_text(column.type) and (row := first_spoiled(column)) is not None:
        raise BadData(f"{line_of(path, row, header=header)}: an id is empty, or begins or ends with white space")


def integers(column: pa.ChunkedArray, path: Path, *, header: bool) -> pa.ChunkedArray:
    """Return ids that are text as the integers that the caller says they are."""
    if not is_text(column.type):
        return column
    numbers = digits(column)
    if numbers is None:
        row = first_other_than_digits(column)
        raise BadData(
            f"{line_of(path, row or 0, header=header)}: an id is not an integer of 64 bits in its plain spelling "
            "(7, not 007, +7 or 7.0); read the ids as text"
        )
    return numbers
