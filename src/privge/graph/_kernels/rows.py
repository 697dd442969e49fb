"""Compiled construction of compressed rows. Arrays and scalars in, arrays out."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def begin_rows(sources, targets, nodes):
    """Return where each row begins, and the last one ends, if edges other than self-loops are written both ways."""
    counts = np.zeros(nodes + 1, np.int64)
    for e in range(sources.size):
        if sources[e] != targets[e]:
            counts[sources[e] + 1] += 1
            counts[targets[e] + 1] += 1
    return np.cumsum(counts)


@njit(cache=True, nogil=True)
def reorder(indptr, indices, order, padding):
    """Return the rows in a new order, columns renumbered alike, with ``padding`` zeros after the last."""
    nodes = order.size
    place = np.empty(nodes, np.int32)
    new_indptr = np.zeros(nodes + 1, np.int64)
    for new in range(nodes):
        place[order[new]] = new
        new_indptr[new + 1] = new_indptr[new] + indptr[order[new] + 1] - indptr[order[new]]
    # The graph is symmetric: walking the rows in order and appending each to its neighbours' lists sorts them all.
    fill = new_indptr[:-1].copy()
    new_indices = np.zeros(indices.size + padding, np.int32)
    for new in range(nodes):
        for e in range(indptr[order[new]], indptr[order[new] + 1]):
            u = place[indices[e]]
            new_indices[fill[u]] = new
            fill[u] += 1
    return new_indptr, new_indices


@njit(cache=True, nogil=True)
def check_entries(starts, first, entries, begin, nodes, key, state):
    """Return what is wrong with entries, 0 for nothing, and what they add to the balance of a symmetric graph.

    They stand from ``begin`` on; ``starts`` are the bounds of rows, the first of which is ``first``. ``state`` is the
    row where they begin, counted from ``first``, and the neighbour before, -1 for none; it is moved on.
    """
    row, before = state[0], state[1]
    position, end = begin, begin + entries.size
    balance = np.uint64(0)
    while position < end:
        stop = min(starts[row + 1], end)
        node = first + row
        for e in range(position - begin, stop - begin):
            neighbour = np.int64(entries[e])
            if neighbour < 0 or neighbour >= nodes:
                return 1, balance
            if neighbour <= before:
                return 2, balance
            if neighbour == node:
                return 3, balance
            before = neighbour
            if node < neighbour:
                balance += mixed_edge(node, neighbour, key)
            else:
                balance -= mixed_edge(neighbour, node, key)
        if stop == starts[row + 1]:
            row, before = row + 1, -1
        position = stop
    state[0], state[1] = row, before
    return 0, balance


@njit(cache=True, nogil=True, inline="always")
def mixed_edge(low, high, key):
    """Return 64 bits that look random, the same for the same edge and key."""
    return finished((np.uint64(low) << np.uint64(32) | np.uint64(high)) ^ key)


@njit(cache=True, nogil=True, inline="always")
def finished(mixed):
    """Mix 64 bits (the finaliser of SplitMix64)."""
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
