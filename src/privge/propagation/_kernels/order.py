"""A breadth-first order of the nodes, in which neighbours are close to each other."""

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import fetch_ahead

_AHEAD = 16  # neighbours asked for ahead of their turn
_ROWS_AHEAD, _NODES_AHEAD = 4, 8  # whose neighbours, and whose bounds, are asked for ahead of their turn


@njit(cache=True, nogil=True)
def breadth_first(indptr, indices, first):
    """Return the nodes as a search from ``first`` finds them.

    Where it ends before all are found, it goes on from the node with the lowest number among the others.
    """
    nodes = indptr.size - 1
    order, place = np.empty(nodes, np.int32), np.full(nodes, -1, np.int32)
    head, tail, lowest, begin = 0, 0, 0, first
    while tail < nodes:
        order[tail], place[begin] = begin, tail
        tail += 1
        while head < tail:
            if head + _NODES_AHEAD < tail:
                fetch_ahead(indptr, order[head + _NODES_AHEAD])
                fetch_ahead(indices, indptr[order[head + _ROWS_AHEAD]])
            v = order[head]
            head += 1
            last = indptr[v + 1]
            for e in range(indptr[v], last):
                if e + _AHEAD < last:
                    fetch_ahead(place, indices[e + _AHEAD])
                u = indices[e]
                if place[u] < 0:
                    order[tail], place[u] = u, tail
                    tail += 1
        while lowest < nodes and place[lowest] >= 0:
            lowest += 1
        begin = lowest
    return order
