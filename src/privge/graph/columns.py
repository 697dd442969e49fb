"""Tables on disk: CSV, TSV (also ``.gz``) and Parquet, as Arrow tables with checked columns.

Whatever is wrong is named by file and line. Reading is pyarrow's, which is fast and says little; only after a failure
is the file read again slowly, to find the line.
"""

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privge.errors import BadData

EDGE_NAMES = {("source", "target"), ("src", "dst"), ("from", "to"), ("id_1", "id_2"), ("u", "v")}
"""What the columns of an edge list may be called."""

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
        raise BadData(f"{path}: {error}") from error
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
    with _open(path) as lines:
        rows = csv.reader(lines, delimiter=delimiter(path))
        next(islice(filter(None, rows), row + header, None), None)
        return f"{path}, line {rows.line_num}"


def first_null(column: pa.ChunkedArray) -> int:
    """Return the first row without a value."""
    return int(pc.index(pc.is_null(column), pa.scalar(value=True)).as_py())


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


def _open(path: Path):  # type: ignore[no-untyped-def]  # noqa: ANN202
    opener = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")
