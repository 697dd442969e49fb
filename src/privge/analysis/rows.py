"""What a node takes from others: the row of the propagation matrix, by its sum, its length and its largest entry.

The matrix is ``Pi = sum alpha (1-alpha)^l (D^(r-1) A D^(-r))^l``. Transposed it is the same with ``1 - r`` in place of
r, so the row of a node is what propagation makes of that node alone with ``1 - r``: one column a node. All nodes of a
small graph are a matrix; of a large one some nodes are enough, and for these the numbers are as exact.

Propagation is certified: no entry is wrong by more than its certificate e. So the length of a row of n entries is at
most ``e sqrt(n)`` larger than computed, its largest entry and its sum at most e, and these are added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from privge._typing import Floats, Progress
from privge.errors import BadData
from privge.graph import GraphData, as_graph
from privge.ids import Ids
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, HERE, Local, Walk
from privge.propagation.propagate import propagate_here

ACCURACY = 1e-6
"""Largest error of an entry of a row."""

_ENTRIES = 2**26  # of rows that are in memory at once


@dataclass(frozen=True, eq=False, slots=True)
class RowNorms:
    """Rows of the propagation matrix, each number rounded up by what the propagation may be wrong.

    Parameters
    ----------
    sums
        The sum of each row: 1 for r = 0, and only then.
    lengths, largest
        The Euclidean length and the largest entry of each row.
    """

    ids: Ids
    sums: Floats
    lengths: Floats
    largest: Floats


def row_norms(
    graph: GraphData,
    *,
    alpha: float = DEFAULT_ALPHA,
    r: float = DEFAULT_R,
    nodes: Sequence[str] | Sequence[int] | Ids | None = None,
    on: Local = HERE,
    progress: Progress | None = None,
) -> RowNorms:
    """Return sum, length and largest entry of the rows of some nodes.

    Parameters
    ----------
    graph
        The graph, in any form that `privge.as_graph` takes.
    alpha, r
        The paper's decay factor and convolution coefficient.
    nodes
        Ids of the nodes; by default all, which takes as long as an embedding with a column for each node.
    on
        How to compute it on this machine.
    progress
        Called with the rows done and the rows in all.
    """
    whole = as_graph(graph)
    rows = np.arange(whole.nodes) if nodes is None else whole.rows_of(nodes)
    if (rows < 0).any():
        raise BadData(f"{int((rows < 0).sum()):,} of {len(rows):,} nodes are not in the graph")
    ones = scipy.sparse.csr_array(np.ones((whole.nodes, 1)))
    sums, of_sums = propagate_here(whole, ones, Walk(alpha, r, ACCURACY), on, None)
    lengths, largest = np.empty(len(rows)), np.empty(len(rows))
    step = max(16, _ENTRIES // max(1, whole.nodes))
    for first in range(0, len(rows), step):
        part = slice(first, min(first + step, len(rows)))
        chosen = rows[part]
        alone = scipy.sparse.csr_array(
            (np.ones(len(chosen)), (chosen, np.arange(len(chosen)))), shape=(whole.nodes, len(chosen))
        )
        columns, done = propagate_here(whole, alone, Walk(alpha, 1 - r, ACCURACY), on, None)
        error = done.certificate.error
        squares = np.einsum("ij,ij->j", columns, columns, dtype=np.float64)
        lengths[part] = np.sqrt(squares) + error * math.sqrt(whole.nodes)
        largest[part] = columns.max(axis=0) + error
        if progress is not None:
            progress(part.stop, len(rows))
    return RowNorms(whole.ids[rows], sums[rows, 0].astype(np.float64) + of_sums.certificate.error, lengths, largest)
