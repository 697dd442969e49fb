"""Vectors in Parquet: columns ``id`` and ``vector``, and a text that says what they were made from.

One file, or a folder of parts that `privge._files.finished` calls finished.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from privge._files.finished import finished_parts
from privge._files.folder import Folder
from privge._files.parquet import opened_parquet, read_parquet
from privge.errors import BadData
from privge.ids import Ids, as_ids

_PROVENANCE = b"privge.provenance"
BLOCK = 1 << 26
"""Bytes of vectors treated at once."""


class StoredVectors(NamedTuple):
    """Ids, one row for each, and the text of their provenance. The rows may be anything that slices to arrays."""

    ids: Ids
    matrix: NDArray[Any]
    provenance: str


def blocks(matrix: NDArray[Any], size: int | None = None) -> Iterator[slice]:
    """Return slices of rows that hold at most ``size`` bytes each, and at least one row."""
    rows = max(1, (size or BLOCK) // max(1, matrix.shape[1] * matrix.dtype.itemsize))
    return (slice(first, min(first + rows, len(matrix))) for first in range(0, len(matrix), rows))


def as_float32(rows: Any) -> NDArray[np.float32]:  # noqa: ANN401 (an array, or what slices to arrays)
    """Return rows as one contiguous array; those that are none yet are gathered block by block."""
    if isinstance(rows, np.ndarray):
        return np.ascontiguousarray(rows, dtype=np.float32)
    gathered = np.empty(rows.shape, dtype=np.float32)
    for block in blocks(rows):
        gathered[block] = rows[block]
    return gathered


def some_rows(matrix: Any, rows: NDArray[np.int64]) -> NDArray[Any]:  # noqa: ANN401 (as above)
    """Return some rows as an array; from what is not an array they are taken one by one."""
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix[rows])
    some = np.empty((len(rows), matrix.shape[1]), dtype=matrix.dtype)
    for place, row in enumerate(rows.tolist()):
        some[place] = matrix[row]
    return some


def batch(vectors: StoredVectors, rows: slice) -> pa.RecordBatch:
    """Return some rows as Arrow sees them."""
    schema, width = schema_of(vectors), vectors.matrix.shape[1]
    flat = pa.array(np.ascontiguousarray(vectors.matrix[rows]).ravel())
    columns = [pa.array(vectors.ids[rows], type=schema[0].type), pa.FixedSizeListArray.from_arrays(flat, width)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def schema_of(vectors: StoredVectors) -> pa.Schema:
    """Return columns and provenance."""
    kind = pa.float32() if vectors.matrix.dtype == np.float32 else pa.float64()
    id_kind = pa.int64() if vectors.ids.dtype == np.int64 else pa.string()
    fields = [pa.field("id", id_kind), pa.field("vector", pa.list_(kind, vectors.matrix.shape[1]))]
    return pa.schema(fields, metadata={_PROVENANCE: vectors.provenance})


def write_file(file: BinaryIO, vectors: StoredVectors) -> None:
    """Write one Parquet file, block by block."""
    with pq.ParquetWriter(file, schema_of(vectors), compression="zstd") as writer:
        for rows in blocks(vectors.matrix):
            writer.write_batch(batch(vectors, rows))


def read_file(folder: Folder, name: str) -> StoredVectors:
    """Read one Parquet file; whatever is not a file of an embedding is refused by name."""
    try:
        table = read_parquet(folder, name)
        vectors = table["vector"].combine_chunks()
        matrix = vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size)
        if len(matrix) != len(table):
            raise BadData("a vector is missing")
        return StoredVectors(
            as_ids(table["id"].to_numpy()), matrix, (table.schema.metadata or {})[_PROVENANCE].decode()
        )
    except FileNotFoundError:
        raise
    except (KeyError, AttributeError, TypeError) as error:
        raise BadData(f"{folder.file(name)}: this is not a file of an embedding") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise BadData(f"{folder.file(name)}: {error}") from error


def _length(folder: Folder, name: str) -> int:
    try:
        with opened_parquet(folder, name) as (parquet, _):
            return int(parquet.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: {error}") from error


def read_folder(folder: Folder) -> StoredVectors:
    """Read all parts of a finished folder into one matrix; the parts must belong together."""
    names, counts = finished_parts(folder)
    first = read_file(folder, names[0])
    nodes = sum(_length(folder, name) for name in names)
    if counts.get("nodes") != nodes:
        raise BadData(f"{folder.address}: there are {nodes} vectors, and _SUCCESS does not say so")
    matrix = np.empty((nodes, first.matrix.shape[1]), dtype=first.matrix.dtype)
    ids: list[object] = []
    for name in names:
        part = first if name == names[0] else read_file(folder, name)
        if part.provenance != first.provenance or part.matrix[:0].shape != matrix[:0].shape:
            raise BadData(f"{folder.file(name)}: this part belongs to another embedding than {names[0]}")
        if part.matrix.dtype != matrix.dtype:
            raise BadData(f"{folder.file(name)}: the vectors are of another type than those of {names[0]}")
        last = len(ids) + len(part.ids)
        matrix[len(ids) : last] = part.matrix
        ids += part.ids.tolist()
    try:
        return StoredVectors(as_ids(ids), matrix, first.provenance)
    except BadData as error:
        raise BadData(f"{folder.address}: {error}") from error


def read_provenance(path: str) -> str:
    """Return the text of the provenance of one Parquet file, without reading a vector."""
    folder, name = Folder.containing(path)
    try:
        with opened_parquet(folder, name) as (parquet, _):
            return str((parquet.schema_arrow.metadata or {})[_PROVENANCE].decode())
    except (KeyError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: this is not a file of an embedding") from error
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{path}: {error}") from error
