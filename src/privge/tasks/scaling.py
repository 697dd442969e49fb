"""How vectors are brought to one scale before a head sees them.

A network trained by gradient steps is not indifferent to the scale of its inputs, and mechanisms differ by a
public constant in scale (raw and unbiased HDS by nothing else). So the rules here depend on the matrix alone,
never on labels or on the mechanism:

``rows``
    The component along the mean row is taken out of each row and becomes one more column, with root mean square 1.
    What is left of the row is brought to a root mean square of 1, too. Propagation gives all rows one direction
    in common (its leading eigenvector, which knows degrees only), and it can hide everything else.
``columns``
    Each column centred and divided by its standard deviation over all rows.
``global``
    All divided by one number, so that the root mean square of all entries is 1.
``none``
    As it is: the form of the paper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from privge.propagation import Matrix

Rule: TypeAlias = Literal["rows", "columns", "global", "none"]
ScaledRows: TypeAlias = NDArray[np.float32]
Vector: TypeAlias = NDArray[np.float64]

BLOCK_BYTES = 1 << 25
"""Of the rows that are treated at once."""

KEPT_BYTES = 1 << 30
"""Up to here scaled rows are kept; larger ones are scaled again whenever they are needed."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """A rule fitted to a matrix. It is applied to the rows that are asked for, so the matrix is never copied.

    Parameters
    ----------
    width
        Number of columns of the matrix, and of the rows that are scaled later.
    columns
        The columns that are used, or None for all: columns of zeros say nothing and only cost time.
    shift
        A value becomes ``(value - shift) * factor``: a number, or one for each used column; or None for no shift.
    factor
        A number, or one for each used column.
    common
        Unit vector of the mean row, whose component becomes the last column; or None.
    common_factor
        What that last column is multiplied by.
    """

    width: int
    columns: NDArray[np.int64] | None
    shift: ScaledRows | None
    factor: ScaledRows
    common: ScaledRows | None = None
    common_factor: float = 1.0

    @classmethod
    def fit(cls, matrix: Matrix, rule: Rule) -> Self:
        """Look at all rows of the matrix, block by block."""
        if rule not in get_args(Rule):
            raise ValueError(f"scaling must be one of {', '.join(get_args(Rule))}, got {rule!r}")
        check_matrix(matrix)
        mean, squares = _moments(matrix)
        if not np.isfinite(squares).all():
            raise ValueError("the matrix has entries that are not finite")
        used = np.flatnonzero(squares > 0)
        columns = used if len(used) < 0.9 * len(mean) else None
        kept = slice(None) if columns is None else columns
        shift = common = None
        factor, common_factor = np.ones(()), 1.0
        if rule == "columns":
            variance = _moments(matrix, mean)[1]
            shift = mean[kept].astype(np.float32)
            factor = _inverse_root(variance, floor=1e-12 * squares)[kept]
        elif rule == "global":
            factor = _inverse_root(squares[kept].mean())
        elif rule == "rows":
            direction = mean * _inverse_root(mean @ mean)
            common = direction[kept].astype(np.float32)
            common_factor = float(_inverse_root(np.square(matrix @ direction.astype(matrix.dtype)).mean()))
        return cls(len(mean), columns, shift, factor.astype(np.float32), common, common_factor)

    @property
    def outputs(self) -> int:
        """Number of columns after scaling."""
        used = self.width if self.columns is None else len(self.columns)
        return used + (self.common is not None)

    def rows(self, matrix: Matrix, rows: NDArray[np.int64]) -> ScaledRows:
        """Return scaled copies of these rows, made block by block."""
        scaled = np.empty((len(rows), self.outputs), dtype=np.float32)
        for start in range(0, len(rows), step := rows_at_once(matrix)):
            part = slice(start, start + step)
            block = np.asarray(matrix[rows[part]], dtype=np.float32)
            if self.columns is not None:
                block = np.take(block, self.columns, axis=1)
            if self.common is None:
                scaled[part] = (block if self.shift is None else block - self.shift) * self.factor
            else:
                scaled[part] = self._without_common(block, self.common)
        return scaled

    def _without_common(self, block: ScaledRows, common: ScaledRows) -> ScaledRows:
        component = block @ common
        rest = block - np.outer(component, common)
        energy = np.einsum("ij,ij->i", rest, rest) / len(common)
        rest *= _inverse_root(energy)[:, None].astype(np.float32)
        return np.column_stack([rest, component * np.float32(self.common_factor)])


@dataclass(frozen=True, eq=False, slots=True)
class RowsToScale:
    """Some rows of a matrix, scaled: kept if they are small, and otherwise made when they are asked for.

    Parameters
    ----------
    matrix, chosen
        The whole matrix, and which of its rows.
    kept
        The scaled rows, if they are kept.
    """

    scaling: Scaling
    matrix: Matrix
    chosen: NDArray[np.int64]
    kept: ScaledRows | None

    @classmethod
    def of(cls, scaling: Scaling, matrix: Matrix, rows: NDArray[np.int64]) -> Self:
        """Keep them, or remember how to make them."""
        small = 4 * len(rows) * scaling.outputs <= KEPT_BYTES
        return cls(scaling, matrix, rows, scaling.rows(matrix, rows) if small else None)

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, places: NDArray[np.int64]) -> ScaledRows:
        return self.scaling.rows(self.matrix, self.chosen[places]) if self.kept is None else self.kept[places]

    def blocks(self) -> Iterator[ScaledRows]:
        """Yield all of them in order: at once if they are kept."""
        if self.kept is not None:
            yield self.kept
            return
        for start in range(0, len(self), step := rows_at_once(self.matrix)):
            yield self[np.arange(start, min(start + step, len(self)))]


def rows_at_once(matrix: Matrix) -> int:
    """Return how many rows of the matrix make a block of moderate size."""
    return max(1, BLOCK_BYTES // (4 * max(1, int(matrix.shape[1]))))


def check_matrix(matrix: Matrix, width: int | None = None) -> None:
    """Refuse what is not a matrix of numbers, or one of another width."""
    if not (isinstance(matrix, np.ndarray) and matrix.ndim == 2 and matrix.dtype.kind == "f"):
        raise ValueError("the matrix must be a two-dimensional array of floats, one row for each node")
    if width is not None and matrix.shape[1] != width:
        raise ValueError(f"the matrix must have {width} columns, as the one fitted; got {matrix.shape[1]}")


def _moments(matrix: Matrix, centre: Vector | None = None) -> tuple[Vector, Vector]:
    """Return mean and mean square of each column, both after subtracting ``centre``."""
    count, width = matrix.shape
    step = rows_at_once(matrix)
    mean, squares = np.zeros(width), np.zeros(width)
    for start in range(0, count, step):
        block = matrix[start : start + step]
        if centre is not None:
            block = block - centre.astype(matrix.dtype)
        mean += block.sum(axis=0)
        squares += np.einsum("ij,ij->j", block, block)
    return mean / max(1, count), squares / max(1, count)


def _inverse_root(energy: NDArray[np.floating] | np.floating, floor: Vector | float = 0.0) -> Vector:
    """Return ``1 / sqrt(energy)``, and 1 where the energy is not above the floor: nothing is there to be scaled."""
    large = energy > floor
    return np.asarray(np.where(large, 1 / np.sqrt(np.where(large, energy, 1)), 1), dtype=np.float64)
