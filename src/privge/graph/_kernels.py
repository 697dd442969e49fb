"""Compiled construction of compressed rows. Arrays and scalars in, arrays out."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def compress(sources, targets, nodes):
    """Return sorted symmetric rows without self-loops and repetitions, by two counting sorts."""
    counts = np.zeros(nodes + 1, np.int64)
    for e in range(sources.size):
        if sources[e] != targets[e]:
            counts[sources[e] + 1] += 1
            counts[targets[e] + 1] += 1
    starts = np.cumsum(counts)
    fill = starts[:-1].copy()
    unsorted = np.empty(starts[-1], np.int32)
    for e in range(sources.size):
        s, t = sources[e], targets[e]
        if s != t:
            unsorted[fill[s]] = t
            fill[s] += 1
            unsorted[fill[t]] = s
            fill[t] += 1
    # Walking the rows in order and appending each row to its neighbours' lists sorts all lists at once.
    fill = starts[:-1].copy()
    ordered = np.empty(starts[-1], np.int32)
    for v in range(nodes):
        for e in range(starts[v], starts[v + 1]):
            u = unsorted[e]
            if fill[u] == starts[u] or ordered[fill[u] - 1] != v:
                ordered[fill[u]] = v
                fill[u] += 1
    indptr = np.zeros(nodes + 1, np.int64)
    for v in range(nodes):
        indptr[v + 1] = indptr[v] + fill[v] - starts[v]
    indices = np.empty(indptr[-1], np.int32)
    for v in range(nodes):
        indices[indptr[v] : indptr[v + 1]] = ordered[starts[v] : fill[v]]
    return indptr, indices


@njit(cache=True, nogil=True)
def reorder(indptr, indices, order, padding):
    """Return the rows in a new order, columns renumbered alike, with ``padding`` zeros after the last."""
    nodes = order.size
    place = np.empty(nodes, np.int32)
    for new in range(nodes):
        place[order[new]] = new
    new_indptr = np.zeros(nodes + 1, np.int64)
    new_indices = np.zeros(indices.size + padding, np.int32)
    for new in range(nodes):
        old = order[new]
        first, last = indptr[old], indptr[old + 1]
        start = new_indptr[new]
        stop = start + last - first
        for e in range(first, last):
            new_indices[start + e - first] = place[indices[e]]
        new_indices[start:stop].sort()
        new_indptr[new + 1] = stop
    return new_indptr, new_indices
