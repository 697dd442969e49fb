"""Relaxation of one block of 16 columns: what the default engine does in a thread, and a cluster in a task.

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

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation._kernels.gather import AHEAD, CHUNK, LANES
from privge.propagation.problem import Certificate, Matrix, degree_scale, rounding, walk_weights
from privge.propagation.walk import Walk

_ROWS = 1 << 20  # rows written at once

Fill: TypeAlias = Callable[[Matrix], None]
"""Puts ``alpha D^(-r) X`` of a block into zeros of 16 columns, in the order of the sweeps."""


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """The graph in the order of the sweeps.

    Parameters
    ----------
    indptr, indices
        Compressed rows, with ``AHEAD`` more entries that the kernels may look at.
    place
        Where a node of the graph stands in this order; None if nothing moved.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    place: NDArray[np.int64] | None

    @classmethod
    def of(cls, graph: Graph, *, reorder: bool) -> "Order":
        """Renumber the nodes so that neighbours are close in memory (reverse Cuthill-McKee), or leave them."""
        from privge.graph._kernels import reorder as renumber

        if not reorder or graph.nodes < 2:
            return cls(graph.indptr, np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)]), None)
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        order = reverse_cuthill_mckee(graph.to_scipy(), symmetric_mode=True).astype(np.int64)
        indptr, indices = renumber(graph.indptr, graph.indices, order, AHEAD)
        place = np.empty(graph.nodes, dtype=np.int64)
        place[order] = np.arange(graph.nodes)
        return cls(indptr, indices, place)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    def places(self, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return where rows of the graph stand."""
        return rows if self.place is None else self.place[rows]


@dataclass(frozen=True, eq=False, slots=True)
class System:
    """The linear system in the order of the sweeps, and how exactly it shall be solved.

    Parameters
    ----------
    order
        The graph.
    weights
        ``(1-alpha) / degree`` in that order, 0 for isolated nodes.
    scale
        ``degree^r`` in the order of the graph.
    alpha
        The decay factor.
    tolerance
        Largest error allowed in any entry of Z.
    largest_degree
        Of all nodes.
    """

    order: Order
    weights: Floats
    scale: Floats
    alpha: float
    tolerance: float
    largest_degree: int

    @classmethod
    def of(cls, order: Order, walk: Walk) -> "System":
        """Derive weights and scale from the degrees."""
        degrees = np.diff(order.indptr)
        weights = walk_weights(degrees, walk.alpha)
        by_row = degrees if order.place is None else degrees[order.place]
        scale, largest = degree_scale(by_row, walk.r), int(degrees.max(initial=0))
        return cls(order, weights, scale, walk.alpha, walk.tolerance, largest)

    @property
    def largest_scale(self) -> float:
        """What an error in y can grow by in Z."""
        return float(self.scale.max(initial=1.0))


def solve_block(system: System, fill: Fill, out: Matrix, columns: slice, stop: Event | None = None) -> Certificate:
    """Solve for one block and write it into ``columns`` of ``out``; an event that is set ends it early."""
    nodes = system.order.nodes
    y = aligned(nodes, np.float32)
    certificate = _relax(system, fill, y, stop)
    if certificate.error > system.tolerance:
        coarse, y = y, aligned(nodes, np.float64)
        if math.isfinite(certificate.error):
            y[:] = coarse
        del coarse
        exact = _relax(system, fill, y, stop)
        certificate = Certificate(exact.error, certificate.sweeps + exact.sweeps, exact.precision)
    return certificate.plus(rounding(out.dtype, _write(system, y, out, columns)))


def _write(system: System, y: Matrix, out: Matrix, columns: slice) -> float:
    """Write ``Z = D^r y`` and return its largest size."""
    from privge.propagation._kernels.relax import write_rows

    largest = 0.0
    for first in range(0, len(y), _ROWS):
        rows = np.arange(first, min(first + _ROWS, len(y)))
        part, width = out[first : first + _ROWS], columns.stop - columns.start
        size = write_rows(y, system.order.places(rows), system.scale[rows], part, columns.start, width)
        largest = max(largest, size)
    return largest


def _relax(system: System, fill: Fill, y: Matrix, stop: Event | None) -> Certificate:
    """Sweep until the certificate holds, or until the precision of ``y`` is exhausted."""
    from privge.propagation._kernels.relax import sweep

    kind, alpha, order = y.dtype.type, system.alpha, system.order
    start = aligned(order.nodes, kind)
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there, and redone in float64
        fill(start)
    largest_start = largest_of(start)
    weights = system.weights.astype(kind)
    keep, largest_scale = 1 - alpha, system.largest_scale
    omega = kind(2 / (1 + math.sqrt(1 - keep**2)))
    target = system.tolerance * alpha / keep / largest_scale
    sweeps = 0
    while True:
        if stop is not None and stop.is_set():
            raise InterruptedError
        # Past its usual count of sweeps, over-relaxation gives way to Gauss-Seidel, which contracts in every sweep.
        pace = omega if sweeps < 200 + 8 / alpha else kind(1)
        change, size = sweep(order.indptr, order.indices, weights, start, y, pace)
        sweeps += 1
        if not math.isfinite(size):  # too large for this precision
            return Certificate(math.inf, sweeps, np.dtype(kind).name)
        exhausted = is_exhausted(kind, float(change), float(size))
        if change > target and not exhausted:
            continue
        change, size = sweep(order.indptr, order.indices, weights, start, y, kind(1))
        sweeps += 1
        rounded = rounding_of_sweep(kind, max(float(size + change), largest_start), system.largest_degree)
        error = (keep * float(change) + rounded) / alpha * largest_scale
        if error <= system.tolerance or exhausted:
            return Certificate(error, sweeps, np.dtype(kind).name)
        target /= 2


def rounding_of_sweep(kind: type[np.floating], size: float, largest_degree: int) -> float:
    """Bound what floating point adds to a row in one sweep or step, if no number is larger than ``size``."""
    roundings = 28 if kind is np.float32 else 28 + largest_degree / CHUNK
    return roundings * float(np.finfo(kind).eps) / 2 * size + float(np.finfo(kind).tiny)


def is_exhausted(kind: type[np.floating], change: float, size: float) -> bool:
    """Say whether rounding, not convergence, moves the rows now."""
    return change <= 32 * float(np.finfo(kind).eps) / 2 * size


def aligned(rows: int, kind: type) -> Matrix:
    """Return zeros of 16 columns whose rows start at cache lines."""
    size = rows * LANES * np.dtype(kind).itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + size].view(kind).reshape(rows, LANES)


def largest_of(matrix: Matrix) -> float:
    """Return the largest absolute value, without a copy of the matrix."""
    return float(max(matrix.max(initial=0.0), -matrix.min(initial=0.0)))
