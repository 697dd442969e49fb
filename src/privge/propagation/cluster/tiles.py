"""A matrix that lies in a shared folder as tiles: the result of a run on a cluster, which no process ever holds."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from privge._files.folder import Folder
from privge.propagation.problem import Certificate, Matrix


def tile_name(row: int, column: int) -> str:
    """Return the name of a tile, without suffix."""
    return f"r{row:05d}-c{column:05d}"


def finish_tile(folder: Folder, row: int, column: int, certificate: Certificate) -> None:
    """Say that a tile is finished; whoever finds its certificate need not compute it again."""
    guarantee = {name: getattr(certificate, name) for name in ("error", "sweeps", "precision")}
    folder.write_document(f"{tile_name(row, column)}.json", guarantee)


def certificate_of(folder: Folder, row: int, column: int) -> Certificate | None:
    """Return the certificate of a finished tile, or None."""
    name = f"{tile_name(row, column)}.json"
    return Certificate(**folder.document(name)) if folder.exists(name) else None


@dataclass(frozen=True, eq=False, repr=False)
class TiledMatrix:
    """A matrix in tiles; indexing by a row or a slice of rows reads only what is asked for.

    Parameters
    ----------
    row_cuts, column_cuts
        Tile ``(i, j)`` holds rows ``row_cuts[i]`` to ``row_cuts[i+1]`` and columns alike.
    dtype
        Of every tile.
    """

    folder: Folder
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]
    dtype: np.dtype[np.floating]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.row_cuts[-1], self.column_cuts[-1]

    @property
    def nbytes(self) -> int:
        """Size of the whole matrix."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"TiledMatrix({self.shape[0]:,} x {self.shape[1]:,} {self.dtype} in {self.folder.address})"

    def __getitem__(self, rows: int | slice | NDArray[np.integer]) -> Matrix:
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            return self._rows(first, max(first, last))[::step] if step > 0 else self._rows(0, len(self))[rows]
        if isinstance(rows, np.ndarray):
            return np.stack([self[int(row)] for row in np.arange(len(self))[rows]]) if rows.size else self[0:0]
        row = range(len(self))[rows]
        vector: Matrix = self._rows(row, row + 1)[0]
        return vector

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001
        if copy is False:
            raise ValueError("a matrix in tiles cannot be an array without a copy")
        return self._rows(0, len(self)).astype(dtype or self.dtype, copy=False)

    def _rows(self, first: int, last: int) -> Matrix:
        out = np.empty((last - first, self.shape[1]), dtype=self.dtype)
        for i, (top, bottom) in enumerate(pairwise(self.row_cuts)):
            low, high = max(first, top), min(last, bottom)
            if low >= high:
                continue
            for j, (left, right) in enumerate(pairwise(self.column_cuts)):
                tile = self.folder.read(f"{tile_name(i, j)}.npy", low - top, high - top)
                out[low - first : high - first, left:right] = tile
        return out
