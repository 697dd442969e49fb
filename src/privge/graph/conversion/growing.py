"""One-dimensional ``.npy`` files whose length is known only at the end: the header is written last."""

import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike, DTypeLike, NDArray

HEADER = 128
"""Bytes of NumPy's header for a list of numbers: it leaves room for the length to grow."""


def begin(path: Path) -> None:
    """Make a file with room for the header and no entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(HEADER))


def append(path: Path, kind: DTypeLike, first: int, entries: ArrayLike) -> int:
    """Write entries from position ``first`` on, forget whatever stood there and after, return where they end."""
    array: NDArray[np.generic] = np.ascontiguousarray(entries, dtype=kind)
    with path.open("r+b") as file:
        file.seek(HEADER + first * array.itemsize)
        file.truncate()
        file.write(array.view(np.uint8).data)
    return first + len(array)


def settle(path: Path) -> None:
    """Have all of a file on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def seal(path: Path, kind: DTypeLike, length: int) -> None:
    """Write the header and have all of it on the disk; only now is this an array."""
    header = io.BytesIO()
    shape = {"descr": npy.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (length,)}
    npy.write_array_header_1_0(header, shape)
    if header.tell() != HEADER:
        raise RuntimeError(f"NumPy's header takes {header.tell()} bytes, not {HEADER}")
    with path.open("r+b") as file:
        file.write(header.getvalue())
    settle(path)


def read(path: Path, kind: DTypeLike, first: int, last: int) -> NDArray[np.generic]:
    """Return entries ``first`` to ``last``, read rather than mapped: mapped pages would count as memory in use."""
    kind = np.dtype(kind)
    return np.fromfile(path, kind, count=last - first, offset=HEADER + first * kind.itemsize)


def read_pieces(path: Path, kind: DTypeLike, length: int, size: int = 1 << 20) -> Iterator[NDArray[np.generic]]:
    """Yield all entries, piece by piece."""
    for first in range(0, length, size):
        yield read(path, kind, first, min(first + size, length))
