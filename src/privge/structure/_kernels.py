"""Compiled loops over neighbourhoods. Arrays in, outputs passed in."""

import numpy as np
from numba import njit


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
