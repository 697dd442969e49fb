"""The leading eigenvectors of ``S A S`` with ``S = (D + tau)^(-1/2)``, regularised by the mean degree tau.

Without the regularisation the leading eigenvectors of a sparse graph belong to its loosest corners: small trees that
hang on the rest by one edge.

Subspace iteration with Chebyshev filters: a block of vectors is multiplied by a polynomial of ``S A S`` that is at most
1 on the part of the spectrum that nobody wants, and grows fast above it. Then the best vectors in the span of the block
are taken (Rayleigh-Ritz), and the value that the least of them reaches is where the next filter begins. All products
are sums over neighbours in blocks of 16 columns, by compiled loops, and the same at any number of threads.
Vectors whose values are too close to each other for so few passes come mixed, which tells nodes apart as well.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph import Graph
from privge.propagation._kernels.gather import AHEAD, LANES
from privge.propagation.relaxation import aligned

Vectors = NDArray[np.float32]

DENSE = 512
"""Nodes up to which the whole spectrum is computed at once."""

_GROWTH = 1e4  # by which a filter may prefer one vector to another: float32 must still see the other
_DEGREE = 12
_SPARE = 12  # vectors beside those that are wanted
_ROWS = 1 << 16  # rows of a dense product at once


def leading(
    graph: Graph, count: int, seed: int, *, passes: int = 12, tolerance: float = 1e-2, threads: int = 1
) -> tuple[Floats, Vectors]:
    """Return the largest eigenvalues, descending, and their eigenvectors as columns.

    Parameters
    ----------
    graph
        The graph; weights are honoured.
    count
        How many; at most as many as there are nodes.
    seed
        Of the block that the iteration starts from.
    passes
        At most so many filters.
    tolerance
        Stop when no wanted vector is farther than this from being an eigenvector: ``|S A S v - value v|``.
    threads
        Of the products with the adjacency; the result does not depend on them.
    """
    count = min(count, graph.nodes) if graph.edges else 0
    operator = Operator.of(graph, threads)
    if count == 0 or graph.nodes <= DENSE:
        values, vectors = np.linalg.eigh(operator.dense()) if count else (np.empty(0), np.empty((graph.nodes, 0)))
        return values[::-1][:count], vectors[:, ::-1][:, :count].astype(np.float32)
    width = min(-(-(count + _SPARE) // LANES) * LANES, graph.nodes)
    block, cut, top = _start(graph.nodes, width, seed), 0.0, 1.0
    values = np.empty(0)
    for _ in range(passes):
        block = operator.filtered(block, cut, top)
        values, block, errors = ritz(block, operator.times(block))
        cut, top = float(np.clip(values[-1], -0.5, 0.99)), float(values[0])
        if errors[:count].max() <= tolerance:
            break
    return values[:count], block[:, :count]


def _start(nodes: int, width: int, seed: int) -> Vectors:
    generator = np.random.default_rng([seed, 12])
    return generator.standard_normal((nodes, width), dtype=np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    """``S A S``, which works on blocks of vectors.

    Parameters
    ----------
    indptr, indices
        The adjacency in compressed rows, with more indices than are used, so that kernels may look ahead.
    weights
        Of the edges; None if all count once.
    scale
        The diagonal of S.
    threads
        Each does a range of rows.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Vectors | None
    scale: Vectors
    threads: int

    @classmethod
    def of(cls, graph: Graph, threads: int) -> Self:
        """Regularise by the mean degree, or the mean strength where edges have weights."""
        unit = float(graph.strengths.mean()) or 1.0
        scale = 1 / np.sqrt(graph.strengths / unit + 1)
        indices = np.concatenate([graph.indices, np.zeros(AHEAD, np.int32)])
        numbers = np.ones(1) if graph.weights is None else graph.weights
        weights = None if graph.weights is None else (numbers / unit).astype(np.float32)
        if weights is None:
            scale /= math.sqrt(unit)
        return cls(graph.indptr, indices, weights, scale.astype(np.float32), threads)

    def dense(self) -> Floats:
        """Return the whole matrix."""
        nodes = len(self.scale)
        matrix = np.zeros((nodes, nodes))
        rows = np.repeat(np.arange(nodes), np.diff(self.indptr))
        columns = self.indices[: len(rows)]
        matrix[rows, columns] = 1.0 if self.weights is None else self.weights
        scaled: Floats = matrix * self.scale[:, None] * self.scale
        return scaled

    def times(self, block: Vectors) -> Vectors:
        """Return the product with each column."""
        return self._polynomial(block, [(1.0, 0.0)])

    def filtered(self, block: Vectors, cut: float, top: float) -> Vectors:
        """Multiply by a Chebyshev polynomial that is at most 1 from -1 to ``cut`` and grows fast up to ``top``."""
        centre, half = (cut - 1) / 2, (cut + 1) / 2
        farthest = max((top - centre) / half, 1 + 1e-6)
        degree = min(_DEGREE, max(2, int(math.acosh(_GROWTH) / math.acosh(farthest))))
        first, later = (1 / half, -centre / half), (2 / half, -2 * centre / half)
        return self._polynomial(block, [first, *[later] * (degree - 1)])

    def _polynomial(self, block: Vectors, steps: list[tuple[float, float]]) -> Vectors:
        """Return the last of ``next = (factor S A S + shift) current - before``, from the block and zeros before it.

        With ``y = S x`` a step is a sum over neighbours that are not scaled: ``next = (factor S^2 A + shift) y - ...``.
        """
        result = np.empty_like(block)
        for first in range(0, block.shape[1], LANES):
            columns = slice(first, min(first + LANES, block.shape[1]))
            before, current, following = (aligned(len(block), np.float32) for _ in range(3))
            current[:, : columns.stop - first] = block[:, columns] * self.scale[:, None]
            for factor, shift in steps:
                self._step(current, before, factor, shift, following)
                before, current, following = current, following, before
            result[:, columns] = current[:, : columns.stop - first] / self.scale[:, None]
        return result

    def _step(self, current: Vectors, before: Vectors, factor: float, shift: float, out: Vectors) -> None:
        from privge.structure._kernels import step_rows

        factors = np.float32(factor) * self.scale * self.scale
        ends = np.linspace(0, len(self.indices) - AHEAD, self.threads + 1)
        bounds = np.searchsorted(self.indptr, ends[1:-1])
        ranges = zip([0, *bounds], [*bounds, len(current)], strict=True)

        def rows(span: tuple[int, int]) -> None:
            step_rows(self.indptr, self.indices, self.weights, factors, current, before, np.float32(shift), out, span)

        if self.threads == 1:
            rows((0, len(current)))
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(rows, ranges))


