"""Shards of the edges regime, ranges of rows with their edges, and the tasks of shards that step at once.

Vectors of a shard are arrays of shape (blocks of 16 columns, rows, 16), or of one block. A shard numbers its own rows
first and then the rows that it needs of others, its *halo*, in the order of the graph; only those rows travel.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._files.folder import Folder
from privge.graph._weights import strengths_of
from privge.graph.stored import StoredGraph
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.tiles import finish_tile, tile_name
from privge.propagation.problem import Certificate, Matrix, rounding
from privge.propagation.relaxation import aligned, largest_of
from privge.propagation.strengths import node_factors, shares_of

_CHUNK = 1 << 24  # neighbours renumbered at once
_NEARLY_ALL = 0.9  # of a shard's rows: taking turns, it is cheaper to send all of them than to pick


@dataclass(frozen=True, eq=False, slots=True)
class ShardVectors:
    """What a step leaves on a worker: the vectors of a shard, and how far they moved.

    Parameters
    ----------
    y
        Blocks x rows x 16, or rows x 16.
    change, size
        Largest ``|following - y|`` and ``|following|`` over the shard.
    """

    y: NDArray[np.floating] = field(repr=False)
    change: float = 0.0
    size: float = 0.0

    def __sizeof__(self) -> int:
        """Tell Dask how much memory this takes, and what it would cost to move."""
        return 64 + self.y.nbytes


def prepare(run: Run, shard: int) -> int:
    """Write the shard's rows with local numbers, and its halo; return the number of rows of the halo."""
    folder, name = run.folder.sub("shards"), f"s{shard:05d}"
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    if folder.exists(f"{name}-halo.npy") and _is_sound(folder, name, last - first, run.graph):
        return len(folder.read(f"{name}-halo.npy"))
    indptr = run.graph.indptr(first, last)
    begin, end = int(indptr[0]), int(indptr[-1])
    needed = np.zeros(run.graph.nodes, dtype=np.bool_)
    for chunk in range(begin, end, _CHUNK):
        needed[run.graph.indices(chunk, min(chunk + _CHUNK, end))] = True
    if run.engine == "sor":
        for other in starmap(slice, pairwise(run.row_cuts)):
            needed[other] |= needed[other].mean() >= _NEARLY_ALL
    needed[first:last] = False
    halo = np.flatnonzero(needed)
    del needed
    local = np.zeros(run.graph.nodes, dtype=np.int32)
    local[halo] = np.arange(last - first, last - first + len(halo))
    local[first:last] = np.arange(last - first)
    with folder.create(f"{name}-indices.npy", (end - begin + AHEAD,), np.int32) as indices:
        indices[end - begin :] = 0
        for chunk in range(begin, end, _CHUNK):
            stop = min(chunk + _CHUNK, end)
            indices[chunk - begin : stop - begin] = local[run.graph.indices(chunk, stop)]
    starts = np.asarray(indptr) - begin
    folder.write(f"{name}-indptr.npy", starts)
    weights = run.graph.weights(begin, end)
    if weights is not None:
        strengths = np.asarray(run.graph.strengths(first, last))
        for kind in (np.float32, np.float64):
            shares = shares_of(starts, np.asarray(weights), strengths, kind)
            folder.write(f"{name}-shares-{np.dtype(kind).name}.npy", shares)
    folder.write(f"{name}-halo.npy", halo)
    return len(halo)


def _is_sound(folder: Folder, name: str, rows: int, graph: StoredGraph) -> bool:
    """Say whether the files of a shard, perhaps of another run, are what compiled code takes them for."""
    try:
        indptr, indices, halo = (folder.read(f"{name}-{array}.npy") for array in ("indptr", "indices", "halo"))
    except (OSError, ValueError, EOFError):
        return False
    entries = len(indices) - AHEAD
    if indptr.dtype != np.int64 or indices.dtype != np.int32 or len(indptr) != rows + 1 or entries < 0:
        return False
    if graph.weighted and not all(_are_shares(folder, name, indptr, kind) for kind in (np.float32, np.float64)):
        return False
    chunks = (indices[first : first + _CHUNK] for first in range(0, entries, _CHUNK))
    return bool(
        (indptr[0], indptr[-1]) == (0, entries)
        and np.diff(indptr).min(initial=0) >= 0
        and all(chunk.min() >= 0 and chunk.max() < rows + len(halo) for chunk in chunks)
        and (len(halo) == 0 or (halo[0] >= 0 and halo[-1] < graph.nodes and np.diff(halo).min(initial=1) > 0))
    )


def _are_shares(folder: Folder, name: str, indptr: NDArray[np.int64], kind: type[np.floating]) -> bool:
    """Say whether the shares of each row add up to 1, but for rounding: each is within 4 roundings of exact."""
    try:
        shares = np.asarray(folder.read(f"{name}-shares-{np.dtype(kind).name}.npy"))
    except (OSError, ValueError, EOFError):
        return False
    if shares.dtype != kind or len(shares) != indptr[-1] or not np.all((shares >= 0) & (shares <= 1)):
        return False
    sums = strengths_of(np.asarray(indptr), shares.astype(np.float64))[np.diff(indptr) > 0]
    return bool(np.abs(sums - 1).max(initial=0.0) <= 8 * np.finfo(kind).eps)


def start_of(run: Run, shard: int, column: int, precision: str) -> ShardVectors:
    """Return ``alpha D^(-r) X`` of a shard; ``size`` is its largest entry."""
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)
    blocks = _blocks(run, column)
    start = _vectors(len(blocks), last - first, precision)
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there, and redone in float64
        for position, block in enumerate(blocks):
            for rows, lanes, values in run.entries.read(block, first, last):
                start[position, rows - first, lanes] = run.walk.alpha * (values / scale[rows - first])
    return ShardVectors(start, size=largest_of(start))


