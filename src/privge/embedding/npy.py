"""Vectors in ``.npy``, which any index library reads, with the ids of the rows and the provenance beside them.

Beside ``z.npy`` stands ``z.ids.json``: an object with ``ids``, a list in the order of the rows, and ``provenance``.
Both are written completely before either gets its name, and the ids get theirs last. So a ``.npy`` never stands beside
the ids of another one; after a crash between the two it stands there without ids.
"""

import json
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from privge._files.atomic import atomic_path
from privge.embedding import files
from privge.embedding.files import StoredVectors
from privge.errors import BadData
from privge.ids import as_ids


def ids_beside(path: Path) -> Path:
    """Return where the ids of a ``.npy`` stand."""
    return path.with_name(f"{path.name.removesuffix('.npy')}.ids.json")


def write_npy(path: Path, vectors: StoredVectors) -> None:
    """Write the vectors in their own precision, block by block, and the ids beside them."""
    ids = ids_beside(path)
    with atomic_path(ids) as partial_ids:
        _write_ids(partial_ids, vectors)
        with atomic_path(path) as partial:
            _write_matrix(partial, vectors)
            ids.unlink(missing_ok=True)  # those of the vectors that are replaced now


def _write_matrix(path: Path, vectors: StoredVectors) -> None:
    matrix = vectors.matrix
    with path.open("wb") as file:
        # Not through a memory map, where a full disk kills the process instead of raising.
        header = {"descr": npy.dtype_to_descr(matrix.dtype), "fortran_order": False, "shape": matrix.shape}
        npy.write_array_header_1_0(file, header)
        for block in files.blocks(matrix):
            np.ascontiguousarray(matrix[block]).tofile(file)


def _write_ids(path: Path, vectors: StoredVectors) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"provenance": {vectors.provenance},\n"ids": [')
        for row, node in enumerate(vectors.ids.tolist()):
            file.write(f"{',' if row else ''}\n{json.dumps(node)}")
        file.write("\n]}\n")


def read_npy(path: Path) -> StoredVectors:
    """Map the vectors of a ``.npy`` into memory, and read the ids beside it; what does not fit is refused by name."""
    beside = ids_beside(path)
    if path.is_file() and not beside.is_file():
        raise BadData(f"{path}: its ids are missing: there is no {beside.name} beside it; write the embedding again")
    try:
        matrix = npy.open_memmap(path, mode="r")
    except (ValueError, EOFError) as error:
        raise BadData(f"{path}: this is not a NumPy file ({error})") from error
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise BadData(f"{path}: vectors are a matrix of floats, this is {matrix.dtype} of shape {matrix.shape}")
    try:
        told = json.loads(beside.read_text(encoding="utf-8"))
        ids, provenance = as_ids(told["ids"]), json.dumps(told["provenance"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadData(f"{beside}: these are not the ids of an embedding ({error})") from error
    if len(ids) != len(matrix):
        raise BadData(f"{beside}: {len(ids):,} ids for {len(matrix):,} vectors in {path.name}")
    return StoredVectors(ids, matrix, provenance)
