"""The default engine: successive over-relaxation, with a Gauss-Seidel sweep that certifies the result.

Over-relaxation with ``omega = 2 / (1 + sqrt(1 - (1-alpha)^2))`` updates rows in place, in blocks of 16 columns.
``D - (1-alpha) A`` is symmetric and positive definite, so it converges for every graph (Ostrowski).

*Certificate.* One Gauss-Seidel sweep (omega = 1) maps ``y`` to ``y'`` and contracts the error by ``1-alpha`` in the
maximum norm. With ``change = max |y' - y|`` and ``rounding`` a bound of what floating point adds to a row,
``|y' - y*| <= ((1-alpha) change + rounding) / alpha``. With ``u`` the unit roundoff and ``size`` the largest number
involved: adding up to 16 neighbours costs ``15 u``, rounding the sum, the weight, their product and the new row
``4 u``, the difference to the old row ``3 u``, storing ``start`` ``u``: together below ``28 u size`` with room for
second order. The sums of 16 are added in float64, which costs nothing beside float32, and ``degree / 16`` more
roundings where the working precision is float64 itself. Underflow costs less than the smallest normal number. Where
float32 cannot certify the tolerance, the block goes on in float64 from where it stands.
"""

import logging
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privge._typing import Progress
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation.problem import Certificate, Matrix, Problem, rounding

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sor:
    """Successive over-relaxation on blocks of 16 columns.

    Parameters
    ----------
    reorder
        Renumber nodes so that neighbours are close in memory (reverse Cuthill-McKee). It changes the order of
        the sweeps, hence rounding, never the guarantee. None decides by the number of columns.
    """

    name: ClassVar[str] = "sor"
    reorder: bool | None = None

    def solve(
        self, problem: Problem, out: Matrix, *, threads: int = 1, progress: Progress | None = None
    ) -> Certificate:
        """Write Z into ``out``; threads own whole column blocks, so the result does not depend on their number."""
        blocks = list(problem.blocks(LANES))
        _announce_compilation()
        plan = _Plan.of(problem, reorder=len(blocks) >= 4 if self.reorder is None else self.reorder)
        done, lock, stop = 0, Lock(), Event()

        def solve_block(columns: slice) -> Certificate:
            nonlocal done
            certificate = _solve_block(problem, plan, columns, out, stop)
            with lock:
                done += columns.stop - columns.start
                if progress is not None:
                    progress(done, problem.columns)
            return certificate

        if threads == 1:
            return Certificate.worst([solve_block(columns) for columns in blocks])
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(solve_block, columns) for columns in blocks]
            try:
                return Certificate.worst([future.result() for future in futures])
            except BaseException:
                stop.set()  # running blocks end after their sweep, waiting ones never start
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _announce_compilation() -> None:
    """Say so if the kernels are about to be compiled: it takes some seconds, once for each installation."""
    from privge.propagation._kernels import relax

    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(relax.__file__).parent / "__pycache__")
    if not relax.sweep.signatures and not any(folder.rglob("relax.sweep-*.nbi")):
        logger.info("compiling the kernels: some seconds, only this once")


@dataclass(frozen=True, eq=False, slots=True)
class _Plan:
    """The graph in the order of the sweeps."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    place: NDArray[np.int64]  # where a node of the graph stands in this order
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, problem: Problem, *, reorder: bool) -> "_Plan":
        from privge.graph._kernels import reorder as renumber

        graph = problem.graph
        if reorder and graph.nodes > 1:
            from scipy.sparse.csgraph import reverse_cuthill_mckee

            order = reverse_cuthill_mckee(graph.to_scipy(), symmetric_mode=True).astype(np.int64)
        else:
            order = np.arange(graph.nodes, dtype=np.int64)
        indptr, indices = renumber(graph.indptr, graph.indices, order, AHEAD)
        place = np.empty(graph.nodes, dtype=np.int64)
        place[order] = np.arange(graph.nodes)
        return cls(indptr, indices, place, problem.weights[order])


def _solve_block(problem: Problem, plan: _Plan, columns: slice, out: Matrix, stop: Event) -> Certificate:
    from privge.propagation._kernels.relax import write_rows

    y = _aligned(problem.graph.nodes, np.float32)
    certificate = _relax(problem, plan, columns, y, stop)
    if certificate.error > problem.tolerance:
        coarse, y = y, _aligned(problem.graph.nodes, np.float64)
        if math.isfinite(certificate.error):
            y[:] = coarse
        exact = _relax(problem, plan, columns, y, stop)
        certificate = Certificate(exact.error, certificate.sweeps + exact.sweeps, exact.precision)
    largest = write_rows(y, plan.place, problem.scale, out, columns.start, columns.stop - columns.start)
    return certificate.plus(rounding(out.dtype, largest))


def _relax(problem: Problem, plan: _Plan, columns: slice, y: Matrix, stop: Event) -> Certificate:
    """Sweep until the certificate holds, or until the precision of ``y`` is exhausted."""
    from privge.propagation._kernels.relax import CHUNK, sweep

    kind = y.dtype.type
    start = _aligned(problem.graph.nodes, kind)
    for lane, j in enumerate(range(columns.start, columns.stop)):
        rows, values = problem.column(j)
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there, and redone in float64
            start[plan.place[rows], lane] = problem.alpha * values
    largest_start = float(np.abs(start).max(initial=0.0))
    weights = plan.weights.astype(kind)
    keep = 1 - problem.alpha
    omega = kind(2 / (1 + math.sqrt(1 - keep**2)))
    unit = float(np.finfo(kind).eps) / 2
    roundings = 28 if kind is np.float32 else 28 + int(problem.graph.degrees.max(initial=0)) / CHUNK
    target = problem.tolerance * problem.alpha / keep / problem.largest_scale
    sweeps = 0
    while True:
        if stop.is_set():
            raise InterruptedError
        # Past its usual count of sweeps, over-relaxation gives way to Gauss-Seidel, which contracts in every sweep.
        pace = omega if sweeps < 200 + 8 / problem.alpha else kind(1)
        change, size = sweep(plan.indptr, plan.indices, weights, start, y, pace)
        sweeps += 1
        if not math.isfinite(size):  # too large for this precision
            return Certificate(math.inf, sweeps, np.dtype(kind).name)
        exhausted = change <= 32 * unit * size  # rounding, not convergence, moves y now
        if change > target and not exhausted:
            continue
        change, size = sweep(plan.indptr, plan.indices, weights, start, y, kind(1))
        sweeps += 1
        rounded = roundings * unit * max(float(size + change), largest_start) + float(np.finfo(kind).tiny)
        error = (keep * float(change) + rounded) / problem.alpha * problem.largest_scale
        if error <= problem.tolerance or exhausted:
            return Certificate(error, sweeps, np.dtype(kind).name)
        target /= 2


def _aligned(rows: int, kind: type) -> Matrix:
    """Return zeros of 16 columns whose rows start at cache lines."""
    size = rows * LANES * np.dtype(kind).itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + size].view(kind).reshape(rows, LANES)
