"""Which vectors are most similar to one: a look at every vector, block by block."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge.embedding import files
from privge.propagation import Matrix

Metric: TypeAlias = Literal["cosine", "dot"]


def most_similar_rows(
    matrix: Matrix, columns: Sequence[slice], row: int, k: int, norms: Sequence[NDArray[np.float64]] | None
) -> list[tuple[int, float]]:
    """Return the ``k`` rows that are most similar to one, best first, with their scores; never the row itself.

    Parameters
    ----------
    matrix
        One vector for each row.
    columns
        Which columns belong together.
    row
        To which.
    k
        How many.
    norms
        The lengths of the vectors in these columns, for the mean of the cosines; None for inner products.
    """
    scores = np.zeros(len(matrix))
    for number, some in enumerate(columns):
        products, own = np.empty(len(matrix)), matrix[row][some]
        for block in files.blocks(matrix):
            products[block] = matrix[block][:, some] @ own
        if norms is not None:
            lengths = norms[number] * norms[number][row]
            products = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0) / len(columns)
        scores += products
    scores[row] = -np.inf
    best = np.argpartition(-scores, min(k, len(matrix) - 1))[:k]
    best = best[np.lexsort((best, -scores[best]))]
    return [(i, float(scores[i])) for i in best.tolist() if i != row]


def lengths_of(matrix: Matrix, columns: Sequence[slice]) -> list[NDArray[np.float64]]:
    """Return the length of each vector in the columns that belong together."""
    norms = [np.empty(len(matrix)) for _ in columns]
    for block in files.blocks(matrix):
        rows = matrix[block]
        for lengths, some in zip(norms, columns, strict=True):
            lengths[block] = np.linalg.norm(rows[:, some], axis=1)
    return norms
