"""Weights of edges: one finite number above 0 for each, and what they add up to at a node.

A strength is the sum of the weights of a node's edges, added with compensation (Kahan): its relative error stays below
``3 * 2**-53`` whatever the degree, and is the same wherever and in whatever pieces the sum is made.
"""

import logging
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Floats
from privge.errors import BadData
from privge.graph._compression import compress

logger = logging.getLogger(__name__)

WeightData: TypeAlias = Sequence[float] | NDArray[np.number] | pa.Array | pa.ChunkedArray
"""One number for each edge."""

Rows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], Floats | None]
"""Compressed rows: where each begins, neighbours, weights."""

LEAST, MOST = 1e-100, 1e100
"""Weights lie between these, so that no product or power of them leaves what float64 can hold."""


class UnusableWeight(BadData):
    """The weight of an edge is not a finite number above 0; ``row`` counts from 0."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"edge {row}: its weight must be a finite number above 0 (from {LEAST:g} to {MOST:g})")


def as_weights(weights: WeightData, edges: int) -> Floats:
    """Return one weight for each edge, or refuse the first that is none, by its row."""
    if isinstance(weights, pa.Array | pa.ChunkedArray):
        weights = weights.to_numpy() if isinstance(weights, pa.ChunkedArray) else weights.to_numpy(zero_copy_only=False)
    given = np.asarray(weights)
    if given.shape != (edges,):
        raise BadData(f"there are {edges} edges, but the weights have shape {given.shape}; give one for each edge")
    if given.dtype.kind not in "iuf" and edges:
        raise BadData(f"weights must be numbers, got {given.dtype}")
    numbers: Floats = np.ascontiguousarray(given, dtype=np.float64)
    if (row := first_unusable(numbers)) is not None:
        raise UnusableWeight(row)
    return numbers


def first_unusable(weights: Floats) -> int | None:
    """Return the position of the first weight that is not a finite number above 0, if there is one."""
    wrong = ~((weights >= LEAST) & (weights <= MOST))  # so that a NaN is wrong
    return int(np.argmax(wrong)) if wrong.any() else None


def strengths_of(indptr: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the sum of the weights of each row."""
    from privge.graph._kernels import add_weights

    sums = np.zeros(len(indptr) - 1)
    add_weights(indptr, weights, 0, 0, sums, np.zeros(len(sums)))
    return sums


def compress_edges(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: Floats | None,
    nodes: int,
    *,
    entries_per_edge: int = 1,
) -> Rows:
    """Return the symmetric compressed rows; say in the log what was dropped or added."""
    if weights is None:
        loops, indptr, indices = compress(sources, targets, nodes)
    else:
        from privge.graph._kernels import compress_weighted

        loops = int((sources == targets).sum())
        indptr, indices, weights = compress_weighted(sources, targets, weights, nodes)
        if weights.max(initial=0.0) > MOST:
            raise BadData(f"the weights of a repeated edge add up to more than {MOST:g}")
    repeated = max(0, len(sources) - loops - entries_per_edge * len(indices) // 2)
    tell_dropped(loops, repeated, weighted=weights is not None, both_ways=entries_per_edge == 1)
    return indptr, indices, weights


def tell_dropped(loops: int, repeated: int, *, weighted: bool, both_ways: bool = True) -> None:
    """Say in the log what became of self-loops and repetitions."""
    if not (loops or repeated):
        return
    note = "; an edge written both ways counts as repeated" if both_ways else ""
    done = "dropped %d self-loops, added the weights of %d repeated edges%s"
    logger.info(done if weighted else "dropped %d self-loops and %d repeated edges%s", loops, repeated, note)
