"""One block of 16 columns from features to Z, as exactly as its tolerance wants: in a thread, or a task of a cluster.

Sweeps are in float32 (`privge.propagation.relaxation`), which certifies most tolerances. Where it does not, what ``y``
leaves of the right-hand side is computed in float64, ``left = start - (I - (1-alpha) P) y``, and the same sweeps solve
for the correction, ``(I - (1-alpha) P) c = left``: in float32 again, as it is small, and so is what rounding does to
it. ``y + c`` has seven digits more, and takes three quarters of the memory of float64. Where that is not enough either,
or float32 cannot hold the numbers, the block goes on in float64 from where it stands.

*Certificate.* ``left`` is measured in a power of two near its largest entry, ``unit``, which is exact and keeps float32
from overflow and underflow; what storing it in float32 rounds is in the bound of what ``c`` leaves of it, as for any
``start``. Row by row, ``start - (I - (1-alpha) P) (y + unit c)`` is then at most ``unit`` times that bound, and what
computing ``left`` rounds: in float64, as the residual that certifies, with ``|start| + 2 |y|`` for the largest number
involved. Adding ``unit c`` to ``y`` in the end rounds by ``u`` of the sum, which the residual sees twice at most.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.propagation.problem import Certificate, Matrix, rounding
from privge.propagation.relaxation import aligned, begin, largest_of, relax, rounding_of_residual
from privge.propagation.system import System

_ROWS = 1 << 20  # rows written at once
_NARROWED = 1 << 12  # rows

Fill: TypeAlias = Callable[[Matrix], None]
"""Puts ``alpha D^(-r) X`` of a block into zeros of 16 columns, in the order of the sweeps."""


@dataclass(frozen=True, eq=False, slots=True)
class _Solution:
    """``y``, or ``y + unit * correction``; what it leaves of the right-hand side at most, and the sweeps it took."""

    y: Matrix
    residual: float
    sweeps: int
    correction: NDArray[np.float32] | None = None
    unit: float = 1.0

    def widened(self) -> Matrix | None:
        """Return the solution in float64; None if float32 could not hold it."""
        if not math.isfinite(self.residual):
            return None
        wide = aligned(len(self.y), np.float64)
        if self.correction is not None:
            np.multiply(self.correction, self.unit, out=wide, dtype=np.float64)
        wide += self.y
        return wide


def solve_block(
    system: System, fill: Fill, out: Matrix, columns: slice, stop: Event | None = None, *, gentle: bool = False
) -> Certificate:
    """Solve for one block and write it into ``columns`` of ``out``; an event that is set ends it early."""
    target = system.tolerance * system.alpha / system.largest_scale
    found, precision = _in_float32(system, fill, target, stop, gentle=gentle), "float32"
    if not found.residual <= target:
        precision = "float64"  # of what is measured at least
        if math.isfinite(found.residual):
            found = _corrected(system, fill, found, target, stop)
        if not found.residual <= target:
            y, sweeps = found.widened(), found.sweeps
            del found  # its memory is needed
            found = _in_float64(system, fill, y, sweeps, target, stop)
    certificate = Certificate(found.residual / system.alpha * system.largest_scale, found.sweeps, precision)
    return certificate.plus(rounding(out.dtype, _write(system, found, out, columns)))


def _in_float32(system: System, fill: Fill, target: float, stop: Event | None, *, gentle: bool) -> _Solution:
    start, y = (aligned(system.order.nodes, np.float32) for _ in range(2))
    with np.errstate(over="ignore", invalid="ignore"):  # what float32 cannot hold is redone in float64
        fill(start)
        begin(system, start, y)
    return _Solution(y, *relax(system, start, y, target, stop, gentle=gentle))


def _corrected(system: System, fill: Fill, found: _Solution, target: float, stop: Event | None) -> _Solution:
    """Solve for what a solution in float32 leaves of the right-hand side, in float32 too."""
    from privge.propagation._kernels.remain import remain

    order, y, reach = system.order, found.y, largest_of(found.y)
    wide = aligned(order.nodes, np.float64)
    fill(wide)
    largest = largest_of(wide) + 2 * reach
    shares = system.shares_in(np.float64)
    left = float(remain(order.indptr, order.indices, shares, system.factors, wide, y, 1.0, wide))
    del shares
    rounded = rounding_of_residual(largest, system.largest_degree, weighted=system.weighted)
    rounded += 2 * float(np.finfo(np.float64).eps) * reach  # no correction is as large as y
    if rounded + left <= target:
        return _Solution(y, rounded + left, found.sweeps + 1)
    if not (rounded < target and left < reach):
        return found
    unit = 2.0 ** (math.frexp(left)[1] - 1)
    start, correction = _narrowed(wide, unit)
    begin(system, start, correction)
    residual, sweeps = relax(system, start, correction, (target - rounded) / unit, stop)
    if not unit * largest_of(correction) <= reach:
        return found
    return _Solution(y, rounded + unit * residual, found.sweeps + 1 + sweeps, correction, unit)


def _narrowed(wide: Matrix, unit: float) -> tuple[Matrix, Matrix]:
    """Return a matrix divided by a power of two in float32, and zeros of its shape: both in the memory that it had."""
    narrow, rest = np.split(wide.reshape(-1).view(np.float32), 2)
    rows = narrow.reshape(wide.shape)
    for first in range(0, len(wide), _NARROWED):  # row i is stored where row i // 2 was read before
        rows[first : first + _NARROWED] = wide[first : first + _NARROWED] / unit
    rest[:] = 0
    return rows, rest.reshape(wide.shape)


def _in_float64(
    system: System, fill: Fill, y: Matrix | None, sweeps: int, target: float, stop: Event | None
) -> _Solution:
    """Go on from where float32 ended after some sweeps; begin anew if it ended nowhere."""
    start = aligned(system.order.nodes, np.float64)
    fill(start)
    if y is None:
        y = aligned(system.order.nodes, np.float64)
        begin(system, start, y)
    residual, more = relax(system, start, y, target, stop)
    return _Solution(y, residual, sweeps + more)


def _write(system: System, found: _Solution, out: Matrix, columns: slice) -> float:
    """Write ``Z = D^r y`` and return its largest size."""
    from privge.propagation._kernels.relax import write_rows

    largest = 0.0
    for first in range(0, len(found.y), _ROWS):
        rows = np.arange(first, min(first + _ROWS, len(found.y)))
        part, width = out[first : first + _ROWS], columns.stop - columns.start
        where, scale = system.order.places(rows), system.scale[rows]
        size = write_rows(found.y, found.correction, found.unit, where, scale, part, columns.start, width)
        largest = max(largest, size)
    return largest
