"""Backward push of one column: Algorithm 3 of the paper, signed, first in first out."""

from numba import njit

from privge.propagation._kernels.gather import fetch_ahead

RESIDUE, WEIGHT = 0, 1
"""Fields of a node's state. They lie together, so that visiting a node costs one cache line."""

_WAITING, _PUSHED = 1, 2  # marks: stands in the queue; is in the list of pushed nodes
_AHEAD = 16  # neighbours asked for ahead of their turn
_QUEUE_AHEAD = 3  # waiting nodes whose data is asked for ahead of their turn


@njit(cache=True, nogil=True)
def push(indptr, indices, alpha, rmax, rows, values, state, reserve, marks, queue, pushed):
    """Push until no residue exceeds ``rmax``; return how many nodes were pushed and how many edges visited.

    ``state`` holds (residue, ``(1-alpha) / degree``) of each node. On entry residues, ``reserve`` and ``marks`` are 0;
    on exit ``pushed`` lists the nodes that were pushed. ``queue`` is a ring with a place for every node.
    """
    places = queue.size
    head, length, count, visits = 0, 0, 0, 0
    for i in range(rows.size):
        v = rows[i]
        state[v, RESIDUE] += values[i]
        if abs(state[v, RESIDUE]) > rmax and not marks[v] & _WAITING:
            marks[v] = _WAITING
            queue[length] = v
            length += 1
    while length:
        v = queue[head]
        head = head + 1 if head + 1 < places else 0
        length -= 1
        if length > _QUEUE_AHEAD:
            _prepare(indptr, indices, state, queue, head)
        marks[v] &= _PUSHED
        amount = state[v, RESIDUE]
        if abs(amount) <= rmax:  # later pushes of the other sign made it small
            continue
        state[v, RESIDUE] = 0.0
        if not marks[v] & _PUSHED:
            marks[v] |= _PUSHED
            pushed[count] = v
            count += 1
        reserve[v] += alpha * amount
        first, last = indptr[v], indptr[v + 1]
        visits += last - first
        for e in range(first, last):
            if e + _AHEAD < last:
                fetch_ahead(state, indices[e + _AHEAD])
            u = indices[e]
            residue = state[u, RESIDUE] + state[u, WEIGHT] * amount
            state[u, RESIDUE] = residue
            if abs(residue) > rmax and not marks[u] & _WAITING:
                marks[u] |= _WAITING
                place = head + length
                queue[place if place < places else place - places] = u
                length += 1
    return count, visits


@njit(cache=True, nogil=True, inline="always")
def _prepare(indptr, indices, state, queue, head):
    """Bring what the next waiting nodes need into the cache, step by step: where, who, and the first neighbours."""
    places = queue.size
    third = queue[(head + _QUEUE_AHEAD) % places]
    fetch_ahead(indptr, third)
    second = queue[(head + 1) % places]
    fetch_ahead(indices, indptr[second])
    fetch_ahead(state, second)
    following = queue[head]
    first = indptr[following]
    for e in range(first, min(first + _AHEAD // 2, indptr[following + 1])):
        fetch_ahead(state, indices[e])