def ritz(block: Vectors, image: Vectors) -> tuple[Floats, Vectors, Floats]:
    """Return the best eigenvectors in the span of a block, by their values, and how far each is from being one.

    Parameters
    ----------
    block
        Columns, independent but not orthogonal.
    image
        What the operator makes of them.
    """
    lengths = np.sqrt(np.diag(_gram(block, block)))
    gram = _gram(block, block) / np.outer(lengths, lengths)
    sizes, axes = np.linalg.eigh(gram)
    whitened = axes / np.sqrt(np.maximum(sizes, 1e-9 * sizes[-1])) / lengths[:, None]
    small = whitened.T @ _gram(block, image) @ whitened
    values, turned = np.linalg.eigh((small + small.T) / 2)
    best = (whitened @ turned)[:, ::-1]
    values = values[::-1]
    vectors, images = (_product(matrix, best) for matrix in (block, image))
    errors = np.zeros(len(values))
    for first in range(0, len(vectors), _ROWS):
        rows = slice(first, first + _ROWS)
        errors += np.square(images[rows] - vectors[rows] * values.astype(np.float32)).sum(axis=0)
    return values, vectors, np.sqrt(errors)


def _gram(left: Vectors, right: Vectors) -> Floats:
    """Return ``left^T right``, summed in float64."""
    total = np.zeros((left.shape[1], right.shape[1]))
    for first in range(0, len(left), _ROWS):
        rows = slice(first, first + _ROWS)
        total += left[rows].astype(np.float64).T @ right[rows].astype(np.float64)
    return total


def _product(matrix: Vectors, small: Floats) -> Vectors:
    result = np.empty((len(matrix), small.shape[1]), dtype=np.float32)
    for first in range(0, len(matrix), _ROWS):
        rows = slice(first, first + _ROWS)
        result[rows] = matrix[rows].astype(np.float64) @ small
    return result


def spectral_features(vectors: Vectors) -> Vectors:
    """Return each row at unit length (where in the spectrum a node is) and as it is (how much of it is there)."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    unit = vectors / np.maximum(lengths, 1e-6)[:, None]
    raw = np.arcsinh(vectors * np.float32(np.sqrt(len(vectors))))
    return np.hstack([unit, raw])
