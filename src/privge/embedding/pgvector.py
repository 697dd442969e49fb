"""Vectors for pgvector, the vector type of PostgreSQL: a script for psql, or CSV for COPY."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from privge._files.atomic import atomic_path
from privge.embedding import files
from privge.embedding.files import StoredVectors
from privge.errors import BadData

MOST: Final = 16_000
"""Dimensions that a column of the type ``vector`` can have."""

INDEXED: Final = 2_000
"""Dimensions that an index of pgvector can have."""

TABLE: Final = "embedding"

_ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def check_dimensions(path: Path, dimensions: int) -> None:
    """Refuse more dimensions than the type has; to be asked before the vectors are computed."""
    if dimensions > MOST:
        raise BadData(f"{path}: pgvector holds at most {MOST:,} dimensions, these are {dimensions:,}; write .parquet")


def write_pgvector(path: Path, vectors: StoredVectors) -> None:
    """Write ids and vectors; the file is complete or absent.

    Parameters
    ----------
    path
        ``.sql``: a script that ``psql -f`` runs, which makes the table ``embedding`` and copies into it. ``.csv``: the
        columns ``id`` and ``vector``, for a ``COPY ... (FORMAT csv, HEADER)`` of your own.
    vectors
        What to write; numbers are those of float32, as pgvector keeps them.
    """
    check_dimensions(path, vectors.matrix.shape[1])
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "vector"))
            writer.writerows(_rows(vectors))
            return
        file.write(_opening(vectors))
        file.writelines(f"{str(node).translate(_ESCAPED)}\t{vector}\n" for node, vector in _rows(vectors))
        file.write("\\.\nCOMMIT;\n")


def _opening(vectors: StoredVectors) -> str:
    kind = "text" if vectors.ids.dtype == np.object_ else "bigint"
    dimensions = vectors.matrix.shape[1]
    made = " ".join(json.dumps(json.loads(vectors.provenance)).split())  # one line, or it would end the comment
    index = (
        f"-- CREATE INDEX ON {TABLE} USING hnsw (vector vector_cosine_ops);\n"
        if dimensions <= INDEXED
        else f"-- an index takes at most {INDEXED:,} dimensions\n"
    )
    return (
        f"-- made by privge: {made}\n{index}"
        "BEGIN;\n"
        "CREATE EXTENSION IF NOT EXISTS vector;\n"
        f"CREATE TABLE {TABLE} (id {kind} PRIMARY KEY, vector vector({dimensions}) NOT NULL);\n"
        f"COPY {TABLE} (id, vector) FROM stdin;\n"
    )


def _rows(vectors: StoredVectors) -> Iterator[tuple[str | int, str]]:
    matrix = vectors.matrix
    for block in files.blocks(matrix):
        numbers = files.as_float32(matrix[block])
        for node, vector in zip(vectors.ids[block].tolist(), numbers, strict=True):
            yield node, f"[{','.join(map(_shortest, vector))}]"


def _shortest(value: np.float32) -> str:
    """Return the fewest digits that are this number and no other of float32."""
    return np.format_float_positional(value, unique=True, trim="-")
