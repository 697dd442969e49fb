"""Features in a shared folder: the non-zeros of each block of 16 columns, in parts, each sorted by row.

A task of the columns regime reads one block of every part; a shard of the edges regime only its rows of it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._files.folder import Folder
from privge._typing import Floats
from privge.propagation._kernels.gather import LANES

_CHUNK = 1 << 22  # non-zeros treated at once


@dataclass(frozen=True, slots=True)
class Entries:
    """Where the features lie.

    Parameters
    ----------
    folder
        The folder that holds them, shared by all workers.
    parts
        How many parts they come in; a row's non-zeros are all in one part.
    columns
        Number of features.
    largest
        Largest ``|x| / strength^r`` of all.
    """

    folder: Folder
    parts: int
    columns: int
    largest: float

    @property
    def blocks(self) -> int:
        """Blocks of at most 16 columns."""
        return -(-self.columns // LANES)

    def read(self, block: int, first: int = 0, last: int | None = None) -> Iterator[tuple[Any, Any, Floats]]:
        """Yield rows, lanes and values of a block, of the rows from ``first`` to before ``last``."""
        for part in range(self.parts):
            entries = self.folder.read(_name(part, block))
            rows = entries["row"]
            low = 0 if first == 0 else int(np.searchsorted(rows, first))
            high = len(rows) if last is None else int(np.searchsorted(rows, last))
            for start in range(low, high, _CHUNK):
                chunk = entries[start : min(start + _CHUNK, high)]
                yield chunk["row"].astype(np.int64), chunk["lane"].astype(np.int64), chunk["value"].astype(np.float64)


def write_part(
    folder: Folder,
    part: int,
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    values: NDArray[np.floating],
    dimensions: int,
) -> None:
    """Write the non-zeros of one part, given in the order of the rows; the same part again replaces it."""
    kind = np.dtype([("row", np.int32), ("lane", np.uint8), ("value", values.dtype)])
    block = np.asarray(columns) // LANES
    order = np.argsort(block, kind="stable")
    cuts = np.searchsorted(block[order], np.arange(-(-dimensions // LANES) + 1))
    for number in range(len(cuts) - 1):
        chosen = order[cuts[number] : cuts[number + 1]]
        entries = np.empty(len(chosen), dtype=kind)
        entries["row"], entries["lane"], entries["value"] = rows[chosen], columns[chosen] % LANES, values[chosen]
        folder.write(_name(part, number), entries)


def in_canonical_form(features: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return a copy in which every entry stands once."""
    matrix = scipy.sparse.csr_array(features, copy=True)
    matrix.sum_duplicates()
    return matrix


def digest_of(matrix: scipy.sparse.csr_array) -> str:
    """Return what tells these features from others."""
    digest = hashlib.sha256(f"{matrix.shape} {matrix.dtype}".encode())
    for array in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def write_matrix(folder: Folder, matrix: scipy.sparse.csr_array, scale: Floats) -> Entries:
    """Write features that are in memory, as one part."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    write_part(folder, 0, rows, matrix.indices, matrix.data, matrix.shape[1])
    largest = float(np.abs(matrix.data.astype(np.float64) / scale[rows]).max(initial=0.0))
    return Entries(folder, 1, matrix.shape[1], largest)


def _name(part: int, block: int) -> str:
    return f"p{part:05d}-c{block:05d}.npy"
