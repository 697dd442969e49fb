"""Personalized PageRank propagation. One protocol, several engines; knows nothing of privacy."""

import logging
import os
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from privge._typing import Progress
from privge.errors import ToleranceNotReached
from privge.graph import Graph
from privge.propagation.change import propagate_change
from privge.propagation.chebyshev import Chebyshev
from privge.propagation.exact import Exact
from privge.propagation.problem import Certificate, Engine, Matrix, Problem
from privge.propagation.push import Push
from privge.propagation.sor import Sor
from privge.propagation.storage import allocate

logger = logging.getLogger(__name__)

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Sor(), Push(), Chebyshev(), Exact())}
"""Every engine by the name that the command line uses."""

DEFAULT_TOLERANCE = 1e-4


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Propagation:
    """What a propagation did: its guarantee and its cost."""

    engine: str
    tolerance: float
    certificate: Certificate
    seconds: float
    bytes: int


def propagate(
    graph: Graph,
    features: scipy.sparse.csr_array,
    *,
    alpha: float = 0.1,
    r: float = 0.5,
    tolerance: float = DEFAULT_TOLERANCE,
    engine: str | Engine = "sor",
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> tuple[Matrix, Propagation]:
    """Return ``Z = sum alpha (1-alpha)^l (D^(r-1) A D^(-r))^l X`` and the guarantee of its error.

    Parameters
    ----------
    graph
        The graph.
    features
        One sparse row for each node, in the graph's order.
    alpha, r
        The paper's decay factor, in (0, 1), and convolution coefficient, in [0, 1].
    tolerance
        Largest error allowed in any entry; the engine certifies it or fails.
    engine
        ``sor``, ``push``, ``chebyshev``, ``exact``, or an engine object.
    threads
        By default one for each processor; the result does not depend on it.
    memory
        Bytes that the result may take in memory; a larger one is a temporary memory-mapped file. By default half
        of the machine's memory. The result is float32, or float64 if the tolerance asks for more.
    progress
        Called with the columns done and the columns in all.
    """
    if isinstance(engine, str) and engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    problem = Problem(graph, features, alpha, r, tolerance)
    kind = np.float64 if problem.storage_error(np.float32) > tolerance / 2 else np.float32
    out = allocate((graph.nodes, problem.columns), kind, memory)
    solver = ENGINES[engine] if isinstance(engine, str) else engine
    start = time.perf_counter()
    certificate = solver.solve(problem.for_output(out.dtype), out, threads=threads or processors(), progress=progress)
    seconds = time.perf_counter() - start
    if not certificate.error <= tolerance:
        raise ToleranceNotReached(
            f"engine {solver.name} certifies {certificate.error:.3g}, not the tolerance {tolerance:.3g}; "
            "ask for a larger one"
        )
    return out, Propagation(solver.name, tolerance, certificate, seconds, out.nbytes)


__all__ = [
    "DEFAULT_TOLERANCE",
    "ENGINES",
    "Certificate",
    "Chebyshev",
    "Engine",
    "Exact",
    "Matrix",
    "Problem",
    "Propagation",
    "Push",
    "Sor",
    "processors",
    "propagate",
    "propagate_change",
]
