"""Relaxation of one block of 16 columns: sweeps, and the residual that says for certain how far they came.

Over-relaxation with ``omega = 2 / (1 + sqrt(1 - (1-alpha)^2))`` updates rows in place, in blocks of 16 columns.
``D - (1-alpha) A`` is symmetric and positive definite, so it converges for every graph (Ostrowski).

A neighbour counts once, or by its share ``weight / strength`` if edges have weights; then the factor of their sum is
``1-alpha`` instead of ``(1-alpha) / degree``, and everything else is the same.

*Where it begins.* P keeps the mean of ``y`` by strength, so that of the solution is the mean of ``start`` by alpha. It
is the part of the solution that moves slowest through the graph, and known beforehand: ``y`` begins as ``start`` plus
that mean, which saves two to three sweeps. Wherever it begins, the certificate is about where it ends.

*A gentle beginning.* That ``omega`` is the best for the slowest part of any solution, and promises to shrink what is
left by ``omega - 1`` a sweep in the long run. What few nodes send out into a graph without communities shrinks much
faster if it is left alone: ``omega = 1.1`` halves the sweeps. So a small change of the features begins with that, and
goes over to the usual one after the first sweep that did worse than the promise: a sweep or two late at worst.

*Certificate.* It measures the residual of the numbers that are stored, ``start + (1-alpha) P y - y``, in float64. How
they came about does not matter, nor what sweeps rounded. As ``|y - y*| <= max |residual| / alpha``, it remains to bound
what measuring rounds, with ``u = 2^-53`` and ``size`` the largest ``|y|`` or ``|start|``. The sum of up to 64
neighbours passes through 17 additions (two in its group of four, 15 of groups), and through ``degree / 64`` more with
those of the other 64s: so many ``u`` of ``size``, since the factor makes a mean of the sum. The factor costs ``2 u``,
its product ``u``; adding ``start`` and subtracting ``y`` ``5 u``, as the result is at most three times ``size``.
Computing ``start`` and Z from X and degrees costs ``7 u``: together below ``(40 + degree / 64) u size``, with room.
Underflow costs less than the smallest normal number.

*With weights* a neighbour is multiplied with its share (``u``). A strength is known to ``3 u``, a share to ``4 u``, a
strength in its unit to ``7 u`` and its power to ``8 u``, which ``start`` is divided by and Z multiplied with: 20 more.
A share or product may underflow, each by less than the smallest number there is, times 1 or ``|y|``: ``degree (1 +
size)`` times that number is added.

*In float32* ``start`` is stored to ``2^-24`` of itself, and shares are, which moves a mean by that much of ``size``.
That is all: the rounding of ``y`` is in the residual, and a tenth of what could be proved of a sweep. So float32 is
enough for most graphs with large hubs, and a large r; `privge.propagation.block` says what follows where it is not.

*A bound of the rounding of a step* (`rounding_of_sweep`) serves where the change of a step is the certificate, as in
shards of a cluster that step at once. With the unit roundoff ``u`` of the working precision, the sum of 16 costs
``5 u`` (two additions in its group of four, three of groups; that of 64 in a sweep ``17 u``), rounding the sum, the
factor, their product and the new row ``4 u``, the difference to the old row ``3 u``, storing ``start`` ``u``, shares
and their products ``2 u``: together below ``28 u size``. Sums of 16 are added in float64; where that is the working
precision, this costs ``degree / 16`` more roundings, and weights 20 as above.
"""

import math
from threading import Event

import numpy as np
from numpy.typing import NDArray

from privge.propagation._kernels.gather import CHUNK, LANES
from privge.propagation._kernels.rows import SPAN
from privge.propagation.problem import Matrix, rounding
from privge.propagation.system import System

_RESIDUAL_BY_CHANGE = 0.4  # of a sweep, times 1-alpha, usually (0.33 to 0.44 seen): when it pays to look
_GENTLE = 1.1  # over-relaxation of a gentle beginning
_IDLE = 3  # sweeps that changed rows no less than one before, when that is no more than rounding


