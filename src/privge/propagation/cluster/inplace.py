"""The tasks of shards that take turns: each works on one block of 16 columns of one shard, in float32.

Rows are numbered as in `privge.propagation.cluster.shards`: the shard's own first, then its halo. A task leaves new
vectors and changes none that it was given, so that Dask may run it again.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.shards import ShardVectors, rows_of, segments_of
from privge.propagation.cluster.tiles import finish_tile, tile_name
from privge.propagation.problem import Certificate, Matrix, rounding
from privge.propagation.relaxation import aligned, largest_of
from privge.propagation.strengths import unit_of

Pieces: TypeAlias = list[NDArray[np.float32]]
"""The rows that a shard needs of each other one, in their order."""


def right_side(run: Run, shard: int, block: int) -> ShardVectors:
    """Return ``alpha D^(-r) X`` of a shard in float64."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)
    start, largest = aligned(last - first, np.float64), 0.0
    for rows, lanes, values in run.entries.read(block, first, last):
        scaled = run.walk.alpha * (values / scale[rows - first])
        start[rows - first, lanes] = scaled
        largest = max(largest, largest_of(scaled))
    return ShardVectors(start, size=largest)


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
    connected = _strengths(run, shard) > 0
    np.add(start.y, np.where(connected[:, None], mean.astype(np.float32), np.float32(0)), out=y)
    return ShardVectors(y)


def piece(run: Run, of: int, to: int, vectors: ShardVectors) -> NDArray[np.floating]:
    """Return the rows of shard ``of`` that shard ``to`` needs."""
    halo, cuts = segments_of(run, to)
    return np.take(vectors.y, halo[cuts[of] : cuts[of + 1]] - run.row_cuts[of], axis=0)


def turn(
    run: Run, shard: int, omega: float, start: ShardVectors, vectors: ShardVectors, pieces: Pieces
) -> ShardVectors:
    """Relax every row of a shard once, in place in a copy."""
    from privge.propagation._kernels.relax import sweep

    y = _assembled(vectors, pieces)
    change, size = sweep(*rows_of(run, shard, np.float32), start.y, y, np.float32(omega))
    own = aligned(len(start.y), np.float32)
    own[:] = y[: len(own)]
    return ShardVectors(own, float(change), float(size))


def remainder(
    run: Run, shard: int, unit: float, right: ShardVectors, vectors: ShardVectors, pieces: Pieces
) -> ShardVectors:
    """Return what ``unit * vectors`` leaves of the right-hand side, ``right - (I - (1-alpha) P) unit y``."""
    from privge.propagation._kernels.remain import remain

    y = _assembled(vectors, pieces)
    left = aligned(len(right.y), np.float64)
    largest = remain(*rows_of(run, shard, np.float64), right.y, y, unit, left)
    return ShardVectors(left, size=float(largest))


def added(total: ShardVectors | None, unit: float, vectors: ShardVectors) -> ShardVectors:
    """Return ``total + unit * vectors`` in float64."""
    y = unit * vectors.y.astype(np.float64)
    if total is not None:
        y += total.y
    return ShardVectors(y)


def finish(
    run: Run,
    shard: int,
    column: int,
    certificate: Certificate,
    blocks: list[tuple[ShardVectors | None, float, ShardVectors]],
) -> float:
    """Write the shard's tile from what `added` would give for each of its blocks."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)[:, None]
    width = run.column_cuts[column + 1] - run.column_cuts[column]
    largest = 0.0
    with run.tiles.create(f"{tile_name(shard, column)}.npy", (last - first, width), run.precision) as tile:
        for position, parts in enumerate(blocks):
            lanes = slice(position * LANES, min((position + 1) * LANES, width))
            z = scale * added(*parts).y[:, : lanes.stop - lanes.start]
            tile[:, lanes] = z
            largest = max(largest, largest_of(z))
    stored = certificate.plus(rounding(np.dtype(run.precision), largest))
    finish_tile(run.tiles, shard, column, stored)
    return stored.error


def _strengths(run: Run, shard: int) -> Floats:
    return np.asarray(run.graph.strengths(run.row_cuts[shard], run.row_cuts[shard + 1]), dtype=np.float64)


def _assembled(vectors: ShardVectors, pieces: Pieces) -> Matrix:
    """Return the shard's own rows and its halo in one array."""
    rows = len(vectors.y)
    y = aligned(rows + sum(len(part) for part in pieces), np.float32)
    y[:rows] = vectors.y
    for part in pieces:
        y[rows : rows + len(part)] = part
        rows += len(part)
    return y
