"""Backward push of 16 columns together, for changes that reach all columns of the same nodes.

What costs time is to visit a node, not to add 16 numbers there instead of one. A node is pushed as long as one of its
16 residues exceeds the threshold. As in push of one column, nodes are made ready some places ahead of their turn.
"""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import LANES, fetch_ahead, fetch_row, pass_row

_WHERE, _WHO, _STATES = 16, 12, 1  # how many nodes ahead each step is taken, as in push of one column
_AHEAD = 32  # neighbours asked for ahead of their turn
_LINE = 16  # neighbours listed in one cache line


@njit(cache=True, nogil=True)
def ripple(indptr, indices, weights, alpha, rmax, rows, scratch, most):
    """Push until no residue exceeds ``rmax``; return how many nodes were pushed and how many edges visited.

    ``scratch`` is (``residue``, ``reserve``, ``factors``, ``slots``, ``queue``, ``pushed``). On entry ``residue`` is
    what shall be pushed, not zero in ``rows`` alone, and ``slots`` are -1. On exit ``pushed`` lists the nodes that were
    pushed, and ``reserve`` has a row for each of them, in that order. ``factors`` are ``(1-alpha) / strength`` and
    negative while a node waits in the queue. An edge passes on by its weight, or all alike if ``weights`` is None: each
    case is compiled by itself. It ends after ``most`` visits. ``queue`` is a ring, a power of two with a place for
    every node and one more.
    """
    residue, reserve, factors, slots, queue, pushed = scratch
    mask = np.int64(queue.size - 1)
    head, tail, count, visits = np.int64(0), np.int64(0), 0, 0
    amount = np.zeros(LANES, residue.dtype)
    zero = residue.dtype.type(0)
    for i in range(rows.size):
        v = np.int64(rows[i])
        if pass_row(residue, v, amount, zero, rmax) and factors[v] >= 0:
            factors[v] = -factors[v]
            queue[tail & mask] = v
            tail += 1
    while head != tail and visits <= most:
        v = np.int64(queue[head & mask])
        head += 1
        if tail - head > _WHERE:
            _prepare(indptr, indices, scratch, head)
        factors[v] = abs(factors[v])
        if not pass_row(residue, v, amount, zero, rmax):
            continue  # later pushes of the other sign made it small
        slot = slots[v]
        if slot < 0:
            slot = count
            slots[v], pushed[slot], reserve[slot] = slot, v, 0
            count += 1
        for lane in range(LANES):
            amount[lane] = residue[v, lane]
            reserve[slot, lane] += alpha * amount[lane]
            residue[v, lane] = 0
        first, last = indptr[v], indptr[v + 1]
        visits += last - first
        for e in range(first, last):
            if e + _AHEAD < last:
                fetch_row(residue, indices[e + _AHEAD])
                fetch_ahead(factors, indices[e + _AHEAD])
            u = np.int64(indices[e])
            factor = factors[u]
            passed = abs(factor) if weights is None else abs(factor) * weights[e]
            joins = pass_row(residue, u, amount, passed, rmax) & (factor > 0)
            factors[u] = -factor if joins else factor
            queue[tail & mask] = u
            tail += np.int64(joins)
        amount[:] = 0
    return count, visits


@njit(cache=True, nogil=True, inline="always")
def _prepare(indptr, indices, scratch, head):
    """Bring what the next waiting nodes need into the cache, step by step: where, who, and the first neighbours."""
    residue, _, factors, slots, queue, _ = scratch
    mask = np.int64(queue.size - 1)
    fetch_ahead(indptr, queue[(head + _WHERE) & mask])
    soon = queue[(head + _WHO) & mask]
    for line in range(0, _AHEAD + _LINE, _LINE):
        fetch_ahead(indices, indptr[soon] + line)
    fetch_row(residue, soon)
    fetch_ahead(factors, soon)
    fetch_ahead(slots, soon)
    following = queue[(head + _STATES) & mask]
    first = indptr[following]
    for e in range(first, min(first + _AHEAD, indptr[following + 1])):
        fetch_row(residue, indices[e])
        fetch_ahead(factors, indices[e])


@njit(cache=True, nogil=True)
def carry_rows(rows, place, factors, scale, out):
    """Write ``factors[v] * rows[v]`` to ``out[place[v]]``; return the largest of ``|out| / scale``."""
    largest = 0.0
    for v in range(place.size):
        target, factor = place[v], factors[v]
        size = 0.0
        for j in range(rows.shape[1]):
            z = factor * rows[v, j]
            out[target, j] = z
            size = max(size, abs(z))
        largest = max(largest, size / scale[target])
    return largest


@njit(cache=True, nogil=True)
def add_to_rows(reserve, rows, scale, out, first, width):
    """Add ``scale * reserve`` to some rows and columns of ``out``; return the largest of ``|out| / scale`` there."""
    largest = 0.0
    for i in range(rows.size):
        v = rows[i]
        for lane in range(width):
            z = np.float64(out[v, first + lane]) + scale[v] * reserve[i, lane]
            out[v, first + lane] = z
            largest = max(largest, abs(z) / scale[v])
    return largest
