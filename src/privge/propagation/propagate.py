"""`propagate`: one call for every engine, on this machine or on a cluster."""

import time
from typing import TYPE_CHECKING, overload

import scipy.sparse

from privge._machine import processors
from privge._typing import Progress
from privge.graph import Graph, GraphData, StoredGraph, as_graph
from privge.propagation.engines import engine_of
from privge.propagation.places import HERE, Local, OnCluster, Place
from privge.propagation.problem import Matrix, Problem, Propagation, output_kind
from privge.propagation.storage import allocate
from privge.propagation.walk import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, Walk

if TYPE_CHECKING:
    from privge.propagation.cluster import TiledMatrix


@overload
def propagate(
    graph: GraphData,
    features: scipy.sparse.csr_array,
    *,
    alpha: float = ...,
    r: float = ...,
    tolerance: float = ...,
    on: Local = ...,
    progress: Progress | None = ...,
) -> tuple[Matrix, Propagation]: ...


@overload
def propagate(
    graph: GraphData,
    features: scipy.sparse.csr_array,
    *,
    on: OnCluster,
    alpha: float = ...,
    r: float = ...,
    tolerance: float = ...,
    progress: Progress | None = ...,
) -> "tuple[TiledMatrix, Propagation]": ...


def propagate(
    graph: GraphData,
    features: scipy.sparse.csr_array,
    *,
    alpha: float = DEFAULT_ALPHA,
    r: float = DEFAULT_R,
    tolerance: float = DEFAULT_TOLERANCE,
    on: Place = HERE,
    progress: Progress | None = None,
) -> "tuple[Matrix | TiledMatrix, Propagation]":
    """Return ``Z = sum alpha (1-alpha)^l (D^(r-1) A D^(-r))^l X`` and the guarantee of its error.

    The result is float32, or float64 if the tolerance asks for more.

    Parameters
    ----------
    graph
        The graph, in any form that `privge.as_graph` takes.
    features
        One sparse row for each node, in the graph's order.
    alpha
        The paper's decay factor, in (0, 1).
    r
        The paper's convolution coefficient, in [0, 1].
    tolerance
        Largest error allowed in any entry; the engine certifies it or fails.
    on
        Where to compute: `privge.Local`, this machine, or `privge.OnCluster`, a Dask cluster.
    progress
        Called with the columns done and the columns in all.
    """
    walk = Walk(alpha, r, tolerance)
    if isinstance(on, OnCluster):
        from privge.propagation.cluster import propagate_on_cluster

        shared = graph if isinstance(graph, StoredGraph) else as_graph(graph)
        return propagate_on_cluster(on, shared, features, walk, progress)
    return propagate_here(as_graph(graph), features, walk, on, progress)


def propagate_here(
    graph: Graph, features: scipy.sparse.csr_array, walk: Walk, place: Local, progress: Progress | None
) -> tuple[Matrix, Propagation]:
    """Propagate on this machine: see `propagate`."""
    return solved(Problem(graph, features, walk), place, progress)


def solved(problem: Problem, place: Local, progress: Progress | None) -> tuple[Matrix, Propagation]:
    """Solve a problem on this machine, and check what the engine certifies."""
    solver, walk = engine_of(place.engine), problem.walk
    shape = (problem.graph.nodes, problem.columns)
    out = allocate(shape, output_kind(walk.tolerance, problem.largest), place.memory)
    start = time.perf_counter()
    threads = place.threads or processors()
    certificate = solver.solve(problem.for_output(out.dtype), out, threads=threads, progress=progress)
    seconds = time.perf_counter() - start
    return out, Propagation(solver.name, walk.tolerance, certificate, seconds, out.nbytes).checked()
