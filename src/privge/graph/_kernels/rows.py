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
def compress(sources, targets, nodes):
    """Return sorted symmetric rows without self-loops and repetitions, by two counting sorts."""
    starts = begin_rows(sources, targets, nodes)
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
def scatter(sources, targets, shift, starts, pairs):
    """Write each edge both ways, grouped by the bucket of its row, and return the number of self-loops.

    Bucket ``b``, rows whose number shifted is ``b``, gets ``pairs[starts[b]:starts[b + 1]]``.
    """
    loops = 0
    starts[:] = 0
    for e in range(sources.size):
        if sources[e] == targets[e]:
            loops += 1
        else:
            starts[(sources[e] >> shift) + 1] += 1
            starts[(targets[e] >> shift) + 1] += 1
    for bucket in range(1, starts.size):
        starts[bucket] += starts[bucket - 1]
    fill = starts[:-1].copy()
    for e in range(sources.size):
        s, t = sources[e], targets[e]
        if s != t:
            place = fill[s >> shift]
            pairs[place, 0], pairs[place, 1] = s, t
            fill[s >> shift] += 1
            place = fill[t >> shift]
            pairs[place, 0], pairs[place, 1] = t, s
            fill[t >> shift] += 1
    return loops


@njit(cache=True, nogil=True)
def count_rows(pairs, first, counts):
    """Add to the counts of rows, the first of which is ``first``, how often each stands in the pairs."""
    for e in range(pairs.shape[0]):
        counts[pairs[e, 0] - first] += 1


@njit(cache=True, nogil=True)
def place_targets(pairs, first, last, fill, targets):
    """Put the targets of rows ``first`` to ``last`` where these rows are filled next."""
    for e in range(pairs.shape[0]):
        row = pairs[e, 0]
        if first <= row < last:
            targets[fill[row - first]] = pairs[e, 1]
            fill[row - first] += 1


@njit(cache=True, nogil=True)
def sort_rows(starts, targets, degrees):
    """Sort each row and drop repetitions, move rows together, and return where the last one ends."""
    end = 0
    for row in range(degrees.size):
        first, last = starts[row], starts[row + 1]
        targets[first:last].sort()
        begin = end
        for e in range(first, last):
            target = targets[e]
            if end == begin or targets[end - 1] != target:
                targets[end] = target
                end += 1
        degrees[row] = end - begin
    return end


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
