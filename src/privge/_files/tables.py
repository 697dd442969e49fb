"""Tables on disk, text or columnar (see `privge._files.formats`), as Arrow tables with checked columns.

Whatever is wrong is named by file and line. Reading is pyarrow's, which is fast and says little; only after a failure
is the file read again slowly, to find the line.

Ids of a text file are text, whatever they look like; those of a Parquet file are what its column is. White space around
an id is refused in every file: with it, the id of one file would be another node than the same id of the next.
"""

import csv
import logging
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from privge._files.formats import COLUMNAR
from privge._files.texts import Layout, first_undecodable, layout_of, plain_rows, rows_of
from privge.errors import BadData

logger = logging.getLogger(__name__)

Column: TypeAlias = pa.Array | pa.ChunkedArray

_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}")
_UNREADABLE = (OSError, EOFError, csv.Error, zlib.error)


def read_table(
    path: Path,
    *,
    names: Sequence[str] | None = None,
    text: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> pa.Table:
    """Read a table.

    Parameters
    ----------
    path
        The file.
    names
        They stand in for a header line that the file lacks.
    text
        Columns that stay strings, whatever they look like.
    columns
        Which to read; by default all.
    """
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    table = _read_columnar(path, columns) if is_columnar(path) else _read_text(path, names, text, columns)
    refuse_repeated(table.column_names, path)
    return table


def is_columnar(path: Path) -> bool:
    """Say whether a file is a table with typed columns, whose names are known without reading a row."""
    return path.suffix in COLUMNAR


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of a columnar file."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    with reading(f"{path}: not a {COLUMNAR[path.suffix].called} file"):
        return COLUMNAR[path.suffix].names(path)


def refuse_repeated(names: Sequence[str], path: Path) -> None:
    """Refuse a column that is there twice: nobody could say which is meant."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise BadData(f"{path}: the column {repeated[0]!r} appears twice")


def _read_columnar(path: Path, columns: Sequence[str] | None) -> pa.Table:
    with reading(f"{path}: not a {COLUMNAR[path.suffix].called} file"):
        return COLUMNAR[path.suffix].read(path, None if columns is None else list(columns))


@contextmanager
def reading(refusal: str) -> Iterator[None]:
    """Refuse what pyarrow or the system cannot read: in these words, which name the file, and theirs."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{refusal} ({error})") from error


def _read_text(path: Path, names: Sequence[str] | None, text: Sequence[str], columns: Sequence[str] | None) -> pa.Table:
    with explained(path):
        layout = layout_of(path)
    try:
        source, parsing, remarks = _source(path, layout)
        table = pa_csv.read_csv(
            source,
            read_options=pa_csv.ReadOptions(column_names=names),
            parse_options=parsing,
            convert_options=pa_csv.ConvertOptions(
                null_values=[""],
                strings_can_be_null=True,
                column_types=dict.fromkeys(text, pa.string()),
                include_columns=list(columns or ()),
            ),
        )
        table.column_names  # noqa: B018 (names are decoded when they are asked for)
    except (pa.ArrowException, OSError, ValueError, EOFError, zlib.error) as error:
        _explain(path, layout)
        raise BadData(f"{path}: this is not a table") from error  # the cause may quote a row
    for remark in remarks:
        logger.info("%s: %s", path, remark)
    return table


def _source(path: Path, layout: Layout) -> tuple[Path | pa.BufferReader, pa_csv.ParseOptions, list[str]]:
    """Return what pyarrow reads and how, and what to say about it."""
    if layout.quoted:
        return path, pa_csv.ParseOptions(delimiter=layout.separator), layout.remarks
    content, remarks = plain_rows(path, layout)
    parsing = pa_csv.ParseOptions(delimiter=layout.separator or "\t", quote_char=False)
    return pa.BufferReader(content), parsing, layout.remarks + remarks


def first_row(path: Path) -> tuple[str, list[str]]:
    """Return where the first row of a text file stands, for a message, and its fields; an empty file is refused."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    with explained(path):
        number, fields = next(rows_of(path, layout_of(path)), (0, []))
    if not fields:
        raise BadData(f"{path}: the file is empty")
    return f"{path}, line {number}", fields


def line_of(path: Path, row: int, *, header: bool) -> str:
    """Return where a data row stands in a file, for a message."""
    if is_columnar(path):
        return f"{path}, row {row + 1}"
    rows = rows_of(path, layout_of(path), errors="replace")
    number, _ = next(islice(rows, row + header, None), (0, []))
    return f"{path}, line {number}"


def first_null(column: Column) -> int:
    """Return the first row without a value."""
    return _first(pc.is_null(column))


def decoded(column: Column) -> Column:
    """Return a column without a dictionary, and strings in a layout that can be computed with."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def is_text(kind: pa.DataType) -> bool:
    """Say whether a column holds strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def first_spoiled(texts: Column) -> int | None:
    """Return the first row whose id is empty, or begins or ends with white space, if there is one."""
    spoiled = pc.or_(pc.equal(texts, ""), pc.not_equal(texts, pc.utf8_trim_whitespace(texts)))
    return _first(spoiled) if pc.any(spoiled).as_py() else None


def digits(texts: Column) -> Column | None:
    """Return strings as the integers that they spell, if each is the one plain spelling of its integer."""
    try:
        numbers = texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    return numbers if pc.all(pc.equal(numbers.cast(texts.type), texts)).as_py() else None


def first_other_than_digits(texts: Column) -> int | None:
    """Return the first row of strings that `digits` does not take, if there is one."""
    for row, text in enumerate(texts.to_pylist()):
        if not (_PLAIN.fullmatch(text) and -(2**63) <= int(text) < 2**63):
            return row
    return None


def _first(mask: Column) -> int:
    return int(pc.index(mask, pa.scalar(value=True)).as_py())


def first_text(column: pa.ChunkedArray) -> int | None:
    """Return the first row of a string column that is not a number, if there is one."""
    for row, value in enumerate(column.to_pylist()):
        try:
            float(value or 0)
        except ValueError:
            return row
    return None


def _explain(path: Path, layout: Layout) -> None:
    """Find the first line with another number of fields than the first, and say so."""
    with explained(path):
        rows = rows_of(path, layout)
        width = len(next(rows, (0, []))[1])
        for number, row in rows:
            if len(row) != width:
                raise BadData(f"{path}, line {number}: {len(row)} fields where the first line has {width}")
        if width == 0:
            raise BadData(f"{path}: the file is empty")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say which file cannot be read, and on which line it is not text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise BadData(f"{path}, line {first_undecodable(path)}: this is not UTF-8 text") from error
    except _UNREADABLE as error:
        raise BadData(f"{path}: cannot be read ({error})") from error
