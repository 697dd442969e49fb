"""Backward push of one column: Algorithm 3 of the paper, signed, first in first out.

Visiting a neighbour must cost one cache line and no branch that the processor could guess wrong: whether the neighbour
has to queue up is computed, not branched on.

Most of the time would be waiting for memory: each step needs what the one before it found, and all of it is scattered.
The queue says early what will be needed, so each step is taken for a node while others are pushed: where its neighbours
are listed (``_WHERE`` nodes ahead), the list itself and the node's own numbers (``_WHO``), and the states of the
neighbours (``_STATES``). None of the three then waits for memory itself, which makes visits twice as fast.
"""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import fetch_ahead

RESIDUE, FACTOR = 0, 1
"""Fields of a node's state. The factor is negative while the node waits in the queue."""

_WHERE, _WHO, _STATES = 16, 12, 3
_AHEAD = 32  # neighbours asked for ahead of their turn
_LINE = 16  # neighbours listed in one cache line


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, alpha, rmax, rows, values, scratch, most):
    """Push until no residue exceeds ``rmax``; return how many nodes were pushed and how many edges visited.

    It ends after ``most`` visits, or somewhat later, with nodes that still wait.

    An edge passes on by its weight, or all alike if ``weights`` is None: each case is compiled by itself. ``scratch``
    is (``state``, ``reserve``, ``slots``, ``queue``, ``pushed``).

    ``state`` holds (residue, ``(1-alpha) / strength``) of each node. On entry residues are 0 and ``slots`` -1. On exit
    ``pushed`` lists the nodes that were pushed, ``reserve`` what was kept there, in that order, and ``slots`` says
    where in both lists a node is. ``queue`` is a ring: a power of two, with a place for every node and one more,
    because a node that need not wait is written behind the last one too.
    """
    state, reserve, slots, queue, pushed = scratch
    mask = np.uint64(queue.size - 1)
    one = np.uint64(1)
    head, tail, count, visits = np.uint64(0), np.uint64(0), 0, 0
    for i in range(rows.size):
        v = rows[i]
        state[v, RESIDUE] += values[i]
        if abs(state[v, RESIDUE]) > rmax and state[v, FACTOR] >= 0:
            state[v, FACTOR] = -state[v, FACTOR]
            queue[tail & mask] = v
            tail += one
    while head != tail and visits <= most:
        v = np.uint64(queue[head & mask])
        head += one
        if tail - head > _WHERE:
            _prepare(indptr, indices, scratch, head)
        state[v, FACTOR] = abs(state[v, FACTOR])
        amount = state[v, RESIDUE]
        if abs(amount) <= rmax:  # later pushes of the other sign made it small
            continue
        state[v, RESIDUE] = 0.0
        slot = slots[v]
        if slot < 0:
            slot = count
            slots[v], pushed[slot], reserve[slot] = slot, v, 0.0
            count += 1
        reserve[slot] += alpha * amount
        first, last = indptr[v], indptr[v + one]
        visits += last - first
        for e in range(first, last):
            if e + _AHEAD < last:
                fetch_ahead(state, indices[e + _AHEAD])
            u = np.uint64(indices[e])
            factor = state[u, FACTOR]
            share = abs(factor) if weights is None else abs(factor) * weights[e]  # a weight by itself may be tiny
            residue = state[u, RESIDUE] + share * amount
            joins = (abs(residue) > rmax) & (factor > 0)
            state[u, RESIDUE] = residue
            state[u, FACTOR] = -factor if joins else factor
            queue[tail & mask] = u
            tail += np.uint64(joins)
    return count, visits


@njit(cache=True, nogil=True, inline="always")
def _prepare(indptr, indices, scratch, head):
    """Bring what the next waiting nodes need into the cache, step by step: where, who, and the first neighbours."""
    state, _, slots, queue, _ = scratch
    mask = np.uint64(queue.size - 1)
    fetch_ahead(indptr, queue[(head + np.uint64(_WHERE)) & mask])
    soon = queue[(head + np.uint64(_WHO)) & mask]
    for line in range(0, _AHEAD + _LINE, _LINE):  # where lists of 32 begin in the middle of one, they end in a third
        fetch_ahead(indices, indptr[soon] + line)
    fetch_ahead(state, soon)
    fetch_ahead(slots, soon)
    following = queue[(head + np.uint64(_STATES)) & mask]
    first = indptr[following]
    for e in range(first, min(first + _AHEAD, indptr[following + 1])):
        fetch_ahead(state, indices[e])
