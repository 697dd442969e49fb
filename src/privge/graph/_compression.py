"""Edges in memory to compressed rows, on all processors.

Edges are written both ways as keys (row and target in 64 bits), grouped by ranges of rows that fit a cache; then every
group is sorted by itself. Sorted keys without repetitions are the same, whoever sorts them and in whatever order.
"""

import numpy as np
from numpy.typing import NDArray

from privge._machine import processors
from privge.graph._threads import on_each

_GROUP = 1 << 15  # keys that are sorted together, about: with their room half of a usual second-level cache
_MOST = 1024  # groups: more of them are filled slowly at the same time
_PIECES = 4  # of the edges for each processor, so that none waits long for the others


def compress(
    sources: NDArray[np.int32], targets: NDArray[np.int32], nodes: int
) -> tuple[int, NDArray[np.int64], NDArray[np.int32]]:
    """Return the number of self-loops, and sorted symmetric rows without them and without repetitions."""
    from privge.graph._kernels import sort_group

    loops, shift, starts, keys = _grouped(sources, targets, nodes)
    indptr = np.zeros(nodes + 1, dtype=np.int64)
    bits = max(0, nodes - 1).bit_length()

    def sort(group: int) -> NDArray[np.int32]:
        own, first = keys[starts[group] : starts[group + 1]], group << shift
        kept = sort_group(own, shift, bits, first, indptr[first + 1 : first + 1 + (1 << shift)])
        return own.view(np.int32)[:kept]

    rows = on_each(sort, range(len(starts) - 1))
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=np.int32)

    def put(group: int) -> None:
        begin = indptr[group << shift]
        indices[begin : begin + len(rows[group])] = rows[group]

    on_each(put, range(len(rows)))
    return loops, indptr, indices


def _grouped(
    sources: NDArray[np.int32], targets: NDArray[np.int32], nodes: int
) -> tuple[int, int, NDArray[np.int64], NDArray[np.uint64]]:
    """Return self-loops, the rows of a group as a power of 2, where groups begin and end, and all keys by group."""
    from privge.graph._kernels import count_groups, place_keys

    wanted = min(max(1, 2 * len(sources) // _GROUP), _MOST)
    shift = max(0, -(-nodes // wanted) - 1).bit_length()
    size = max(1, -(-len(sources) // (_PIECES * processors())))
    pieces = [slice(first, first + size) for first in range(0, len(sources), size)]
    counts = np.zeros((len(pieces), (nodes + (1 << shift) - 1) >> shift), dtype=np.int64)

    def count(number: int) -> int:
        found: int = count_groups(sources[pieces[number]], targets[pieces[number]], shift, counts[number])
        return found

    loops = sum(on_each(count, range(len(pieces))))
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    fill = starts[:-1] + np.cumsum(counts, axis=0) - counts  # each piece fills its own part of every group
    keys = np.empty(starts[-1], dtype=np.uint64)

    def place(number: int) -> None:
        place_keys(sources[pieces[number]], targets[pieces[number]], shift, fill[number], keys)

    on_each(place, range(len(pieces)))
    return loops, shift, starts, keys
