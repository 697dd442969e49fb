"""Tables on disk: CSV, TSV (also ``.gz``) and Parquet, as Arrow tables with checked columns.

Whatever is wrong is named by file and line. Reading is pyarrow's, which is fast and says little; only after a failure
is the file read again slowly, to find the line.

Ids of a text file are text, whatever they look like; those of a Parquet file are what its column is. White space around
an id is refused in every file: with it, the id of one file would be another node than the same id of the next.
"""

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privge.errors import BadData

EDGE_NAMES = {("source", "target"), ("src", "dst"), ("from", "to"), ("id_1", "id_2"), ("u", "v")}
"""What the columns of an edge list may be called."""

Column: TypeAlias = pa.Array | pa.ChunkedArray

_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_UNREADABLE = (OSError, EOFError, csv.Error, zlib.error)


def read_table(path: Path, *, names: Sequence[str] | None = None, text: Sequence[str] = ()) -> pa.Table:
    """Read a table; ``names`` stand in for a header line that the file lacks, ``text`` columns stay strings."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    table = _read_parquet(path) if path.suffix == ".parquet" else _read_text(path, names, text)
    repeated = [name for name, count in Counter(table.column_names).items() if count > 1]
    if repeated:
        raise BadData(f"{path}: the column {repeated[0]!r} appears twice")
    return table


def _read_parquet(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{path}: no Parquet file ({error})") from error


def _read_text(path: Path, names: Sequence[str] | None, text: Sequence[str]) -> pa.Table:
    try:
        table = pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(column_names=names),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter(path)),
            convert_options=pa_csv.ConvertOptions(
                null_values=[""], strings_can_be_null=True, column_types=dict.fromkeys(text, pa.string())
            ),
        )
        table.column_names  # noqa: B018 (names are decoded when they are asked for)
    except (pa.ArrowException, OSError, ValueError) as error:
        _explain(path)
        raise BadData(f"{path}: this is no table") from error  # the cause may quote a row
    return table


def delimiter(path: Path) -> str:
    """Return the separator that the file's name stands for."""
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    if not suffixes or suffixes[-1] not in _DELIMITERS:
        raise BadData(f"{path}: the name must end in .csv, .tsv (or either with .gz), .parquet or .npz")
    return _DELIMITERS[suffixes[-1]]


def first_line(path: Path) -> list[str]:
    """Return the fields of the first line."""
    try:
        with _open(path) as lines:
            return next(csv.reader(lines, delimiter=delimiter(path)), [])
    except UnicodeDecodeError as error:
        raise BadData(f"{path}, line {_first_undecodable(path)}: this is no UTF-8 text") from error
    except _UNREADABLE as error:
        raise BadData(f"{path}: cannot be read ({error})") from error


def line_of(path: Path, row: int, *, header: bool) -> str:
    """Return where a data row stands in a file, for a message; empty lines are no rows, but they are lines."""
    if path.suffix == ".parquet":
        return f"{path}, row {row + 1}"
    with _open(path, errors="replace") as lines:
        rows = csv.reader(lines, delimiter=delimiter(path))
        next(islice(filter(None, rows), row + header, None), None)
        return f"{path}, line {rows.line_num}"


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
    """Return the first row of a string column that is no number, if there is one."""
    for row, value in enumerate(column.to_pylist()):
        try:
            float(value or 0)
        except ValueError:
            return row
    return None


def _explain(path: Path) -> None:
    """Find the first line with another number of fields than the first, and say so."""
    try:
        with _open(path) as lines:
            rows = csv.reader(lines, delimiter=delimiter(path))
            width = len(next(rows, []))
            for row in rows:
                if row and len(row) != width:
                    raise BadData(f"{path}, line {rows.line_num}: {len(row)} fields where the first line has {width}")
            if width == 0:
                raise BadData(f"{path}: the file is empty")
    except UnicodeDecodeError as error:
        raise BadData(f"{path}, line {_first_undecodable(path)}: this is no UTF-8 text") from error
    except _UNREADABLE as error:
        raise BadData(f"{path}: cannot be read ({error})") from error


def _first_undecodable(path: Path) -> int:
    """Return the first line, counted from 1, that is no UTF-8."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _open(path: Path, *, errors: str = "strict"):  # type: ignore[no-untyped-def]  # noqa: ANN202
    opener = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig", errors=errors, newline="")
