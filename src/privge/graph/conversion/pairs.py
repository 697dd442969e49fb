"""Edges by row instead of by id."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.graph._threads import on_each
from privge.graph.conversion.conversion import Conversion
from privge.graph.conversion.integers import integer_rows
from privge.graph.conversion.parts import Part
from privge.graph.conversion.texts import Database, first_unknown, know, text_rows

NumberedEdges: TypeAlias = Iterator[tuple[NDArray[np.int32], NDArray[np.int32], Floats | None]]
"""Rows of both ends and, if they are asked for, weights, of some edges at a time."""

Numbering: TypeAlias = Callable[[list[Part]], NumberedEdges]


@contextmanager
def numbering(conversion: Conversion, count: int) -> Iterator[Numbering]:
    """Yield the function that reads some parts and yields the rows of both ends of their edges."""
    if conversion.kind == "integers":
        ids = np.load(conversion.graph / "ids.npy", mmap_mode="r")
        rows_of = integer_rows(np.asarray(ids), conversion.budget)
        yield lambda parts: _integer_pairs(conversion, parts, rows_of)
        return
    with closing(Database(conversion.work, conversion.budget)) as database:
        know(database, conversion.texts(count))
        yield lambda parts: _text_pairs(conversion, parts, database)


def _integer_pairs(
    conversion: Conversion, parts: list[Part], rows_of: Callable[[NDArray[np.int64]], NDArray[np.int32]]
) -> NumberedEdges:
    for part in parts:
        before = 0
        for columns in part.weighted_batches(conversion.batch):
            sources, targets = on_each(rows_of, [column.to_numpy() for column in columns[:2]])
            unknown = np.flatnonzero((sources < 0) | (targets < 0))
            if unknown.size:
                raise _unknown(part, before + int(unknown[0]), conversion)
            before += len(sources)
            yield sources, targets, columns[2].to_numpy() if len(columns) > 2 else None


def _text_pairs(conversion: Conversion, parts: list[Part], database: Database) -> NumberedEdges:
    batches = chain.from_iterable(part.weighted_batches(conversion.batch) for part in parts)
    joined = text_rows(database, batches, weighted=conversion.weight is not None)
    for sources, targets, weights in joined:
        if min(sources.min(initial=0), targets.min(initial=0)) < 0:
            joined.close()  # DuckDB answers one question at a time
            raise _first_unknown_text(conversion, parts, database)
        yield sources, targets, weights


def _first_unknown_text(conversion: Conversion, parts: list[Part], database: Database) -> BadData:
    """Look again, slowly, for the file and the row: the join does not say where an edge came from."""
    for part in parts:
        row = first_unknown(database, _ends(part, conversion.batch))
        if row is not None:
            return _unknown(part, row, conversion)
    return BadData(f"an edge has an end that is not among the nodes in {conversion.nodes_place}")


def _ends(part: Part, batch: int) -> Iterator[list[pa.Array]]:
    """Yield both ends of all edges of a part, each with its row."""
    before = 0
    for columns in part.batches(batch):
        rows = pa.array(np.arange(before, before + len(columns[0])))
        yield from ([column, rows] for column in columns)
        before += len(rows)


def _unknown(part: Part, row: int, conversion: Conversion) -> BadData:
    return BadData(
        f"{part.address}, row {row + 1}: an end of the edge is not among the nodes in {conversion.nodes_place}"
    )
