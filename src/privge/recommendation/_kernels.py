"""Compiled loops around people who are recommended somebody. Arrays in, outputs passed in."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def largest_degree(indptr, indices, u, budget):
    """Return the degree up to which neighbours of ``u`` can be walked with ``budget`` edges in all: a power of two."""
    edges = np.zeros(64, np.int64)  # of the neighbours between one power of two and the next
    for e in range(indptr[u], indptr[u + 1]):
        degree, power = indptr[indices[e] + 1] - indptr[indices[e]], 0
        while (1 << power) < degree:
            power += 1
        edges[power] += degree
    power, walked = 0, edges[0]
    while power < 62 and walked + edges[power + 1] <= budget:
        power += 1
        walked += edges[power]
    return 1 << power


@njit(cache=True, nogil=True)
def walk_two_steps(indptr, indices, weights, strengths, u, budget, near, touched):
    """Add to ``near`` the resource allocation from ``u``: the sum over common neighbours of weight over strength.

    Neighbours of too many edges are left out, so that ``budget`` edges are walked at most: their shares are smallest.
    Returns how many nodes were touched.
    """
    count, most = 0, largest_degree(indptr, indices, u, budget)
    for e in range(indptr[u], indptr[u + 1]):
        a = indices[e]
        if indptr[a + 1] - indptr[a] > most:
            continue
        share = 1.0 / strengths[a] if weights is None else weights[e] / strengths[a]
        for f in range(indptr[a], indptr[a + 1]):
            x = indices[f]
            if near[x] == 0.0:
                touched[count] = x
                count += 1
            near[x] += share if weights is None else share * weights[f]
    return count


@njit(cache=True, nogil=True)
def push(indptr, indices, weights, strengths, u, alpha, threshold, reached, rest, queue, queued, touched):
    """Add to ``reached`` the personalized PageRank of ``u``; residues are pushed first in, first out.

    A residue stays where it is once it is at most ``threshold`` times the degree of its node, so that at most
    ``1 / (alpha threshold)`` edges are walked. Returns how many nodes were touched; ``rest`` and ``queued`` are left as
    they were found, with nothing in them.
    """
    head, tail, waiting, count = 0, 1, 1, 1
    rest[u] = 1.0
    queue[0], queued[u], touched[0] = u, True, u
    while waiting > 0:
        x = queue[head]
        head = (head + 1) % queue.size
        waiting -= 1
        queued[x] = False
        here, rest[x] = rest[x], 0.0
        reached[x] += alpha * here
        if strengths[x] == 0.0:
            continue
        on = (1.0 - alpha) * here / strengths[x]
        for e in range(indptr[x], indptr[x + 1]):
            y = indices[e]
            if rest[y] == 0.0 and reached[y] == 0.0:
                touched[count] = y
                count += 1
            rest[y] += on if weights is None else on * weights[e]
            if not queued[y] and rest[y] > threshold * (indptr[y + 1] - indptr[y]):
                queue[tail] = y
                tail = (tail + 1) % queue.size
                waiting += 1
                queued[y] = True
    for place in range(count):
        x = touched[place]
        reached[x] += alpha * rest[x]
        rest[x] = 0.0
    return count


@njit(cache=True, nogil=True)
def worse(scores, a, b):
    """Say whether row ``a`` is worse than row ``b``: of equal scores the lower row is the better one."""
    return scores[a] < scores[b] or (scores[a] == scores[b] and a > b)


@njit(cache=True, nogil=True)
def sink(scores, heap, first, size):
    """Put the first entry of a heap in its place; the worst comes first."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and worse(scores, heap[first + child + 1], heap[first + child]):
            child += 1
        if not worse(scores, heap[first + child], heap[first + at]):
            return
        heap[first + at], heap[first + child] = heap[first + child], heap[first + at]
        at = child


@njit(cache=True, nogil=True)
def rise(scores, heap, first, at):
    """Put the last entry of a heap in its place."""
    while at > 0:
        parent = (at - 1) // 2
        if not worse(scores, heap[first + at], heap[first + parent]):
            return
        heap[first + at], heap[first + parent] = heap[first + parent], heap[first + at]
        at = parent


