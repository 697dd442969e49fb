"""The format of Planetoid (Cora, Citeseer, Pubmed): pickles of Python 2 and a list of test nodes.

Nodes are the rows of ``allx``, then the test nodes; ``test.index`` says which test node each row of ``tx`` is. Test
nodes that it leaves out (15 of Citeseer) have no features and no label.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.datasets.contents import Blob, Contents
from privge.datasets.pickles import read_pickle


def read_planetoid(blobs: Mapping[str, Blob], classes: Sequence[str]) -> Contents:
    """Read the files ``allx``, ``ally``, ``tx``, ``ty``, ``graph`` and ``test.index`` of one dataset."""
    first, test = _matrix(blobs["allx"]), _matrix(blobs["tx"])
    if first.shape[1] != test.shape[1]:
        raise blobs["tx"].corrupt(f"{test.shape[1]} features where allx has {first.shape[1]}")
    places = _test_places(blobs["test.index"], first.shape[0], test.shape[0])
    nodes = int(places.max()) + 1
    rows = np.full(nodes, first.shape[0] + test.shape[0])  # by default the empty row at the end
    rows[: first.shape[0]] = np.arange(first.shape[0])
    rows[places] = first.shape[0] + np.arange(test.shape[0])
    empty = scipy.sparse.csr_array((1, first.shape[1]), dtype=first.dtype)
    features = scipy.sparse.csr_array(scipy.sparse.vstack([first, test, empty], format="csr")[rows])
    known = np.concatenate(
        [
            _labels(blobs["ally"], first.shape[0], len(classes)),
            _labels(blobs["ty"], test.shape[0], len(classes)),
            np.array([-1]),
        ]
    )
    return Contents(_links(blobs["graph"], nodes), features, known[rows], tuple(classes))


def _matrix(blob: Blob) -> scipy.sparse.csr_array:
    matrix = read_pickle(blob)
    if not isinstance(matrix, scipy.sparse.csr_array) or matrix.shape[0] == 0:
        raise blob.corrupt("this is not a sparse matrix with rows")
    return matrix


def _labels(blob: Blob, rows: int, classes: int) -> NDArray[np.int64]:
    table = read_pickle(blob)
    if not isinstance(table, np.ndarray) or table.shape != (rows, classes):
        raise blob.corrupt(f"this is not a table of {rows} rows for {classes} classes")
    if not (np.isin(table, (0, 1)).all() and (table.sum(axis=1) <= 1).all()):
        raise blob.corrupt("a row names more than one class")
    return np.where(table.any(axis=1), table.argmax(axis=1), -1)


def _test_places(blob: Blob, first: int, count: int) -> NDArray[np.int64]:
    try:
        places = np.array([int(line) for line in blob.data.split()], dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise blob.corrupt(f"this is not a list of nodes ({error})") from error
    if len(places) != count or len(np.unique(places)) != count:
        raise blob.corrupt(f"this is not a list of {count} different nodes")
    if places.min() < first or places.max() >= first + 2 * count:
        raise blob.corrupt(f"a test node is not right after the {first} others")
    return places


def _links(blob: Blob, nodes: int) -> NDArray[np.int64]:
    neighbours = read_pickle(blob)
    if not isinstance(neighbours, dict) or any(type(row) is not list for row in neighbours.values()):
        raise blob.corrupt("this is not a dictionary of neighbours")
    try:
        sources = np.fromiter((node for node, row in neighbours.items() for _ in row), dtype=np.int64)
        targets = np.fromiter((other for row in neighbours.values() for other in row), dtype=np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise blob.corrupt(f"a neighbour is not a number ({error})") from error
    links = np.column_stack([sources, targets])
    if links.size and (links.min() < 0 or links.max() >= nodes):
        raise blob.corrupt(f"a link ends outside the {nodes} nodes")
    return links
