"""Compiled construction of compressed rows with weights. Arrays and scalars in, arrays out."""

import numpy as np
from numba import njit

from privge.graph._kernels.rows import begin_rows, finished, mixed_edge


@njit(cache=True, nogil=True)
def compress_weighted(sources, targets, weights, nodes):
    """Return sorted symmetric rows without self-loops, with weights, by two counting sorts.

    The weights of the same edge are added, in an order that depends on nothing but them.
    """
    starts = begin_rows(sources, targets, nodes)
    fill = starts[:-1].copy()
    unsorted, carried = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float64)
    for e in range(sources.size):
        s, t = sources[e], targets[e]
        if s != t:
            unsorted[fill[s]], carried[fill[s]] = t, weights[e]
            fill[s] += 1
            unsorted[fill[t]], carried[fill[t]] = s, weights[e]
            fill[t] += 1
    # Walking the rows in order and appending each row to its neighbours' lists sorts all lists at once.
    fill = starts[:-1].copy()
    ordered, sums = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float64)
    for v in range(nodes):
        for e in range(starts[v], starts[v + 1]):
            u = unsorted[e]
            ordered[fill[u]], sums[fill[u]] = v, carried[e]
            fill[u] += 1
    degrees = np.empty(nodes, np.int64)
    end = merge_repeated(starts, ordered, sums, degrees)
    indptr = np.zeros(nodes + 1, np.int64)
    indptr[1:] = np.cumsum(degrees)
    return indptr, ordered[:end].copy(), sums[:end].copy()


@njit(cache=True, nogil=True)
def merge_repeated(starts, targets, weights, degrees):
    """Merge entries of the same target in rows that ascend, move rows together, and return where the last one ends.

    Their weights are added from the smallest on: whichever way round and in whatever order the edges were written, both
    entries of an edge get the same sum, bit by bit.
    """
    end = 0
    for row in range(degrees.size):
        first, last = starts[row], starts[row + 1]
        begin, e = end, first
        while e < last:
            stop = e + 1
            while stop < last and targets[stop] == targets[e]:
                stop += 1
            if stop - e > 1:
                weights[e:stop].sort()
            total = 0.0
            for same in range(e, stop):
                total += weights[same]
            targets[end], weights[end] = targets[e], total
            end += 1
            e = stop
        degrees[row] = end - begin
    return end


@njit(cache=True, nogil=True)
def sort_weighted_rows(starts, targets, weights, degrees):
    """Sort each row, add the weights of the same edge, move rows together, and return where the last one ends."""
    for row in range(degrees.size):
        first, last = starts[row], starts[row + 1]
        order = np.argsort(targets[first:last])
        targets[first:last] = targets[first:last][order]
        weights[first:last] = weights[first:last][order]
    return merge_repeated(starts, targets, weights, degrees)


@njit(cache=True, nogil=True)
def reorder_weighted(indptr, indices, weights, order, padding):
    """As `reorder`, with weights."""
    nodes = order.size
    place = np.empty(nodes, np.int32)
    new_indptr = np.zeros(nodes + 1, np.int64)
    for new in range(nodes):
        place[order[new]] = new
        new_indptr[new + 1] = new_indptr[new] + indptr[order[new] + 1] - indptr[order[new]]
    # The graph is symmetric: walking the rows in order and appending each to its neighbours' lists sorts them all.
    fill = new_indptr[:-1].copy()
    new_indices, new_weights = np.zeros(indices.size + padding, np.int32), np.empty(indices.size, np.float64)
    for new in range(nodes):
        for e in range(indptr[order[new]], indptr[order[new] + 1]):
            u = place[indices[e]]
            new_indices[fill[u]], new_weights[fill[u]] = new, weights[e]
            fill[u] += 1
    return new_indptr, new_indices, new_weights


@njit(cache=True, nogil=True)
def add_weights(starts, weights, begin, row, sums, lost):
    """Add weights, which stand from ``begin`` on, to the sums of their rows; return the row where they end.

    ``starts`` are the bounds of rows, ``row`` is the one where the weights begin. ``lost`` is what rounding took of the
    sums (Kahan), so that a row may come in pieces.
    """
    for e in range(weights.size):
        while starts[row + 1] <= begin + e:
            row += 1
        term = weights[e] - lost[row]
        total = sums[row] + term
        lost[row] = (total - sums[row]) - term
        sums[row] = total
    return row


@njit(cache=True, nogil=True)
def balance_weights(starts, first, entries, bits, begin, row, key):
    """Return what entries with weights add to the balance of a graph whose edges have one weight both ways.

    They stand from ``begin`` on, in row ``row`` of those that ``starts`` bounds, of which the first is ``first``.
    """
    balance = np.uint64(0)
    for e in range(entries.size):
        while starts[row + 1] <= begin + e:
            row += 1
        node, neighbour = first + row, np.int64(entries[e])
        if node < neighbour:
            balance += finished(mixed_edge(node, neighbour, key) ^ bits[e])
        else:
            balance -= finished(mixed_edge(neighbour, node, key) ^ bits[e])
    return balance


@njit(cache=True, nogil=True)
def digest_rows(indptr, indices, bits, names, key, digests):
    """Write what tells the neighbours of each row from others, whatever their order: a sum over them that looks random.

    ``names`` are numbers of the nodes that do not change with their order; ``bits`` are those of the weights, or None.
    """
    for v in range(indptr.size - 1):
        digest = np.uint64(0)
        for e in range(indptr[v], indptr[v + 1]):
            name = finished(np.uint64(names[indices[e]]) ^ key)
            digest += name if bits is None else finished(name ^ bits[e])
        digests[v] = digest


@njit(cache=True, nogil=True)
def find_changed(old, new, place, changed):
    """Mark the rows of a new graph whose neighbours are not what they were; all are marked on entry.

    ``old`` and ``new`` are (``indptr``, ``indices``), ``place`` where the rows of the old graph stand now, ascending.
    """
    old_indptr, old_indices = old
    indptr, indices = new
    for v in range(place.size):
        first, begin = old_indptr[v], indptr[place[v]]
        degree = old_indptr[v + 1] - first
        same = indptr[place[v] + 1] - begin == degree
        e = 0
        while same and e < degree:
            same = place[old_indices[first + e]] == indices[begin + e]
            e += 1
        changed[place[v]] = not same


@njit(cache=True, nogil=True)
def place_weights(sources, targets, weights, shift, fill, carried):
    """As `place_keys`: put the weight of each key where its group is filled next."""
    for e in range(sources.size):
        s, t = sources[e], targets[e]
        if s != t:
            carried[fill[s >> shift]] = weights[e]
            fill[s >> shift] += 1
            carried[fill[t >> shift]] = weights[e]
            fill[t >> shift] += 1


@njit(cache=True, nogil=True)
def place_weighted(keys, carried, rows, fill, targets, weights):
    """Put targets and weights of a range of rows where these rows are filled next."""
    first, last = rows
    for e in range(keys.size):
        row = np.int64(keys[e] >> np.uint64(32))
        if first <= row < last:
            place = fill[row - first]
            targets[place], weights[place] = np.int32(keys[e] & np.uint64(0xFFFFFFFF)), carried[e]
            fill[row - first] = place + 1
