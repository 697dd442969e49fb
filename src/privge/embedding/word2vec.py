"""Vectors as word2vec writes them in text, which gensim and many others read: a line for each node."""

from pathlib import Path

import numpy as np

from privge._files.atomic import atomic_path
from privge.embedding import files
from privge.embedding.files import StoredVectors
from privge.errors import BadData
from privge.ids import Ids


def write_word2vec(path: Path, vectors: StoredVectors) -> None:
    """Write ``nodes dimensions``, then ``id v1 v2 ...`` for each node; enough digits to read the same numbers again."""
    refuse_white_space(path, vectors.ids)
    matrix = vectors.matrix
    digits = 9 if matrix.dtype == np.float32 else 17  # as many as tell every two numbers of this type apart
    line = "%s" + f" %.{digits}g" * matrix.shape[1] + "\n"
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{matrix.shape[0]} {matrix.shape[1]}\n")
        for block in files.blocks(matrix):
            rows = zip(vectors.ids[block].tolist(), matrix[block].tolist(), strict=True)
            file.writelines(line % (node, *vector) for node, vector in rows)


def refuse_white_space(path: Path, ids: Ids) -> None:
    """Refuse ids that this format cannot hold; to be asked before the vectors are computed."""
    if ids.dtype == np.int64:
        return
    spoiled = [node for node in ids.tolist() if node.split() != [node]]
    if spoiled:
        raise BadData(
            f"{path}: {len(spoiled):,} ids have white space in them, the first is {spoiled[0]!r}; in this format white "
            "space ends an id: write .parquet or .npy, or rename the nodes"
        )
