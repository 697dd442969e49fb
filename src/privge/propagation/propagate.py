"""`propagate`: one call for every engine, on this machine or on a cluster."""

import logging
import time
from os import PathLike
from typing import TYPE_CHECKING, overload

import scipy.sparse

from privge._dask import Cluster
from privge._files.folder import Folder
from privge._machine import processors
from privge._typing import Progress
from privge.graph import Graph
from privge.graph.stored import StoredGraph
from privge.propagation.engines import ENGINES
from privge.propagation.problem import DEFAULT_TOLERANCE, Engine, Matrix, Problem, Propagation, output_kind
from privge.propagation.storage import allocate

if TYPE_CHECKING:
    from privge.propagation.cluster import Regime, TiledMatrix

logger = logging.getLogger(__name__)


@overload
def propagate(
    graph: Graph, features: scipy.sparse.csr_array, *, alpha: float = ..., r: float = ..., tolerance: float = ...,
    engine: str | Engine = ..., threads: int | None = ..., memory: int | None = ..., cluster: None = ...,
    progress: Progress | None = ...,
) -> tuple[Matrix, Propagation]: ...  # fmt: skip


@overload
def propagate(
    graph: Graph | StoredGraph, features: scipy.sparse.csr_array, *, alpha: float = ..., r: float = ...,
    tolerance: float = ..., cluster: Cluster, folder: str | PathLike[str] | Folder | None = ..., regime: "Regime" = ...,
    progress: Progress | None = ...,
) -> "tuple[TiledMatrix, Propagation]": ...  # fmt: skip


def propagate(
    graph: Graph | StoredGraph,
    features: scipy.sparse.csr_array,
    *,
    alpha: float = 0.1,
    r: float = 0.5,
    tolerance: float = DEFAULT_TOLERANCE,
    engine: str | Engine | None = None,
    threads: int | None = None,
    memory: int | None = None,
    cluster: "Cluster | None" = None,
    folder: str | PathLike[str] | Folder | None = None,
    regime: "Regime" = "auto",
    progress: Progress | None = None,
) -> "tuple[Matrix | TiledMatrix, Propagation]":
    """Return ``Z = sum alpha (1-alpha)^l (D^(r-1) A D^(-r))^l X`` and the guarantee of its error.

    Parameters
    ----------
    graph
        The graph.
    features
        One sparse row for each node, in the graph's order.
    alpha
        The paper's decay factor, in (0, 1).
    r
        The paper's convolution coefficient, in [0, 1].
    tolerance
        Largest error allowed in any entry; the engine certifies it or fails.
    engine
        ``sor`` (the default), ``push``, ``chebyshev``, ``exact``, or an engine object; not for a cluster.
    threads
        By default one for each processor; the result does not depend on it.
    memory
        Bytes that the result may take in memory; a larger one is a temporary memory-mapped file. By default half
        of the machine's memory. The result is float32, or float64 if the tolerance asks for more.
    cluster
        Address or client of a Dask scheduler: the work is done by its workers, and the result stays in files, of which
        slices of rows can be read.
    folder
        For a cluster: a folder that all workers share. What is finished in it is not computed again. By default a
        temporary one, if all workers are on this machine.
    regime
        For a cluster: ``columns`` (the graph fits on a worker), ``edges`` (it does not) or ``auto``.
    progress
        Called with the columns done and the columns in all.
    """
    if cluster is not None:
        from privge.propagation.cluster import propagate_on_cluster

        if engine is not None:
            raise ValueError("engine is decided by the regime of the cluster: leave it out")
        return propagate_on_cluster(
            cluster, graph, features, alpha=alpha, r=r, tolerance=tolerance, folder=folder, regime=regime,
            progress=progress,
        )  # fmt: skip
    engine = "sor" if engine is None else engine
    if isinstance(engine, str) and engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    graph = graph.graph() if isinstance(graph, StoredGraph) else graph
    problem = Problem(graph, features, alpha, r, tolerance)
    out = allocate((graph.nodes, problem.columns), output_kind(tolerance, problem.largest), memory)
    solver = ENGINES[engine] if isinstance(engine, str) else engine
    start = time.perf_counter()
    certificate = solver.solve(problem.for_output(out.dtype), out, threads=threads or processors(), progress=progress)
    seconds = time.perf_counter() - start
    return out, Propagation(solver.name, tolerance, certificate, seconds, out.nbytes).checked()
