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
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from privge._dask import check_shared, connected, translated
from privge._files.folder import Folder
from privge._files.matrices import checked_matrix
from privge._typing import Progress
from privge.graph import Graph
from privge.graph.stored import StoredGraph, save_graph
from privge.propagation.cluster.columns import solve_columns
from privge.propagation.cluster.edges import solve_edges
from privge.propagation.cluster.entries import Entries, digest_of, in_canonical_form, write_matrix
from privge.propagation.cluster.regime import Capacity, choose
from privge.propagation.cluster.run import Inputs, Run
from privge.propagation.cluster.tiles import TiledMatrix
from privge.propagation.places import OnCluster, Regime
from privge.propagation.problem import (
    Propagation,
    output_kind,
    tolerance_left,
)
from privge.propagation.relaxation import rounding_of_sweep
from privge.propagation.strengths import largest_scale_of, node_scale, unit_of
from privge.propagation.walk import Walk

if TYPE_CHECKING:
    from distributed import Client

logger = logging.getLogger(__name__)


def propagate_on_cluster(
    place: OnCluster,
    graph: Graph | StoredGraph,
    features: scipy.sparse.csr_array,
    walk: Walk,
    progress: Progress | None = None,
) -> tuple[TiledMatrix, Propagation]:
    """Propagate features that are in memory: see `privge.propagate`."""
    if features.shape[0] != graph.nodes:
        raise ValueError(f"features have {features.shape[0]} rows for {graph.nodes} nodes")
    checked_matrix(features)
    if not np.isfinite(features.data).all():
        raise ValueError("features hold a value that is not finite")
    with connected(place.address) as client, run_folder(client, place.folder) as shared, translated():
        matrix = in_canonical_form(features)
        inputs = Inputs(stored_graph(graph, shared), digest_of(matrix), walk)
        run = inputs.folder(shared)
        scale = node_scale(inputs.graph.strengths(), walk.r, unit_of(inputs.graph))
        entries = write_matrix(run.sub("entries"), matrix, scale)
        return propagate_entries(client, run, inputs, entries, regime=place.regime, progress=progress)


def propagate_entries(
    client: "Client", folder: Folder, inputs: Inputs, entries: Entries, *, regime: Regime, progress: Progress | None
) -> tuple[TiledMatrix, Propagation]:
    """Propagate features that lie in the folder of a run."""
    start = time.perf_counter()
    chosen, run = plan(client, folder, inputs, entries, regime)
    (solve_columns if chosen == "columns" else solve_edges)(client, run, progress)
    seconds, size = time.perf_counter() - start, run.result.nbytes
    return run.result, Propagation(run.engine, inputs.walk.tolerance, run.certificate(), seconds, size).checked()


def plan(client: "Client", folder: Folder, inputs: Inputs, entries: Entries, regime: Regime) -> tuple[str, Run]:
    """Choose the regime, and begin the run or find it begun; a begun one keeps its regime, unless another is forced."""
    begun = [name for name in ("columns", "edges") if folder.exists(f"{name}/layout.json")]
    if regime == "auto" and begun:
        regime = "columns" if begun[0] == "columns" else "edges"
    graph, walk = inputs.graph, inputs.walk
    largest_scale = largest_scale_of(graph, walk.r)
    # No |y| exceeds the largest of the features; where float32 could not certify them, float64 takes twice the memory.
    floor = rounding_of_sweep(np.float32, entries.largest, graph.largest_degree, weighted=graph.weighted)
    floor *= largest_scale / walk.alpha
    layout = choose(graph, entries, Capacity.of(client), regime, double=floor > walk.tolerance)
    logger.info("%s", layout.reason)
    largest = entries.largest * largest_scale
    kind = output_kind(walk.tolerance, largest)
    left = replace(walk, tolerance=tolerance_left(walk.tolerance, kind, largest))
    precision = np.dtype(kind).name
    cuts = layout.row_cuts, layout.column_cuts
    run = Run(folder.sub(layout.regime), graph, entries, left, precision, *cuts, layout.engine)
    return layout.regime, run.begin()


def stored_graph(graph: Graph | StoredGraph, place: Folder) -> StoredGraph:
    """Return the graph as the workers read it; one that is in memory is written beside the run, once."""
    if isinstance(graph, StoredGraph):
        return graph
    folder = place.sub(f"graph-{graph.fingerprint[:24]}")
    return StoredGraph.open(folder) if folder.exists("graph.json") else save_graph(graph, folder)


@contextmanager
def run_folder(client: "Client", folder: str | os.PathLike[str] | Folder | None) -> Iterator[Folder]:
    """Yield the folder of a run; without one, a temporary folder that ends with this process, or with a failure.

    Only workers on this machine can see a temporary one, so for others there must be a folder.
    """
    if folder is not None:
        place = Folder.of(folder)
        check_shared(client, place)
        yield place
        return
    path = tempfile.mkdtemp(prefix="privge-run-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    try:
        check_shared(client, Folder(path))
        yield Folder(path)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
