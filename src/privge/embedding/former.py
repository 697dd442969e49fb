"""Refusing former reports that are not those of an embedding: what they left would stay in its vectors, unseen."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.embedding.computation import Computation
from privge.errors import BadData
from privge.graph import Graph
from privge.propagation import ENGINES, Matrix, Problem, other_rows


def check_former(
    run: Computation,
    matrix: Matrix,
    graph: Graph,
    features: scipy.sparse.csr_array,
    rows: NDArray[np.int64],
    threads: int,
) -> None:
    """Refuse features that are not those of a finished embedding in some rows.

    The vectors themselves say which they are. What engines of other packages certify says it not.
    """
    if not set(run.engine.split("+")) <= {*ENGINES, "push"} or not len(rows):
        return
    problem = Problem(graph, features, run.walk)
    known = matrix.astype(native(matrix.dtype), copy=False)
    with ThreadPoolExecutor(threads) as pool:
        shares = np.array_split(rows, threads)
        wrong = sum(pool.map(lambda share: other_rows(problem, known, share, run.certificate), shares))
    if wrong:
        raise BadData(
            f"the embedding was not made from the former reports that are given: of {wrong:,} of the {len(rows):,} "
            "nodes that change now it holds another report, or one where none is given. After an update the former "
            "reports are those before without the replaced ones, and the new ones (privge.Reports.concatenate)"
        )


def native(kind: np.dtype[np.floating]) -> type[np.floating]:
    """Return a precision that compiled code knows and that holds all numbers of another."""
    return np.float32 if kind.itemsize <= np.dtype(np.float32).itemsize else np.float64
