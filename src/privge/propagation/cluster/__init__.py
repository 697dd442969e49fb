"""The same propagation on a Dask cluster: one call, two regimes, one kind of result.

`columns`: the graph fits on a worker, and column blocks are tasks. `edges`: it does not, and rows are spread over the
workers. `regime` chooses and says why; `run` is what is in the shared folder; `tiles` is the result.
"""

import atexit
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from privge._cluster import Cluster, connected, workers
from privge._folder import Folder
from privge._typing import Progress
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.stored import StoredGraph, save_graph
from privge.propagation.cluster.columns import solve_columns
from privge.propagation.cluster.edges import solve_edges
from privge.propagation.cluster.entries import Entries, write_matrix
from privge.propagation.cluster.regime import Capacity, Regime, choose
from privge.propagation.cluster.run import Run
from privge.propagation.cluster.tiles import TiledMatrix
from privge.propagation.problem import (
    Certificate,
    Propagation,
    check_parameters,
    degree_scale,
    output_kind,
    tolerance_left,
)

if TYPE_CHECKING:
    from distributed import Client

logger = logging.getLogger(__name__)


def propagate_on_cluster(
    cluster: Cluster,
    graph: Graph | StoredGraph,
    features: scipy.sparse.csr_array,
    *,
    alpha: float,
    r: float,
    tolerance: float,
    folder: str | os.PathLike[str] | Folder | None = None,
    regime: Regime = "auto",
    progress: Progress | None = None,
) -> tuple[TiledMatrix, Propagation]:
    """Propagate features that are in memory: see `privge.propagate`."""
    if features.shape[0] != graph.nodes:
        raise ValueError(f"features have {features.shape[0]} rows for {graph.nodes} nodes")
    if not np.isfinite(features.data).all():
        raise ValueError("features hold a value that is not finite")
    with connected(cluster) as client, run_folder(client, folder) as place:
        stored = stored_graph(graph, place)
        entries = write_matrix(place.sub("entries"), features, degree_scale(np.diff(stored.indptr()), r))
        return propagate_entries(
            client, place, stored, entries, alpha=alpha, r=r, tolerance=tolerance, regime=regime, progress=progress
        )


def propagate_entries(
    client: "Client",
    folder: Folder,
    graph: StoredGraph,
    entries: Entries,
    *,
    alpha: float,
    r: float,
    tolerance: float,
    regime: Regime = "auto",
    progress: Progress | None = None,
) -> tuple[TiledMatrix, Propagation]:
    """Propagate features that lie in a shared folder."""
    start = time.perf_counter()
    run = plan(client, folder, graph, entries, alpha=alpha, r=r, tolerance=tolerance, regime=regime)
    certificate = solve(client, run, progress)
    engine = "sor" if run.regime == "columns" else "chebyshev"
    seconds, size = time.perf_counter() - start, run.result.nbytes
    return run.result, Propagation(engine, tolerance, certificate, seconds, size).checked()


@contextmanager
def run_folder(client: "Client", folder: str | os.PathLike[str] | Folder | None) -> Iterator[Folder]:
    """Yield the folder of a run; without one, a temporary folder that ends with this process, or with a failure.

    Only workers on this machine can see a temporary one, so for others there must be a folder.
    """
    if folder is not None:
        yield Folder.of(folder)
        return
    hosts = {worker["host"] for worker in workers(client).values()}
    if not hosts <= {"127.0.0.1", "localhost", "::1"}:
        raise ValueError("the workers are on other machines: give folder=, a place that all of them can read and write")
    path = tempfile.mkdtemp(prefix="privge-run-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    try:
        yield Folder(path)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise


def stored_graph(graph: Graph | StoredGraph, place: Folder) -> StoredGraph:
    """Return the graph as the workers read it; one that is in memory is written to the folder of the run, once."""
    if isinstance(graph, StoredGraph):
        return graph
    folder = place.sub("graph")
    if folder.exists("graph.json"):
        found = StoredGraph.open(folder)
        if found.fingerprint == graph.fingerprint:
            return found
        raise BadData(f"{place.address} holds a run on another graph; remove it, or give another folder")
    return save_graph(graph, folder)


def run_graph(folder: Folder) -> StoredGraph:
    """Return the graph that a run was made on."""
    return StoredGraph.open(folder.document("run.json")["graph"])


def plan(
    client: "Client",
    folder: Folder,
    graph: StoredGraph,
    entries: Entries,
    *,
    alpha: float,
    r: float,
    tolerance: float,
    regime: Regime = "auto",
    shards: int | None = None,
) -> Run:
    """Choose the regime, and begin the run or find it begun."""
    check_parameters(alpha, r, tolerance)
    if folder.exists("run.json") and regime == "auto":
        regime = folder.document("run.json")["layout"]["regime"]
    layout = choose(graph, entries, Capacity.of(client), regime, shards)
    logger.info("%s", layout.reason)
    largest = entries.largest * float(degree_scale(np.array([graph.largest_degree]), r)[0])
    kind = output_kind(tolerance, largest)
    left = tolerance_left(tolerance, kind, largest)
    precision = np.dtype(kind).name
    run = Run(folder, graph, entries, alpha, r, left, precision, layout.regime, layout.row_cuts, layout.column_cuts)
    return run.begin()


def solve(client: "Client", run: Run, progress: Progress | None = None) -> Certificate:
    """Compute what the run still lacks, and return the certificate of the whole."""
    if run.regime == "columns":
        solve_columns(client, run, progress)
    else:
        solve_edges(client, run, progress)
    return run.certificate()


__all__ = [
    "Entries",
    "Regime",
    "Run",
    "TiledMatrix",
    "plan",
    "propagate_entries",
    "propagate_on_cluster",
    "run_folder",
    "run_graph",
    "solve",
    "stored_graph",
]
