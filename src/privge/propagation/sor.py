"""The default engine: successive over-relaxation, with a measured residual that certifies the result.

Threads own blocks of 16 columns; `privge.propagation.relaxation` says what happens in each, and why it is right.
"""

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import ClassVar

from privge._typing import Progress
from privge.propagation._kernels.gather import LANES
from privge.propagation.block import Fill, solve_block
from privge.propagation.problem import Certificate, Matrix, Problem
from privge.propagation.system import Order, System, pays_to_reorder

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sor:
    """Successive over-relaxation on blocks of 16 columns.

    Parameters
    ----------
    reorder
        Renumber nodes so that neighbours are close in memory (breadth first). It changes the order of
        the sweeps, hence rounding, never the guarantee. None decides by the number of columns and nodes.
    gentle
        Begin gently: fewer sweeps where few nodes have features, one or two more otherwise.
    """

    name: ClassVar[str] = "sor"
    reorder: bool | None = None
    gentle: bool = False

    def solve(
        self, problem: Problem, out: Matrix, *, threads: int = 1, progress: Progress | None = None
    ) -> Certificate:
        """Write Z into ``out``; threads own whole column blocks, so the result does not depend on their number."""
        blocks = list(problem.blocks(LANES))
        announce_compilation()
        pays = pays_to_reorder(problem.graph.nodes, len(blocks))
        order = Order.of(problem.graph, reorder=pays if self.reorder is None else self.reorder)
        system = System.of(order, problem.graph.strengths, problem.walk)
        done, lock, stop = 0, Lock(), Event()

        def solve(columns: slice) -> Certificate:
            nonlocal done
            fill = _fill(problem, order, columns)
            certificate = solve_block(system, fill, out, columns, stop, gentle=self.gentle)
            with lock:
                done += columns.stop - columns.start
                if progress is not None:
                    progress(done, problem.columns)
            return certificate

        if threads == 1:
            return Certificate.worst([solve(columns) for columns in blocks])
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(solve, columns) for columns in blocks]
            try:
                return Certificate.worst([future.result() for future in futures])
            except BaseException:
                stop.set()  # running blocks end after their sweep, waiting ones never start
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def announce_compilation() -> None:
    """Say so if the kernels are about to be compiled: it takes some seconds, once for each installation."""
    from privge.propagation._kernels import relax

    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(relax.__file__).parent / "__pycache__")
    if not relax.sweep.signatures and not any(folder.rglob("relax.sweep-*.nbi")):
        logger.info("compiling the kernels: some seconds, only this once")


def _fill(problem: Problem, order: Order, columns: slice) -> Fill:
    def fill(start: Matrix) -> None:
        for lane, j in enumerate(range(columns.start, columns.stop)):
            rows, values = problem.column(j)
            start[order.places(rows), lane] = problem.alpha * values

    return fill
