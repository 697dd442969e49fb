"""Edges by row instead of by id."""

from collections.abc import Callable, Iterator
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
from privge.graph.conversion.texts import text_rows

NumberedEdges: TypeAlias = Iterator[tuple[NDArray[np.int32], NDArray[np.int32], Floats | None]]
"""Rows of both ends and, if they are asked for, weights, of some edges at a time."""

Numbering: TypeAlias = Callable[[list[Part]], NumberedEdges]

RowsOf: TypeAlias = Callable[[pa.Array], NDArray[np.int32]]


def numbering(conversion: Conversion, count: int) -> Numbering:
    """Return the function that reads some parts and yields the rows of both ends of their edges."""
    if conversion.kind == "strings":
        rows_of: RowsOf = text_rows(conversion.texts(count))
    else:
        ids = np.asarray(np.load(conversion.graph / "ids.npy", mmap_mode="r"))
        rows_of_integers = integer_rows(ids, conversion.budget)
        rows_of = lambda column: rows_of_integers(column.to_numpy())  # noqa: E731
    return lambda parts: _pairs(conversion, parts, rows_of)


def _pairs(conversion: Conversion, parts: list[Part], rows_of: RowsOf) -> NumberedEdges:
    for part in parts:
        before = 0
        for columns in part.weighted_batches(conversion.batch):
            sources, targets = on_each(rows_of, columns[:2])
            unknown = np.flatnonzero((sources < 0) | (targets < 0))
            if unknown.size:
                raise _unknown(part, before + int(unknown[0]), conversion)
            before += len(sources)
            yield sources, targets, columns[2].to_numpy() if len(columns) > 2 else None


def _unknown(part: Part, row: int, conversion: Conversion) -> BadData:
    return BadData(
        f"{part.address}, row {row + 1}: an end of the edge is not among the nodes in {conversion.nodes_place}"
    )
