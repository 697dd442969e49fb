"""The tasks of shards that take turns: each works on one block of 16 columns of one shard, in float32.

Rows are numbered as in `privge.propagation.cluster.shards`: the shard's own first, then its halo. A task leaves new
vectors and changes none that it was given, so that Dask may run it again. What shards tell each other of their rows is
in `privge.propagation.cluster.messages`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster.messages import Message, News, hear, tell
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.shards import ShardVectors, rows_of, segments_of
from privge.propagation.cluster.tiles import finish_tile, tile_name
from privge.propagation.problem import Certificate, Matrix, rounding
from privge.propagation.relaxation import aligned, largest_of
from privge.propagation.strengths import unit_of

_ROWS = 1 << 16  # rows written at once

Pieces: TypeAlias = list[NDArray[np.float32]]
"""The rows that a shard needs of each other one, in their order."""


@dataclass(frozen=True, eq=False, slots=True)
class Stand:
    """Where a shard stands with a block between its turns.

    Parameters
    ----------
    y
        Its own rows, then its halo as it knows it.
    known
        Its own rows, as other shards know them when they have heard the news.
    news
        What they have to hear for that.
    change, size
        Largest change of the last turn, and largest ``|y|``.
    """

    y: NDArray[np.float32] = field(repr=False)
    known: NDArray[np.float32] = field(repr=False)
    news: News = field(default=None, repr=False)
    change: float = 0.0
    size: float = 0.0

    @property
    def own(self) -> NDArray[np.float32]:
        """The shard's own rows."""
        return self.y[: len(self.known)]

    def __sizeof__(self) -> int:
        """Tell Dask how much memory this takes, and what it would cost to move."""
        return 64 + self.y.nbytes + self.known.nbytes + (0 if self.news is None else self.news.__sizeof__())


def right_side(run: Run, shard: int, block: int) -> ShardVectors:
    """Return ``alpha D^(-r) X`` of a shard in float64."""
    right = aligned(run.row_cuts[shard + 1] - run.row_cuts[shard], np.float64)
    for rows, lanes, values in _entries(run, shard, block):
        right[rows, lanes] = values
    return ShardVectors(right)


def first_weighed(run: Run, shard: int, block: int) -> tuple[float, float, Floats]:
    """Return what `weighed` does of `right_side`, from its non-zeros alone."""
    strengths = _strengths(run, shard) / unit_of(run.graph)
    whole = float(strengths.sum())
    largest, mean = 0.0, np.zeros(LANES)
    for rows, lanes, values in _entries(run, shard, block):
        largest = max(largest, largest_of(values))
        with np.errstate(over="ignore", invalid="ignore"):
            mean += np.bincount(lanes, strengths[rows] / (whole or 1.0) * values, minlength=LANES)
    return largest, whole, mean


def first_in_units(run: Run, shard: int, block: int, unit: float) -> ShardVectors:
    """Return what `in_units` makes of `right_side`, which is never there in float64."""
    start = aligned(run.row_cuts[shard + 1] - run.row_cuts[shard], np.float32)
    for rows, lanes, values in _entries(run, shard, block):
        with np.errstate(over="ignore"):
            start[rows, lanes] = values / unit
    return ShardVectors(start)


def _entries(run: Run, shard: int, block: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Floats]]:
    """Yield rows of the shard, lanes and values of ``alpha D^(-r) X``, where it is not 0."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)
    for rows, lanes, values in run.entries.read(block, first, last):
        yield rows - first, lanes, run.walk.alpha * (values / scale[rows - first])


def weighed(run: Run, shard: int, right: ShardVectors) -> tuple[float, float, Floats]:
    """Return the largest entry of a right-hand side, the sum of strengths, and the mean by strength of each column."""
    from privge.propagation._kernels.relax import weighted_mean

    strengths = _strengths(run, shard) / unit_of(run.graph)
    return right.size, float(strengths.sum()), weighted_mean(strengths, right.y)


def in_units(right: ShardVectors, unit: float) -> ShardVectors:
    """Return a right-hand side divided by a power of two, in float32."""
    start = aligned(len(right.y), np.float32)
    np.divide(right.y, unit, out=start, casting="same_kind")
    return ShardVectors(start)


def beginning(run: Run, shard: int, start: ShardVectors, mean: Floats) -> ShardVectors:
    """Return where a solution is sought from; nodes without neighbours are ``start`` already."""
    y = aligned(len(start.y), np.float32)
    np.add(start.y, mean.astype(np.float32), out=y)
    isolated = _strengths(run, shard) == 0
    if isolated.any():
        np.copyto(y, start.y, where=isolated[:, None])
    return ShardVectors(y)


def piece(run: Run, of: int, to: int, vectors: ShardVectors) -> NDArray[np.floating]:
    """Return the rows of shard ``of`` that shard ``to`` needs; without a copy if that is all of them."""
    rows = _needed(run, of, to)
    return vectors.y if rows is None else np.take(vectors.y, rows, axis=0)


def news(run: Run, of: int, to: int, stand: Stand) -> News:
    """Return what shard ``to`` has to hear of shard ``of``."""
    rows = _needed(run, of, to)
    if rows is None or stand.news is None:
        return stand.news
    return stand.news.of_rows(rows) if isinstance(stand.news, Message) else np.take(stand.news, rows, axis=0)


def own(stand: Stand) -> ShardVectors:
    """Return the shard's own rows."""
    return ShardVectors(stand.own)


