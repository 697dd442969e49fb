"""The leading directions of a result: few columns that keep as much of it as so many columns can.

``Z = S X`` is linear in the features X, which have d columns. With an orthonormal ``V`` of d rows and m columns,
``Z V = S (X V)`` is a propagation of m columns. The best V has the leading right singular vectors of Z. They are found
without Z, by the randomised method of Halko, Martinsson and Tropp (2011): all it needs are products with Z and with its
transpose, and both are propagations, because the transpose of ``D^(r-1) A D^(-r)`` has ``1 - r`` in place of r.

*What is guaranteed of distances.* V is orthonormal, so no distance of two rows grows. The mean squared distance from
the origin shrinks by the share of the squared entries of Z that is left out, and `Leading.kept` says what is kept. What
V is depends on the features, and so on nothing but what an embedding is made from anyway.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse

from privge._typing import Floats, Progress
from privge.graph import Graph
from privge.propagation.places import Local
from privge.propagation.problem import Matrix, Propagation
from privge.propagation.product import ProductProblem
from privge.propagation.propagate import solved
from privge.propagation.walk import Walk

OVERSAMPLED = 10
"""Columns beyond those wanted with which directions are searched."""

POWERS = 1
"""How often the search goes there and back once more; the second time it hardly changes anything."""

_ROUGH = 5e-2  # accuracy of the search, in the largest entry that is propagated; the result has its own tolerance
_ROWS = 1024  # rows multiplied at once
_NEGLIGIBLE = 1e-10  # share of the largest eigenvalue below which a direction is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """Which directions a result was projected on.

    Parameters
    ----------
    kind, dimensions, columns
        How they were found, how many there are, and how many columns the features have.
    seed
        Of the search, 64 hexadecimal digits.
    kept
        The share of the squared entries of the whole result that the projected one has, estimated within some percent.
    digest
        SHA-256 of the directions: vectors with another digest do not compare with these.
    """

    kind: str = "leading directions"
    dimensions: int
    columns: int
    seed: str
    kept: float
    digest: str


@dataclass(frozen=True, slots=True)
class _Search:
    """Products with Z and its transpose, as exact as a search for directions needs."""

    graph: Graph
    features: scipy.sparse.csr_array
    walk: Walk
    place: Local
    done: Callable[[int], Progress | None]

    def forth(self, right: Matrix, step: int) -> Matrix:
        """Return ``Z right``."""
        return self._rough(self.features, right, self.walk.r, step)

    def back(self, left: Matrix, step: int) -> Matrix:
        """Return ``Z^T left``."""
        identity = scipy.sparse.eye_array(self.graph.nodes, dtype=np.float32, format="csr")
        spread = self._rough(identity, left, 1 - self.walk.r, step)
        return np.asarray(self.features.T @ spread)

    def _rough(self, features: scipy.sparse.csr_array, right: Matrix, r: float, step: int) -> Matrix:
        problem = ProductProblem.of(self.graph, features, replace(self.walk, r=r), right)
        rough = replace(problem, walk=replace(problem.walk, tolerance=max(_ROUGH * problem.largest_entry, 1e-30)))
        return solved(rough, self.place, self.done(step))[0]


def propagate_leading(
    graph: Graph,
    features: scipy.sparse.csr_array,
    walk: Walk,
    place: Local,
    *,
    dimensions: int,
    seed: str,
    progress: Progress | None = None,
) -> tuple[Matrix, Propagation, Leading]:
    """Propagate on this machine and project on the leading directions; the whole result is never computed.

    Parameters
    ----------
    graph, features, walk, place
        As for `privge.propagation.propagate`. The tolerance is that of the projected entries.
    dimensions
        How many directions, below the number of columns of the features.
    seed
        A hexadecimal text that decides where the search begins.
    progress
        Called with the columns done and the columns in all, those of the search included.
    """
    columns = int(features.shape[1])
    if not 1 <= dimensions < columns:
        raise ValueError(f"dimensions must be from 1 to {columns - 1:,}, below the number of columns, got {dimensions}")
    width = min(dimensions + OVERSAMPLED, columns, max(1, graph.nodes))
    done = _counted(progress, width, 2 * (POWERS + 1), dimensions)
    search = _Search(graph, features, walk, place, done)
    right, energy = _signs(seed, columns, width), 0.0
    for power in range(POWERS + 1):
        left = search.forth(right, 2 * power)
        del right  # the largest arrays here: never more of them than it takes
        energy = energy or _squares(left)  # of random signs: that of Z in expectation
        right = search.back(_orthonormal(left), 2 * power + 1)
        del left
        right = _orthonormal(right)
    right = _signed(right, dimensions)
    matrix, run = solved(ProductProblem.of(graph, features, walk, right), place, done(2 * (POWERS + 1)))
    kept = _squares(matrix) / energy if energy else 1.0
    digest = hashlib.sha256(right.T.data).hexdigest()  # the columns are contiguous
    told = Leading(dimensions=right.shape[1], columns=columns, seed=seed, kept=min(kept, 1.0), digest=digest)
    return matrix, run, told


def _signs(seed: str, rows: int, columns: int) -> Matrix:
    """Return random signs, scaled such that their product with a row has its length in expectation."""
    generator = np.random.default_rng(int(seed, 16))
    signs = generator.integers(0, 2, (rows, columns), dtype=np.int8)
    return np.asarray((2 * signs - 1) / np.float32(np.sqrt(columns)), dtype=np.float32)


def _orthonormal(matrix: Matrix) -> Matrix:
    """Turn the columns of a matrix, in place, into orthonormal ones of the same span: its leading directions first."""
    values, vectors = np.linalg.eigh(_gram(matrix))
    values, vectors = values[::-1], vectors[:, ::-1]
    if not values[0] > 0:
        return matrix[:, :1]  # nothing but zeros
    used = values > _NEGLIGIBLE * values[0]
    turn = (vectors[:, used] / np.sqrt(values[used])).astype(matrix.dtype)
    for part in _some_rows(matrix):
        part[:, : turn.shape[1]] = part @ turn
    return matrix[:, : turn.shape[1]]


def _squares(matrix: Matrix) -> float:
    """Return the sum of all squares."""
    return float(sum(np.einsum("ij,ij->", part, part, dtype=np.float64) for part in _some_rows(matrix)))


def _gram(matrix: Matrix) -> Floats:
    """Return all inner products of columns, added in double precision."""
    total = np.zeros((matrix.shape[1], matrix.shape[1]))
    for part in _some_rows(matrix):
        exact = part.astype(np.float64)
        total += exact.T @ exact
    return total


def _signed(right: Matrix, count: int) -> Matrix:
    """Return the first directions such that the largest entry of each is positive: their signs are chance."""
    signed: Matrix = np.asfortranarray(right[:, :count])
    for j in range(signed.shape[1]):
        if signed[np.abs(signed[:, j]).argmax(), j] < 0:
            signed[:, j] *= -1
    return signed


def _some_rows(matrix: Matrix) -> Iterator[Matrix]:
    """Yield the rows in parts, as views."""
    return (matrix[start : start + _ROWS] for start in range(0, len(matrix), _ROWS))


def _counted(progress: Progress | None, width: int, steps: int, last: int) -> Callable[[int], Progress | None]:
    """Return the progress of each step, as a part of all columns."""
    total = width * steps + last

    def of_step(step: int) -> Progress | None:
        return None if progress is None else lambda done, _: progress(step * width + done, total)

    return of_step
