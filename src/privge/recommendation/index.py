"""The vectors of the largest inner product with others: by an index of faiss if it is installed, else by a look at all.

The index divides vectors into cells and looks into those nearest to the question; it is built for graphs where a look
at all takes long. Both give the same answer at any number of threads.
"""

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from privge.recommendation.neighbourhood import Places
from privge.structure.steps import one_thread
from privge.tasks.scaling import ScaledRows

logger = logging.getLogger(__name__)

LARGE = 100_000
"""Vectors from which on an index is worth building."""

_CELLS = 1024
_LOOKED_INTO = 32  # of the cells
_QUESTIONS, _ROWS = 1024, 8192  # a block of the look at all


@dataclass(frozen=True, eq=False, slots=True)
class VectorIndex:
    """Vectors, ready to be searched.

    Parameters
    ----------
    vectors
        One row for each node.
    cells
        The index of faiss; None to look at all vectors.
    """

    vectors: ScaledRows
    cells: Any

    @classmethod
    def of(cls, vectors: ScaledRows, *, large: int = LARGE) -> Self:
        """Build an index, if there are at least so many vectors and faiss is installed."""
        if len(vectors) < large:
            return cls(vectors, None)
        if find_spec("faiss") is None:
            logger.info("every vector is looked at; an index is faster: pip install 'privge[index]'")
            return cls(vectors, None)
        return cls(vectors, _cells(vectors))

    def nearest(self, questions: ScaledRows, count: int) -> Places:
        """Return the rows of the vectors of the largest inner product with each question, in no order.

        Parameters
        ----------
        questions
            Rows as wide as the vectors.
        count
            How many; there are fewer if there are not so many vectors, and -1 where the index knows of no more.
        """
        count = min(count, len(self.vectors))
        if self.cells is None:
            return by_look(self.vectors, questions, count)
        _, found = self.cells.search(np.ascontiguousarray(questions, dtype=np.float32), count)
        return np.asarray(found, dtype=np.int32)


def _cells(vectors: ScaledRows) -> Any:  # noqa: ANN401 (what faiss returns has no useful type)
    import faiss

    cells = min(_CELLS, max(1, len(vectors) // 64))
    index: Any = faiss.index_factory(vectors.shape[1], f"IVF{cells},Flat", faiss.METRIC_INNER_PRODUCT)
    ready = np.ascontiguousarray(vectors, dtype=np.float32)
    index.train(ready)
    index.add(ready)
    index.nprobe = min(_LOOKED_INTO, cells)
    return index


def by_look(vectors: ScaledRows, questions: ScaledRows, count: int) -> Places:
    """Look at every vector, block by block."""
    found = np.empty((len(questions), count), dtype=np.int32)
    with one_thread():
        for first in range(0, len(questions), _QUESTIONS):
            some = slice(first, first + _QUESTIONS)
            found[some] = _best_of_all(vectors, questions[some], count)
    return found


def _best_of_all(vectors: ScaledRows, questions: ScaledRows, count: int) -> Places:
    rows = np.full((len(questions), count), -1, dtype=np.int32)
    scores = np.full((len(questions), count), -np.inf, dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        fresh = questions @ vectors[first : first + _ROWS].T
        numbers = np.broadcast_to(np.arange(first, first + fresh.shape[1], dtype=np.int32), fresh.shape)
        both, names = np.hstack([scores, fresh]), np.hstack([rows, numbers])
        kept = np.argpartition(-both, count - 1, axis=1)[:, :count]
        scores, rows = np.take_along_axis(both, kept, axis=1), np.take_along_axis(names, kept, axis=1)
    return rows
