"""The tasks of shards that take turns: each works on one block of 16 columns of one shard, in float32.

Rows are numbered as in `privge.propagation.cluster.shards`: the shard's own first, then its halo. A task leaves new
vectors and changes none that it was given, so that Dask may run it again.
"""

import numpy as np
from numpy.typing import NDArray

from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.shards import ShardVectors, rows_of, segments_of
from privge.propagation.cluster.tiles import finish_tile, tile_name
from privge.propagation.problem import Certificate, Matrix, rounding
from privge.propagation.relaxation import aligned, largest_of

Pieces = list[NDArray[np.float32] | None]
"""The rows that a shard needs of each other one, in their order; None where they are still zeros."""


def right_side(run: Run, shard: int, block: int) -> ShardVectors:
    """Return ``alpha D^(-r) X`` of a shard in float64."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)
    start = aligned(last - first, np.float64)
    for rows, lanes, values in run.entries.read(block, first, last):
        start[rows - first, lanes] = run.walk.alpha * (values / scale[rows - first])
    return ShardVectors(start, size=largest_of(start))


def in_units(vectors: ShardVectors, unit: float) -> ShardVectors:
    """Return vectors divided by a power of two, in float32."""
    small = aligned(len(vectors.y), np.float32)
    np.divide(vectors.y, unit, out=small, casting="same_kind")
    return ShardVectors(small, size=vectors.size / unit)


def piece(run: Run, of: int, to: int, vectors: ShardVectors) -> NDArray[np.floating]:
    """Return the rows of shard ``of`` that shard ``to`` needs."""
    halo, cuts = segments_of(run, to)
    return np.take(vectors.y, halo[cuts[of] : cuts[of + 1]] - run.row_cuts[of], axis=0)


def turn(
    run: Run, shard: int, omega: float, start: ShardVectors, vectors: ShardVectors | None, pieces: Pieces
) -> ShardVectors:
    """Relax every row of a shard once, in place in a copy."""
    from privge.propagation._kernels.relax import sweep

    numbers = rows_of(run, shard, np.float32)
    y = _assembled(run, shard, vectors, pieces, np.float32)
    change, size = sweep(*numbers, start.y, y, np.float32(omega))
    return ShardVectors(_copied(y[: len(start.y)]), float(change), float(size))


def remainder(
    run: Run, shard: int, unit: float, right: ShardVectors, vectors: ShardVectors, pieces: Pieces
) -> ShardVectors:
    """Return what ``unit * vectors`` leaves of the right-hand side: ``right - (I - (1-alpha) P) unit y``, in float64."""
    from privge.propagation._kernels.accelerate import accelerate

    numbers = rows_of(run, shard, np.float64)
    y = _assembled(run, shard, vectors, pieces, np.float64)
    y *= unit
    own = y[: len(right.y)]
    left = aligned(len(right.y), np.float64)
    accelerate(*numbers, right.y, y, own, 1.0, left, (0, len(own)))
    left -= own
    return ShardVectors(left, size=largest_of(left))


def added(total: ShardVectors | None, unit: float, vectors: ShardVectors) -> ShardVectors:
    """Return ``total + unit * vectors`` in float64; its size is the largest there."""
    y = unit * vectors.y.astype(np.float64)
    if total is not None:
        y += total.y
    return ShardVectors(y, size=largest_of(y))


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


def _assembled(
    run: Run, shard: int, vectors: ShardVectors | None, pieces: Pieces, kind: type[np.floating]
) -> Matrix:
    """Return the shard's own rows and its halo in one array."""
    rows = run.row_cuts[shard + 1] - run.row_cuts[shard]
    halo, cuts = segments_of(run, shard)
    y = aligned(rows + len(halo), kind)
    if vectors is not None:
        y[:rows] = vectors.y
    others = [of for of in range(len(run.row_cuts) - 1) if of != shard]
    for of, part in zip(others, pieces, strict=True):
        if part is not None:
            y[rows + cuts[of] : rows + cuts[of + 1]] = part
    return y


def _copied(y: Matrix) -> Matrix:
    copy = aligned(len(y), y.dtype.type)
    copy[:] = y
    return copy
