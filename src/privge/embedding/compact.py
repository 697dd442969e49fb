"""Compact vectors: few columns instead of one for each feature, and what all columns would cost.

The search for directions begins at random signs that follow from the id of the campaign: public, and the same whoever
repeats it. The directions themselves follow from the reports, as the vectors do; nothing else is read.
"""

import hashlib
import logging

import scipy.sparse

from privge._typing import Progress
from privge.errors import BadData
from privge.graph import Graph
from privge.propagation import Leading, Local, Matrix, Propagation, Walk, propagate_leading

logger = logging.getLogger(__name__)

MANY = 4096
"""Columns above which it is said what they cost."""

USUAL = 128
"""Dimensions that are offered instead."""


def compact(
    graph: Graph,
    features: scipy.sparse.csr_array,
    walk: Walk,
    on: Local,
    campaign: str,
    dimensions: int,
    progress: Progress | None,
) -> tuple[Matrix, Propagation, Leading]:
    """Propagate reports and keep the leading directions; see `privge.propagation.propagate_leading`."""
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
        raise ValueError(f"dimensions must be an integer of at least 1, got {dimensions!r}")
    if dimensions >= features.shape[1]:
        raise BadData(
            f"the reports have {features.shape[1]:,} columns, and {dimensions:,} dimensions are not fewer: leave out "
            f"--dimensions (in Python dimensions=){_fewer(features.shape[1])}"
        )
    seed = hashlib.sha256(f"leading directions of {campaign}".encode()).hexdigest()
    return propagate_leading(graph, features, walk, on, dimensions=dimensions, seed=seed, progress=progress)


def _fewer(columns: int) -> str:
    return f", or ask for fewer than {columns:,}" if columns > 1 else ""


def remark_cost(shape: tuple[int, int]) -> None:
    """Say what very many columns cost, and what to do instead."""
    nodes, columns = shape
    if columns > MANY:
        logger.info(
            "%s columns for %s nodes take %s; --dimensions %d (in Python dimensions=) takes %s and much less time",
            f"{columns:,}",
            f"{nodes:,}",
            _bytes(4 * nodes * columns),
            USUAL,
            _bytes(4 * nodes * USUAL),
        )


def _bytes(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.0f} MB"
