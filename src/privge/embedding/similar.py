"""Which vectors are most similar to one: a look at every vector, block by block."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.embedding import files
from privge.propagation import Matrix

Metric: TypeAlias = Literal["cosine", "dot"]


def most_similar_rows(
    matrix: Matrix, row: int, k: int, metric: Metric, norms: NDArray[np.float64] | None
) -> list[tuple[int, float]]:
    """Return the ``k`` rows that are most similar to one, best first, with their scores; never the row itself.

    Parameters
    ----------
    matrix
        One vector for each row.
    row
        To which.
    k
        How many.
    metric
        ``cosine`` or ``dot``.
    norms
        The lengths of the vectors, which ``cosine`` needs.
    """
    scores, own = np.empty(len(matrix)), matrix[row]
    for block in files.blocks(matrix):
        scores[block] = matrix[block] @ own
    if metric == "cosine" and norms is not None:
        lengths = norms * norms[row]
        scores = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths > 0)
    scores[row] = -np.inf
    best = np.argpartition(-scores, min(k, len(matrix) - 1))[:k]
    best = best[np.lexsort((best, -scores[best]))]
    return [(i, float(scores[i])) for i in best.tolist() if i != row]


def lengths_of(matrix: Matrix) -> NDArray[np.float64]:
    """Return the length of each vector."""
    norms = np.empty(len(matrix))
    for block in files.blocks(matrix):
        norms[block] = np.linalg.norm(matrix[block], axis=1)
    return norms