def relax(
    system: System, start: Matrix, y: Matrix, target: float, stop: Event | None = None, *, gentle: bool = False
) -> tuple[float, int]:
    """Sweep until what ``y`` leaves of ``start`` is certainly no more than a target, or rounding lets it be no less.

    Return the bound of what it leaves, infinite if the precision of ``y`` cannot hold the numbers, and the sweeps.
    """
    from privge.propagation._kernels.relax import sweep

    kind, alpha, order = y.dtype.type, system.alpha, system.order
    shares, factors = system.shares_in(kind), system.factors.astype(kind)
    omega = kind(2 / (1 + math.sqrt(1 - (1 - alpha) ** 2)))
    residual_by_change, least, idle, sweeps, before = _RESIDUAL_BY_CHANGE * (1 - alpha), math.inf, 0, 0, math.inf
    while True:
        if stop is not None and stop.is_set():
            raise InterruptedError
        # Past its usual count of sweeps, over-relaxation gives way to Gauss-Seidel, which contracts in every sweep.
        pace = min(kind(_GENTLE), omega) if gentle else omega if sweeps < 200 + 8 / alpha else kind(1)
        change, size = map(float, sweep(order.indptr, order.indices, shares, factors, start, y, pace))
        sweeps += 1
        if not math.isfinite(size):
            return math.inf, sweeps
        gentle, before = gentle and change <= float(omega - 1) * before, change
        least, idle = (change, 0) if change < least else (least, idle + 1)
        exhausted = idle >= _IDLE and is_exhausted(kind, change, size)
        if residual_by_change * change > target and not exhausted:
            continue
        residual = _residual(system, shares, start, y)
        sweeps += 1
        if residual <= target or exhausted:
            return residual, sweeps
        residual_by_change = residual / change if change else math.inf


def begin(system: System, start: Matrix, y: Matrix) -> None:
    """Write ``start`` and the mean of the solution to ``y``; nodes without neighbours are ``start`` already."""
    from privge.propagation._kernels.relax import weighted_mean

    mean = weighted_mean(system.strengths, start) / system.alpha
    np.add(start, mean.astype(y.dtype), out=y)
    isolated = system.factors == 0
    if isolated.any():
        np.copyto(y, start, where=isolated[:, None])


def _residual(system: System, shares: NDArray[np.floating] | None, start: Matrix, y: Matrix) -> float:
    """Bound the residual of what is stored, as the module says."""
    from privge.propagation._kernels.relax import measure

    order = system.order
    found, size = map(float, measure(order.indptr, order.indices, shares, system.factors, start, y))
    largest_start = largest_of(start)
    weighted, degree = shares is not None, system.largest_degree
    bound = found + rounding_of_residual(max(size, largest_start), degree, weighted=weighted)
    if y.dtype == np.float32:
        stored = np.finfo(np.float32)
        bound += rounding(np.float32, largest_start)
        if weighted:
            bound += float(stored.eps) / 2 * size + degree * (1 + size) * float(stored.smallest_subnormal)
    return bound


def rounding_of_residual(size: float, largest_degree: int, *, weighted: bool = False) -> float:
    """Bound what computing a row of the residual in float64 rounds, if no number is larger than ``size``."""
    limits = np.finfo(np.float64)
    roundings = 40 + largest_degree / SPAN + (20 if weighted else 0)
    lost = largest_degree * (1 + size) * float(limits.smallest_subnormal) if weighted else 0.0
    return roundings * float(limits.eps) / 2 * size + float(limits.tiny) + lost


def rounding_of_sweep(kind: type[np.floating], size: float, largest_degree: int, *, weighted: bool = False) -> float:
    """Bound what floating point adds to a row in one sweep or step, if no number is larger than ``size``."""
    limits = np.finfo(kind)
    roundings: float = 28
    if kind is not np.float32:
        roundings += largest_degree / CHUNK + (20 if weighted else 0)
    lost = largest_degree * (1 + size) * float(limits.smallest_subnormal) if weighted else 0.0
    return roundings * float(limits.eps) / 2 * size + float(limits.tiny) + lost


def is_exhausted(kind: type[np.floating], change: float, size: float) -> bool:
    """Say whether rounding, not convergence, moves the rows now."""
    limits = np.finfo(kind)
    return change <= 32 * (float(limits.eps) / 2 * size + float(limits.smallest_subnormal))


def aligned(rows: int, kind: type) -> Matrix:
    """Return zeros of 16 columns whose rows start at cache lines."""
    size = rows * LANES * np.dtype(kind).itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + size].view(kind).reshape(rows, LANES)


def largest_of(matrix: Matrix) -> float:
    """Return the largest absolute value, without a copy of the matrix."""
    return float(max(matrix.max(initial=0.0), -matrix.min(initial=0.0)))
