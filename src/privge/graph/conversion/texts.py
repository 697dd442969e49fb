"""String ids beyond memory: DuckDB sorts and joins them, on disk where need be."""

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import Floats
from privge.errors import BadData, PrivgeError
from privge.graph._fingerprint import PIECE
from privge.graph.conversion import growing

_LEAST_MEMORY = 256 << 20  # DuckDB cannot work with much less
_ROWS = 1 << 20


class Database:
    """DuckDB with a limit on memory and a folder to spill to.

    Parameters
    ----------
    work
        Where it spills.
    budget
        Bytes that may be taken.
    """

    def __init__(self, work: Path, budget: int) -> None:
        with needed("sorting ids that are texts"):
            import duckdb
        self._errors = duckdb.Error
        self._failed: list[Exception] = []
        limit = max(_LEAST_MEMORY, budget // 2) // (1 << 20)
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        self._connection = duckdb.connect(
            config={
                "memory_limit": f"{limit}MB",
                "preserve_insertion_order": "false",
                "temp_directory": str(work / "spill"),
                "threads": str(threads or 1),
            }
        )

    def close(self) -> None:
        """Give memory and files back."""
        self._connection.close()

    def give(self, name: str, columns: Sequence[str], kinds: Sequence[pa.DataType], batches: Iterable[Any]) -> None:
        """Let queries read a stream, once, as a table; each batch is a list of columns."""
        schema = pa.schema(list(zip(columns, kinds, strict=True)))
        stream = (pa.record_batch(batch, schema=schema) for batch in self._kept(batches))
        self._connection.register(name, pa.RecordBatchReader.from_batches(schema, stream))

    def run(self, statement: str) -> None:
        """Run a statement that gives no rows."""
        with self._explained():
            self._connection.execute(statement)

    def rows(self, query: str) -> Iterator[pa.RecordBatch]:
        """Yield what a query gives."""
        with self._explained():
            relation = self._connection.sql(query)
            read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # DuckDB before 1.4
            yield from read(_ROWS)

    def _kept(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Remember what went wrong in a stream: DuckDB would only say that something did."""
        try:
            yield from batches
        except Exception as error:
            self._failed.append(error)
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (self._errors, pa.ArrowException, OSError) as error:
            if self._failed:
                raise self._failed.pop() from error
            if isinstance(error, OSError):
                raise
            raise PrivgeError(f"DuckDB could not finish ({str(error).splitlines()[0]})") from error


def write_distinct(
    database: Database, batches: Iterable[list[pa.Array]], offsets_path: Path, text_path: Path, *, once: str = ""
) -> int:
    """Write the distinct strings in the order of their UTF-8 bytes, in Arrow's layout, and return their number.

    Parameters
    ----------
    database
        What sorts them.
    batches
        Lists of one array each.
    offsets_path, text_path
        Where offsets and text go.
    once
        If given, each string must be there only once; this is the place to name in the message.
    """
    growing.begin(offsets_path)
    growing.begin(text_path)
    growing.append(offsets_path, np.int64, 0, [0])
    number, length = 0, 0
    database.give("given", ["id"], [pa.large_string()], batches)
    for batch in database.rows("SELECT id, count(*) AS times FROM given GROUP BY id ORDER BY id"):
        times = batch.column(1).to_numpy()
        if once and (times > 1).any():
            raise BadData(f"{once}: an id appears twice")
        starts, text = _layout(batch.column(0))
        growing.append(offsets_path, np.int64, number + 1, length + starts[1:])
        length = growing.append(text_path, np.uint8, length, text)
        number += len(batch)
    growing.seal(offsets_path, np.int64, number + 1)
    growing.seal(text_path, np.uint8, length)
    return number


def read_texts(offsets_path: Path, text_path: Path, number: int) -> Iterator[pa.Array]:
    """Yield the strings that `write_distinct` wrote, piece by piece."""
    for first in range(0, number, PIECE):
        last = min(first + PIECE, number)
        offsets = growing.read(offsets_path, np.int64, first, last + 1)
        text = growing.read(text_path, np.uint8, int(offsets[0]), int(offsets[-1]))
        yield pa.LargeStringArray.from_buffers(last - first, pa.py_buffer(offsets - offsets[0]), pa.py_buffer(text))


def know(database: Database, ids: Iterator[pa.Array]) -> None:
    """Let the database know the rows of all ids, which come in order."""

    def numbered() -> Iterator[list[pa.Array]]:
        first = 0
        for piece in ids:
            yield [piece, pa.array(np.arange(first, first + len(piece), dtype=np.int32))]
            first += len(piece)

    database.give("numbered", ["id", "row"], [pa.large_string(), pa.int32()], numbered())
    database.run("CREATE TABLE known AS SELECT id, row FROM numbered")


def text_rows(
    database: Database, edges: Iterable[list[pa.Array]], *, weighted: bool
) -> Generator[tuple[NDArray[np.int32], NDArray[np.int32], Floats | None], None, None]:
    """Yield the rows of both ends of edges, and their weights, in any order; -1 for ids that are not known."""
    names, kinds = ["source", "target"], [pa.large_string()] * 2
    if weighted:
        names, kinds = [*names, "weight"], [*kinds, pa.float64()]
    database.give("edges", names, kinds, edges)
    ends = "coalesce(s.row, -1)::INTEGER AS source, coalesce(t.row, -1)::INTEGER AS target"
    weights = ", edges.weight AS weight" if weighted else ""
    joined = database.rows(
        f"SELECT {ends}{weights} FROM edges "  # noqa: S608 (all of it is written here)
        "LEFT JOIN known s ON edges.source = s.id LEFT JOIN known t ON edges.target = t.id"
    )
    for batch in joined:
        columns = [column.to_numpy() for column in batch.columns]
        yield columns[0], columns[1], columns[2] if weighted else None


def first_unknown(database: Database, ids: Iterable[list[pa.Array]]) -> int | None:
    """Return the first row, given with each id, whose id is not known, if there is one."""
    database.give("asked", ["id", "place"], [pa.large_string(), pa.int64()], ids)
    for batch in database.rows("SELECT min(place) FROM asked ANTI JOIN known ON asked.id = known.id"):
        if len(batch):
            row: int | None = batch.column(0)[0].as_py()
            return row
    return None


def _layout(texts: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return offsets from 0 on, and the text."""
    texts = texts.cast(pa.large_string())
    _, offsets, text = texts.buffers()
    starts: NDArray[np.int64] = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    if not len(texts) or text is None:
        return np.zeros(len(texts) + 1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    return starts - starts[0], np.frombuffer(text, dtype=np.uint8)[starts[0] : starts[-1]]
