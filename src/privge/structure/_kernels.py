"""Compiled loops over neighbourhoods. Arrays in, outputs passed in."""

import math

import numpy as np
from numba import njit

from privge.propagation._kernels.gather import CHUNK, LANES, add_rows, add_shares


@njit(cache=True, nogil=True)
def point_upwards(indptr, indices, rank):
    """Return compressed rows that keep, of each node, the neighbours of higher rank only."""
    nodes = indptr.size - 1
    starts = np.zeros(nodes + 1, np.int64)
    for v in range(nodes):
        kept = 0
        for e in range(indptr[v], indptr[v + 1]):
            kept += rank[indices[e]] > rank[v]
        starts[v + 1] = starts[v] + kept
    ends = np.empty(starts[nodes], np.int32)
    for v in range(nodes):
        place = starts[v]
        for e in range(indptr[v], indptr[v + 1]):
            if rank[indices[e]] > rank[v]:
                ends[place] = indices[e]
                place += 1
    return starts, ends


@njit(cache=True, nogil=True)
def count_triangles(starts, ends, counts):
    """Add to ``counts`` the triangles of each node; each is found once, from its corner of lowest rank."""
    seen = np.full(starts.size - 1, -1, np.int64)
    for u in range(starts.size - 1):
        for e in range(starts[u], starts[u + 1]):
            seen[ends[e]] = u
        for e in range(starts[u], starts[u + 1]):
            v = ends[e]
            for f in range(starts[v], starts[v + 1]):
                w = ends[f]
                if seen[w] == u:
                    counts[u] += 1
                    counts[v] += 1
                    counts[w] += 1


@njit(cache=True, nogil=True)
def score_paths(indptr, indices, pairs, order, out):
    """Write what joins the two ends of each pair by short paths, for the pairs that ``order`` names.

    Pairs with the same first end stand together in ``order``. Columns: common neighbours, their sum of
    ``1 / log(degree)``, and paths of length 2, 3 and 4 in which every inner node counts ``1 / degree``. Paths may come
    back to where they were, as powers of the adjacency have it.
    """
    near = np.zeros(indptr.size - 1)  # sum of 1 / degree over the common neighbours with the first end
    marked = np.full(indptr.size - 1, -1, np.int64)
    touched = np.empty(indptr.size - 1, np.int64)
    count, current = 0, -1
    for place in order:
        u, v = pairs[place, 0], pairs[place, 1]
        if u != current:
            for at in range(count):
                near[touched[at]] = 0.0
            count, current = 0, u
            for e in range(indptr[u], indptr[u + 1]):
                a = indices[e]
                marked[a] = u
                share = 1.0 / (indptr[a + 1] - indptr[a])
                for f in range(indptr[a], indptr[a + 1]):
                    x = indices[f]
                    if near[x] == 0.0:
                        touched[count] = x
                        count += 1
                    near[x] += share
        common, rare, three, four = 0.0, 0.0, 0.0, 0.0
        for e in range(indptr[v], indptr[v + 1]):
            b = indices[e]
            degree = indptr[b + 1] - indptr[b]
            if marked[b] == u:
                common += 1.0
                rare += 1.0 / math.log(degree)
            three += near[b] / degree
            beyond = 0.0
            for f in range(indptr[b], indptr[b + 1]):
                x = indices[f]
                if near[x] > 0.0:
                    beyond += near[x] / (indptr[x + 1] - indptr[x])
            four += beyond / degree
        out[place, 0], out[place, 1], out[place, 2] = common, rare, near[v]
        out[place, 3], out[place, 4] = three, four


@njit(cache=True, nogil=True, error_model="numpy")
def step_rows(indptr, indices, weights, factors, y, before, shift, out, span):
    """Write ``factors * sum of neighbours in y + shift * y - before`` for a range of rows of 16 columns.

    A neighbour counts by the weight of its edge, or once if ``weights`` is None: each case is compiled by itself.
    """
    part = np.empty(LANES, y.dtype)
    total = np.empty(LANES, np.float64)
    for v in range(span[0], span[1]):
        total[:] = 0
        for e in range(indptr[v], indptr[v + 1], CHUNK):
            part[:] = 0
            if weights is None:
                add_rows(y, indices, e, min(e + CHUNK, indptr[v + 1]), part)
            else:
                add_shares(y, indices, weights, e, min(e + CHUNK, indptr[v + 1]), part)
            total += part
        for lane in range(LANES):
            out[v, lane] = factors[v] * total[lane] + shift * y[v, lane] - before[v, lane]