def piece(run: Run, of: int, to: int, vectors: ShardVectors) -> NDArray[np.floating]:
    """Return the rows of shard ``of`` that shard ``to`` needs."""
    halo, cuts = segments_of(run, to)
    return np.take(vectors.y, np.asarray(halo[cuts[of] : cuts[of + 1]]) - run.row_cuts[of], axis=1)


def step(
    run: Run,
    shard: int,
    omega: float,
    start: ShardVectors,
    vectors: ShardVectors,
    before: ShardVectors,
    pieces: list[NDArray[np.floating]],
) -> ShardVectors:
    """Do one step on all blocks of a shard; ``pieces`` come from the other shards, in their order.

    The threads of the worker share its rows, which do not depend on each other: the result is the same for any number.
    """
    from privge.propagation._kernels.accelerate import accelerate

    y = vectors.y
    blocks, rows = y.shape[:2]
    kind = y.dtype.type
    numbers = rows_of(run, shard, kind)
    indptr = numbers[0]
    out = _vectors(blocks, rows, y.dtype.name)
    gathered = aligned(rows + sum(part.shape[1] for part in pieces), kind)
    threads = _threads()
    cuts = np.searchsorted(indptr, np.linspace(0, indptr[-1], 4 * threads + 1)[1:-1]).tolist() if threads > 1 else []
    ranges = list(pairwise([0, *cuts, rows]))
    moved = [(0.0, 0.0)]
    with ThreadPoolExecutor(threads) as pool:
        for block in range(blocks):
            gathered[:rows] = y[block]
            place = rows
            for part in pieces:
                gathered[place : place + part.shape[1]] = part[block]
                place += part.shape[1]
            arguments = (*numbers, start.y[block], gathered, before.y[block], kind(omega), out[block])
            moved.extend(pool.map(lambda given: accelerate(*given), [(*arguments, some) for some in ranges]))
    change, size = np.array(moved, dtype=np.float64).max(axis=0).tolist()  # keeps a NaN
    return ShardVectors(out, change, size)


def finish(
    run: Run,
    shard: int,
    column: int,
    certificate: Certificate,
    start: ShardVectors,
    vectors: ShardVectors,
    pieces: list[NDArray[np.floating]],
) -> float:
    """Do the last step, whose change is known and certified, and write the shard's tile."""
    y = step(run, shard, 1.0, start, vectors, vectors, pieces).y
    first, last = run.row_cuts[shard], run.row_cuts[shard + 1]
    scale = run.scale(first, last)[:, None]
    width = run.column_cuts[column + 1] - run.column_cuts[column]
    largest = 0.0
    with run.tiles.create(f"{tile_name(shard, column)}.npy", (last - first, width), run.precision) as tile:
        for block in range(len(y)):
            part = slice(block * LANES, min((block + 1) * LANES, width))
            z = scale * y[block, :, : part.stop - part.start].astype(np.float64)
            tile[:, part] = z
            largest = max(largest, float(np.abs(z).max(initial=0.0)))
    stored = certificate.plus(rounding(np.dtype(run.precision), largest))
    finish_tile(run.tiles, shard, column, stored)
    return stored.error


def moved(vectors: ShardVectors) -> tuple[float, float]:
    """Return how far a shard moved and how large it is: all that the driver sees of it."""
    return vectors.change, vectors.size


def refined(vectors: ShardVectors) -> ShardVectors:
    """Return the vectors in float64."""
    return ShardVectors(vectors.y.astype(np.float64), vectors.change, vectors.size)


def save(run: Run, name: str, vectors: ShardVectors) -> int:
    """Write the vectors of a shard into the checkpoint."""
    return run.folder.sub("checkpoints").write(name, vectors.y)


def load(run: Run, name: str) -> ShardVectors:
    """Read what `save` wrote; a task without others before it, so that what led to it can be forgotten."""
    return ShardVectors(np.array(run.folder.sub("checkpoints").read(name)))


Rows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.floating] | None, NDArray[np.floating]]


def rows_of(run: Run, shard: int, kind: type[np.floating]) -> Rows:
    """Return starts, neighbours, shares and factors of the rows of a shard."""
    folder, name = run.folder.sub("shards"), f"s{shard:05d}"
    indptr, indices = (np.asarray(folder.read(f"{name}-{array}.npy")) for array in ("indptr", "indices"))
    if not run.graph.weighted:
        return indptr, indices, None, node_factors(np.diff(indptr), run.walk.alpha).astype(kind)
    shares = np.asarray(folder.read(f"{name}-shares-{np.dtype(kind).name}.npy"))
    return indptr, indices, shares, np.where(np.diff(indptr) > 0, 1 - run.walk.alpha, 0.0).astype(kind)


def _threads() -> int:
    """Return the threads of the worker that runs this task; shards are as many as workers, so they are all free."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1


def segments_of(run: Run, shard: int) -> tuple[NDArray[np.int64], list[int]]:
    """Return the rows of the graph that a shard needs, and where among them those of each other shard begin and end."""
    halo = run.folder.sub("shards").read(f"s{shard:05d}-halo.npy")
    return halo, np.searchsorted(halo, run.row_cuts).tolist()


def _blocks(run: Run, column: int) -> range:
    return range(run.column_cuts[column] // LANES, -(-run.column_cuts[column + 1] // LANES))


def _vectors(blocks: int, rows: int, precision: str) -> Matrix:
    return aligned(blocks * rows, np.dtype(precision).type).reshape(blocks, rows, LANES)
