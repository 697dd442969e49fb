"""Edges by row instead of by id."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.graph.conversion.conversion import Conversion
from privge.graph.conversion.integers import integer_rows
from privge.graph.conversion.parts import Part
from privge.graph.conversion.texts import Database, first_unknown, know, text_rows

Pairs: TypeAlias = Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]
Numbering: TypeAlias = Callable[[list[Part]], Pairs]


@contextmanager
def numbering(conversion: Conversion, count: int) -> Iterator[Numbering]:
    """Yield the function that reads some parts and yields the rows of both ends of their edges."""
    if conversion.kind == "integers":
        ids = np.load(conversion.graph / "ids.npy", mmap_mode="r")
        rows_of = integer_rows(np.asarray(ids), conversion.memory)
        yield lambda parts: _integer_pairs(conversion, parts, rows_of)
        return
    with closing(Database(conversion.work, conversion.memory)) as database:
        know(database, conversion.texts(count))
        yield lambda parts: _text_pairs(conversion, parts, database)


def _integer_pairs(
    conversion: Conversion, parts: list[Part], rows_of: Callable[[NDArray[np.int64]], NDArray[np.int32]]
) -> Pairs:
    for part in parts:
        for columns in part.batches(conversion.batch):
            sources, targets = (_known_rows(column.to_numpy(), rows_of, part, conversion) for column in columns)
            yield sources, targets


def _known_rows(
    ids: NDArray[np.int64],
    rows_of: Callable[[NDArray[np.int64]], NDArray[np.int32]],
    part: Part,
    conversion: Conversion,
) -> NDArray[np.int32]:
    rows = rows_of(ids)
    if rows.min(initial=0) < 0:
        raise _unknown(part, int(ids[np.argmin(rows)]), conversion)
    return rows


def _text_pairs(conversion: Conversion, parts: list[Part], database: Database) -> Pairs:
    batches = chain.from_iterable(part.batches(conversion.batch) for part in parts)
    joined = text_rows(database, batches)
    for sources, targets in joined:
        if min(sources.min(initial=0), targets.min(initial=0)) < 0:
            joined.close()  # DuckDB answers one question at a time
            raise _first_unknown_text(conversion, parts, database)
        yield sources, targets


def _first_unknown_text(conversion: Conversion, parts: list[Part], database: Database) -> BadData:
    """Look again, slowly, for the file and the id: the join does not say where a row came from."""
    for part in parts:
        ends = ([column] for columns in part.batches(conversion.batch) for column in columns)
        unknown = first_unknown(database, ends)
        if unknown is not None:
            return _unknown(part, unknown, conversion)
    return BadData(f"an edge has an end that is not among the nodes in {conversion.nodes_place}")


def _unknown(part: Part, node: object, conversion: Conversion) -> BadData:
    return BadData(
        f"{part.address}: an edge ends at {node!r}, which is not among the nodes in {conversion.nodes_place}"
    )
