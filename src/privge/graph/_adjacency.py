"""What a matrix or a graph of another library says about edges."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from privge._files.matrices import SparseMatrix, checked_matrix
from privge._typing import Floats
from privge.errors import BadData
from privge.graph._weights import LEAST, MOST, Rows, as_weights, compress_edges
from privge.ids import Ids, as_ids

if TYPE_CHECKING:
    import networkx

logger = logging.getLogger(__name__)

_BOTH_WAYS = "the adjacency is not symmetric: every entry now counts both ways"


def names_of_rows(adjacency: SparseMatrix, ids: Sequence[object] | None) -> Ids:
    """Return one id for each row of an adjacency matrix, which must be square."""
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise BadData(f"an adjacency matrix must be square, got shape {adjacency.shape}")
    names = as_ids(np.arange(adjacency.shape[0]) if ids is None else ids)
    if len(names) != adjacency.shape[0]:
        raise BadData(f"ids has {len(names)} entries for {adjacency.shape[0]} nodes")
    return names


def rows_of_matrix(adjacency: SparseMatrix) -> Rows:
    """Return the rows of a graph with an edge for every non-zero of a matrix; say so if it is not symmetric."""
    entries = scipy.sparse.coo_array(checked_matrix(adjacency))
    kept = entries.data != 0
    sources, targets = (axis[kept].astype(np.int32) for axis in entries.coords)
    rows = compress_edges(sources, targets, None, adjacency.shape[0], entries_per_edge=2)
    if int((sources != targets).sum()) != len(rows[1]):
        logger.warning("%s", _BOTH_WAYS)
    return rows


def weighted_rows_of_matrix(adjacency: SparseMatrix) -> Rows:
    """Return the rows of a graph whose weights are the non-zeros of a matrix; say so if it is not symmetric.

    The two entries of an edge in a symmetric matrix are one edge. In any other matrix each entry is an edge of its own,
    from row to column: what they have in common is added when they become undirected.
    """
    entries = scipy.sparse.csr_array(checked_matrix(adjacency), copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    wrong = np.flatnonzero(~((entries.data >= LEAST) & (entries.data <= MOST)))
    if wrong.size:
        place = int(np.searchsorted(entries.indptr, wrong[0], side="right")) - 1, int(entries.indices[wrong[0]])
        raise BadData(f"entry {place} of the adjacency: a weight must be a finite number above 0")
    symmetric = (entries != entries.T).nnz == 0
    if not symmetric:
        logger.warning("%s, and the weights of both directions are added", _BOTH_WAYS)
    edges = scipy.sparse.coo_array(scipy.sparse.triu(entries) if symmetric else entries)
    sources, targets = (axis.astype(np.int32) for axis in edges.coords)
    return compress_edges(sources, targets, edges.data.astype(np.float64), adjacency.shape[0])


def weights_of_networkx(graph: "networkx.Graph", name: str) -> Floats:
    """Return the weight of each edge, in the order of ``graph.edges()``; an edge without one is refused."""
    given = [weight for *_, weight in graph.edges(data=name)]
    absent = sum(weight is None for weight in given)
    if absent:
        raise BadData(f"{absent} of {len(given)} edges of the networkx graph have no attribute {name!r}")
    return as_weights(given, len(given))
