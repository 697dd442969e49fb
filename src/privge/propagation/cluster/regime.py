"""Which regime, and which tiles: decided from the size of the graph and the memory of the workers, and said aloud.

`memory_for_columns` and `memory_for_edges` are the model that `docs/scale.md` compares with measurements.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privge._dask import workers
from privge.errors import ClusterFailed
from privge.graph.stored import StoredGraph
from privge.propagation._kernels.gather import LANES
from privge.propagation.cluster.entries import Entries
from privge.propagation.places import Regime
from privge.propagation.system import pays_to_reorder

if TYPE_CHECKING:
    from distributed import Client

_SHARE = 0.8  # of a worker's memory that a task may plan for
_LINE = 4 * LANES  # bytes of 16 columns of a row, in float32
_BASE = 250_000_000  # Python with its libraries
_TAKE_TURNS = 32  # shards at most: their tasks grow with the square of shards, for each block


@dataclass(frozen=True, slots=True)
class Layout:
    """The regime, its tiles, and why."""

    regime: str
    reason: str
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]
    engine: str = "sor"


def memory_for_columns(graph: StoredGraph, blocks: int, *, double: bool = False) -> int:
    """Return the bytes that a task of the columns regime takes.

    The graph, two blocks in float32 (one and a tile in the end), or three where those cannot certify the tolerance;
    factors and scale; or, if that is more, what renumbering the nodes takes once. Weights take 8 bytes an entry, shares
    4, and 8 more while what three blocks leave is measured. (Numbers that float32 cannot hold, and tolerances near the
    rounding of float64, take more: `privge.propagation.block`.)
    """
    vectors = 3 if double else 2
    weighing = ((20 if double else 12) * graph.entries + 16 * graph.nodes) if graph.weighted else 0
    relaxing = 4 * graph.entries + graph.nodes * (8 + vectors * _LINE + 28) + weighing
    if not pays_to_reorder(graph.nodes, blocks):
        return _BASE + relaxing
    renumbering = (28 if graph.weighted else 12) * graph.entries + 40 * graph.nodes
    return _BASE + max(relaxing + 8 * graph.nodes, renumbering)


def memory_for_edges(graph: StoredGraph, shards: int, blocks: int, *, double: bool = False) -> int:
    """Return the bytes that a shard takes at most, if it needs every row of the others and they every row of it.

    Its edges; of each block five vectors of its own rows, and pieces for others and of others; one block of all rows.
    """
    line = 2 * _LINE if double else _LINE
    rows = -(-graph.nodes // shards)
    entry = 4 + ((8 if double else 4) if graph.weighted else 0)
    return _BASE + entry * graph.entries // shards + line * (blocks * (5 * rows + 2 * graph.nodes) + graph.nodes)


def memory_for_turns(graph: StoredGraph, shards: int, blocks: int, threads: int = 1, *, double: bool = False) -> int:
    """Return the bytes that a shard takes at most when shards take turns.

    Its edges; of each block the shard's own rows, as they are, as others know them, and of the right-hand side, which
    is in float64 twice where what is left is measured; the halo, and once more where it travels whole; and for each
    thread a block of all rows. Where float32 cannot certify the tolerance, the sum of solutions is in float64 besides.
    """
    rows = -(-graph.nodes // shards)
    entry = 4 + ((8 if double else 4) if graph.weighted else 0)
    own, whole = (9, 2) if double else (7, 1)
    lines = blocks * (own * rows + 2 * graph.nodes) + min(threads, blocks) * whole * graph.nodes
    return _BASE + entry * graph.entries // shards + _LINE * lines


@dataclass(frozen=True, slots=True)
class Capacity:
    """What the workers have: their number, the memory of the smallest, what each of its threads may take; threads."""

    workers: int
    room: float
    room_of_thread: float
    threads: int = 1

    @classmethod
    def of(cls, client: "Client") -> "Capacity":
        """Ask the scheduler."""
        known = workers(client).values()
        rooms = [_SHARE * (worker["memory_limit"] or np.inf) for worker in known]  # one without a limit says 0
        threads = [worker["nthreads"] for worker in known]
        return cls(
            len(known), min(rooms), min(room / count for room, count in zip(rooms, threads, strict=True)), max(threads)
        )


def choose(
    graph: StoredGraph, entries: Entries, capacity: Capacity, regime: Regime = "auto", *, double: bool = False
) -> Layout:
    """Choose the columns regime if its tasks fit the smallest worker, the edges regime otherwise."""
    if regime not in ("auto", "columns", "edges"):
        raise ValueError(f"regime must be 'auto', 'columns' or 'edges', got {regime!r}")
    need = memory_for_columns(graph, entries.blocks, double=double)
    sizes = (
        f"one block on the whole graph takes {need / 1e9:.2f} GB, a thread has {capacity.room_of_thread / 1e9:.2f} GB"
    )
    if regime == "columns" or (regime == "auto" and need <= capacity.room_of_thread):
        why = "asked for" if regime == "columns" else "the graph fits"
        cuts = _column_cuts(entries.columns, LANES)
        return Layout("columns", f"columns regime ({why}): {sizes}", (0, graph.nodes), cuts)
    count = min(capacity.workers, max(1, graph.nodes))
    engine, blocks = _blocks_at_a_time(graph, entries, capacity, count, double=double)
    if regime == "auto" and not blocks:
        least = memory_for_edges(graph, count, 1, double=double)
        raise ClusterFailed(
            f"{sizes}; a shard of {count} takes {least / 1e9:.2f} GB: add workers or give them more memory"
        )
    width = LANES * max(1, blocks)
    why = "asked for" if regime == "edges" else "the graph does not fit"
    how = "in turns" if engine == "sor" else "at once"
    reason = f"edges regime ({why}): {sizes}; {count} shards {how}, {width} columns at a time"
    return Layout("edges", reason, row_cuts(graph, count), _column_cuts(entries.columns, width), engine)


def _blocks_at_a_time(
    graph: StoredGraph, entries: Entries, capacity: Capacity, shards: int, *, double: bool
) -> tuple[str, int]:
    """Choose how shards iterate, and return how many blocks fit; 0 if not even one does.

    Taking turns, a block keeps one thread busy. Stepping at once keeps all busy, with about twice the sweeps (see
    `privge.propagation.chebyshev`); so turns are better if they keep half of the threads busy.
    """
    threads = capacity.threads

    def fitting(memory: Callable[[int], int]) -> int:
        if capacity.room == np.inf:
            return min(entries.blocks, max(4, 2 * shards * threads))
        return next((blocks for blocks in range(entries.blocks, 0, -1) if memory(blocks) <= capacity.room), 0)

    blocks = fitting(lambda blocks: memory_for_turns(graph, shards, blocks, threads, double=double))
    if shards <= _TAKE_TURNS and 2 * blocks >= shards * threads:
        return "sor", blocks
    return "chebyshev", fitting(lambda blocks: memory_for_edges(graph, shards, blocks, double=double))


def row_cuts(graph: StoredGraph, shards: int) -> tuple[int, ...]:
    """Cut the rows so that every shard has about the same work: its edges, and four for each row."""
    indptr = graph.indptr()
    total = graph.entries + 4 * graph.nodes
    cuts = [0]
    for shard in range(1, shards):
        low, high = cuts[-1], graph.nodes
        while low < high:  # the first row at which the work so far reaches its share
            middle = (low + high) // 2
            if int(indptr[middle]) + 4 * middle < total * shard / shards:
                low = middle + 1
            else:
                high = middle
        cuts.append(low)
    return tuple(np.unique([*cuts, graph.nodes]).tolist())


def _column_cuts(columns: int, width: int) -> tuple[int, ...]:
    return (*range(0, columns, width), columns)