@njit(cache=True, nogil=True)
def take_best(scores, touched, count, most, taken, found, first):
    """Write the touched nodes of the highest scores that are not taken, in no order; return where to go on."""
    size = 0
    for place in range(count):
        x = touched[place]
        if taken[x] or most == 0:
            continue
        if size < most:
            found[first + size] = x
            rise(scores, found, first, size)
            size += 1
        elif worse(scores, found[first], x):
            found[first] = x
            sink(scores, found, first, size)
    for place in range(size):
        taken[found[first + place]] = True
    return first + size


@njit(cache=True, nogil=True)
def gather(graph, barred, gone, people, span, given, settings, found, nearness):
    """Write, for a range of people, whom they could be recommended, and how near these are.

    Parameters: ``graph`` and ``barred`` as compressed rows (of the graph with weights, strengths and inverse roots of
    strengths); ``gone``, who is recommended to nobody; ``given``, rows to be looked at in any case, -1 for none;
    ``settings``, how many at most by each of the two walks, alpha, threshold, budget, and whether those given are
    taken even if they may not be recommended. Outputs: ``found``, rows or -1,
    first the given ones and then the best of each walk; ``nearness``, for each resource allocation and PageRank.
    """
    indptr, indices, weights, strengths, roots = graph
    most, alpha, threshold, budget, anybody = settings
    nodes = indptr.size - 1
    near, reached, rest, even = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    queue, queued, taken = np.empty(nodes, np.int32), np.zeros(nodes, np.bool_), np.zeros(nodes, np.bool_)
    close, far = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    for at in range(span[0], span[1]):
        u = people[at]
        closer = walk_two_steps(indptr, indices, weights, strengths, u, budget, near, close)
        farther = push(indptr, indices, weights, strengths, u, alpha, threshold, reached, rest, queue, queued, far)
        for place in range(farther):
            even[far[place]] = reached[far[place]] * roots[far[place]]
        mark(indptr, indices, barred, gone, u, close, closer, far, farther, taken)
        place = 0
        for column in range(given.shape[1]):
            x = given[at, column]
            if x >= 0 and (anybody or not (taken[x] or gone[x])):
                found[at, place] = x
                taken[x] = True
                place += 1
        place = take_best(even, far, farther, most, taken, found[at], place)
        place = take_best(near, close, closer, most, taken, found[at], place)
        own = 0.0 if roots[u] == 0.0 else 1.0 / roots[u]
        for column in range(place):
            x = found[at, column]
            nearness[at, column, 0], nearness[at, column, 1] = near[x], even[x] * own
            taken[x] = False
        unmark(indptr, indices, barred, u, close, closer, far, farther, taken)
        for place in range(closer):
            near[close[place]] = 0.0
        for place in range(farther):
            reached[far[place]] = 0.0
            even[far[place]] = 0.0


@njit(cache=True, nogil=True)
def mark(indptr, indices, barred, gone, u, close, closer, far, farther, taken):
    """Mark who may not be recommended to ``u``: the person, friends, barred pairs, and whoever is gone."""
    mark_known(indptr, indices, barred, u, taken, True)
    for place in range(closer):
        taken[close[place]] |= gone[close[place]]
    for place in range(farther):
        taken[far[place]] |= gone[far[place]]


@njit(cache=True, nogil=True)
def unmark(indptr, indices, barred, u, close, closer, far, farther, taken):
    """Take all marks away again."""
    mark_known(indptr, indices, barred, u, taken, False)
    for place in range(closer):
        taken[close[place]] = False
    for place in range(farther):
        taken[far[place]] = False


@njit(cache=True, nogil=True)
def mark_known(indptr, indices, barred, u, taken, value):
    """Mark the person ``u``, friends and barred pairs, or take these marks away."""
    taken[u] = value
    for e in range(indptr[u], indptr[u + 1]):
        taken[indices[e]] = value
    for e in range(barred[0][u], barred[0][u + 1]):
        taken[barred[1][e]] = value
