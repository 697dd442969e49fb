"""The columns regime: the graph fits on a worker, and each task relaxes one block of 16 columns.

A task is what a thread of the single process does, on the same arrays in the same order, so the result is the same bit
by bit, however many workers there are and whichever of them died.
"""

from typing import TYPE_CHECKING

import numpy as np

from privge._dask import completed
from privge._files.folder import Folder
from privge._typing import Progress
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation._kernels.gather import GROUP
from privge.propagation.block import solve_block
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.tiles import finish_tile, tile_name
from privge.propagation.problem import Matrix
from privge.propagation.system import Order, System, pays_to_reorder

if TYPE_CHECKING:
    from distributed import Client

_ORDER = ("indptr.npy", "indices.npy", "place.npy", "weights.npy")  # weights only if there are any


def solve_columns(client: "Client", run: Run, progress: Progress | None = None) -> None:
    """Compute the tiles that are not there yet."""
    todo = run.unfinished()
    if _reorders(run) and todo and not run.folder.exists(f"order/{_last(run)}"):
        for _ in completed(client, write_order, [(run,)]):
            pass
    done = run.entries.columns - sum(run.column_cuts[j + 1] - run.column_cuts[j] for _, j in todo)
    for width in completed(client, solve_tile, [(run, j) for _, j in todo]):
        done += width
        if progress is not None:
            progress(done, run.entries.columns)


def write_order(run: Run) -> None:
    """Renumber the nodes once for all blocks; their ids do not matter here."""
    nameless = np.broadcast_to(np.int64(0), run.graph.nodes)
    indptr, indices = run.graph.indptr(), run.graph.indices(0, run.graph.entries)
    weights = run.graph.weights()
    rows = np.asarray(indptr), np.asarray(indices), None if weights is None else np.asarray(weights)
    order = Order.of(Graph.with_rows(nameless, *rows), reorder=True)
    for name, array in zip(_ORDER, (order.indptr, order.indices, order.place, order.weights), strict=True):
        if array is not None:
            run.folder.sub("order").write(name, array)


def solve_tile(run: Run, block: int) -> int:
    """Solve for one block, write its tile, and return its number of columns."""
    order = _order(run)
    system = System.of(order, np.asarray(run.graph.strengths()), run.walk)

    def fill(start: Matrix) -> None:
        for rows, lanes, values in run.entries.read(block):
            start[order.places(rows), lanes] = run.walk.alpha * (values / system.scale[rows])

    width = run.column_cuts[block + 1] - run.column_cuts[block]
    shape = (run.graph.nodes, width)
    with run.tiles.create(f"{tile_name(0, block)}.npy", shape, run.precision) as tile:
        certificate = solve_block(system, fill, tile, slice(0, width))
    finish_tile(run.tiles, 0, block, certificate)
    return width


def _last(run: Run) -> str:
    """Return the file of the order that is written last."""
    return "weights.npy" if run.graph.weighted else "place.npy"


def _reorders(run: Run) -> bool:
    return pays_to_reorder(run.graph.nodes, run.entries.blocks)


def _read_order(folder: Folder, graph: StoredGraph) -> Order:
    """Read what `write_order` wrote, perhaps in another run; compiled code takes it as it is, so it is checked."""
    indptr, indices, place = (np.asarray(folder.read(name)) for name in _ORDER[:3])
    weights = np.asarray(folder.read("weights.npy")) if graph.weighted else None
    try:
        Graph(np.broadcast_to(np.int64(0), graph.nodes), indptr, indices[: graph.entries], weights)
    except BadData as error:
        raise BadData(f"{folder.address}: damaged ({error}); remove this folder and run again") from error
    if len(indices) < graph.entries + GROUP or not np.array_equal(np.sort(place), np.arange(graph.nodes)):
        raise BadData(f"{folder.address}: damaged (these are not the places of all nodes); remove it and run again")
    return Order(indptr, indices, place, weights)


def _order(run: Run) -> Order:
    if _reorders(run):
        return _read_order(run.folder.sub("order"), run.graph)
    weights = run.graph.weights()
    rows = np.asarray(run.graph.indptr()), np.asarray(run.graph.indices())
    return Order(*rows, None, None if weights is None else np.asarray(weights))
