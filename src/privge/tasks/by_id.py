"""Where nodes stand in an embedding or a graph.

What a node is called decides, never where it stands elsewhere: 17 and "17" are one node, "007" is another.
"""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from privge.embedding.embedding import Embedding
from privge.graph.labelled import Rows, as_rows, rows_of
from privge.graph.labels import Labels, LabelsById, LabelsByRow, by_id, is_by_id
from privge.graph.pairs import NodePairs
from privge.ids import Ids, as_ids
from privge.propagation import Matrix

Node: TypeAlias = str | int
PairsOfNodes: TypeAlias = Iterable[tuple[object, object]] | NodePairs


def matrix_of(vectors: Matrix | Embedding) -> Matrix:
    """Return the matrix of an embedding, or what was given."""
    return np.asarray(vectors.matrix) if isinstance(vectors, Embedding) else vectors


def rows_in(vectors: Matrix | Embedding, nodes: Iterable[object] | None) -> Rows | None:
    """Return nodes as rows: those of an embedding are given by id, those of a matrix are rows."""
    if nodes is None:
        return None
    return rows_of(vectors, nodes, "nodes") if isinstance(vectors, Embedding) else as_rows(nodes)


def chosen(vectors: Matrix | Embedding, ids: Iterable[object] | None) -> tuple[list[Node] | None, Matrix]:
    """Return the ids that an answer is for, None if they are rows of a matrix, and their vectors."""
    if not isinstance(vectors, Embedding):
        if ids is not None:
            raise ValueError("ids are those of an Embedding: the rows of a matrix have none")
        return None, vectors
    if ids is None:
        return vectors.ids.tolist(), matrix_of(vectors)
    asked = as_ids(ids, unique=False)
    return asked.tolist(), matrix_of(vectors)[rows_of(vectors, asked, "nodes that are asked for")]


def in_order_of(ids: Ids, vectors: Matrix | Embedding) -> Matrix | Embedding:
    """Return an embedding of these ids in their order; a matrix has no ids, and is what it is."""
    if not isinstance(vectors, Embedding):
        return vectors
    rows = rows_of(vectors, ids, "nodes of the graph")
    if np.array_equal(rows, np.arange(len(vectors))):
        return vectors
    return Embedding(ids, matrix_of(vectors)[rows], vectors.provenance)


def labels_in(vectors: Matrix | Embedding, labels: LabelsByRow | LabelsById) -> Labels:
    """Return a label for each row: those of an embedding by id, those of a matrix as they stand."""
    if isinstance(vectors, Embedding):
        if not is_by_id(labels):
            raise ValueError(
                "the labels of an embedding go by id: give a mapping, a Series, or a pair of ids and classes; labels "
                "in the order of the rows belong to its matrix"
            )
        ids, found = by_id(labels)
        return found.at(rows_of(vectors, ids, "labelled nodes"), len(vectors))
    if is_by_id(labels):
        raise ValueError("labels by id need an Embedding: the rows of a matrix have no ids")
    found = Labels.of(labels)
    if len(found) != len(vectors):
        raise ValueError(f"{len(found)} labels for {len(vectors)} rows")
    return found


def pairs_in(vectors: Matrix | Embedding, pairs: PairsOfNodes) -> NodePairs:
    """Return pairs as rows: those of an embedding are given by id, those of a matrix are rows."""
    if not isinstance(vectors, Embedding):
        return as_rows(pairs)
    listed = [tuple(pair) for pair in (pairs.tolist() if isinstance(pairs, np.ndarray) else pairs)]
    if any(len(pair) != 2 for pair in listed):
        raise ValueError("pairs must be of two ids each")
    ends = rows_of(vectors, [node for pair in listed for node in pair], "ends of pairs (a split by id is split.by_id)")
    return ends.reshape(-1, 2)