def known(stand: Stand) -> ShardVectors:
    """Return the shard's own rows, as others know them."""
    return ShardVectors(stand.known)


def opened(vectors: ShardVectors, known: ShardVectors, pieces: Pieces) -> Stand:
    """Return where a shard stands that knows of others what they know of themselves, and has no news."""
    return Stand(_assembled(vectors, pieces), known.y)


def turn(
    run: Run,
    shard: int,
    omega: float,
    start: ShardVectors,
    stand: Stand,
    heard: list[News],
    whole: bool,  # noqa: FBT001
) -> Stand:
    """Relax every row of a shard once, in place in a copy, after what was heard of others.

    The news are all of its rows if ``whole``.
    """
    from privge.propagation._kernels.relax import sweep

    y, rows = aligned(len(stand.y), np.float32), len(stand.known)
    y[:rows] = stand.own
    _, cuts = segments_of(run, shard)
    others = [part for of, part in enumerate(pairwise(cuts)) if of != shard]
    for (first, last), part in zip(others, heard, strict=True):
        hear(part, stand.y[rows + first : rows + last], y[rows + first : rows + last])
    change, size = sweep(*rows_of(run, shard, np.float32), start.y, y, np.float32(omega))
    if whole:
        known = y[:rows].copy()
        return Stand(y, known, known, float(change), float(size))
    message, known = tell(y, stand.known)
    return Stand(y, known, message, float(change), float(size))


def remainder(run: Run, shard: int, unit: float, right: ShardVectors, stand: Stand, pieces: Pieces) -> ShardVectors:
    """Return what ``unit * own`` leaves of the right-hand side, ``right - (I - (1-alpha) P) unit y``."""
    from privge.propagation._kernels.remain import remain

    y = _assembled(own(stand), pieces)
    left = aligned(len(right.y), np.float64)
    largest = remain(*rows_of(run, shard, np.float64), right.y, y, unit, left)
    return ShardVectors(left, size=float(largest))


def added(total: ShardVectors | None, unit: float, stand: Stand) -> ShardVectors:
    """Return ``total + unit * own`` in float64."""
    return ShardVectors(_added(total, unit, stand, slice(None)))


def _added(total: ShardVectors | None, unit: float, stand: Stand, rows: slice) -> Floats:
    y: Floats = unit * stand.own[rows].astype(np.float64)
    if total is not None:
        y += total.y[rows]
    return y


def finish(
    run: Run,
    shard: int,
    column: int,
    certificate: Certificate,
    blocks: list[tuple[ShardVectors | None, float, Stand]],
) -> float:
    """Write the shard's tile from what `added` would give for each of its blocks."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)[:, None]
    width = run.column_cuts[column + 1] - run.column_cuts[column]
    largest = 0.0
    with run.tiles.create(f"{tile_name(shard, column)}.npy", (last - first, width), run.precision) as tile:
        for position, parts in enumerate(blocks):
            lanes = slice(position * LANES, min((position + 1) * LANES, width))
            for some in (slice(row, row + _ROWS) for row in range(0, last - first, _ROWS)):
                z = scale[some] * _added(*parts, some)[:, : lanes.stop - lanes.start]
                tile[some, lanes] = z
                largest = max(largest, largest_of(z))
    stored = certificate.plus(rounding(np.dtype(run.precision), largest))
    finish_tile(run.tiles, shard, column, stored)
    return stored.error


def _strengths(run: Run, shard: int) -> Floats:
    return np.asarray(run.graph.strengths(run.row_cuts[shard], run.row_cuts[shard + 1]), dtype=np.float64)


def _needed(run: Run, of: int, to: int) -> NDArray[np.int64] | None:
    """Return which of its rows shard ``of`` shares with shard ``to``, None if all of them."""
    halo, cuts = segments_of(run, to)
    first, last = run.row_cuts[of], run.row_cuts[of + 1]
    return None if cuts[of + 1] - cuts[of] == last - first else np.asarray(halo[cuts[of] : cuts[of + 1]]) - first


def _assembled(vectors: ShardVectors, pieces: Pieces) -> Matrix:
    """Return the shard's own rows and its halo in one array."""
    rows = len(vectors.y)
    y = aligned(rows + sum(len(part) for part in pieces), np.float32)
    y[:rows] = vectors.y
    for part in pieces:
        y[rows : rows + len(part)] = part
        rows += len(part)
    return y
