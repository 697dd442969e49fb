"""The format of MUSAE and LastFM: edges and classes in CSV, features as a JSON object of lists."""

import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import scipy.sparse
from numpy.typing import NDArray

from privge.datasets.contents import Blob, Contents

_MOST_FEATURES = 1_000_000


def read_musae(
    blobs: Mapping[str, Blob],
    *,
    label: str = "target",
    classes: Mapping[str, str] | None = None,
    largest: int | None = None,
) -> Contents:
    """Read the files ``edges``, ``features`` and ``target`` of one dataset.

    Parameters
    ----------
    label
        Column of ``target`` that holds the class.
    classes
        The name of each class as it stands in the file, in the order that labels shall have. By default the values
        themselves, sorted.
    largest
        Keep only the nodes of so many classes, those with the most nodes, and the links between them.
    """
    values = _labels(blobs["target"], label)
    links = _links(blobs["edges"], len(values))
    features = _features(blobs["features"], len(values))
    names, labels = np.unique(values, return_inverse=True)
    labels = labels.astype(np.int64)
    if classes is not None:
        if not set(names) <= set(classes):
            raise blobs["target"].corrupt(f"column {label!r} holds other classes than {', '.join(classes)}")
        labels = np.array([list(classes).index(name) for name in names], dtype=np.int64)[labels]
        names = np.array(list(classes.values()))
    contents = Contents(links, features, labels, tuple(str(name) for name in names))
    return contents if largest is None else _keep_largest(contents, largest)


def _keep_largest(contents: Contents, count: int) -> Contents:
    sizes = np.bincount(contents.labels, minlength=len(contents.classes))
    kept_classes = np.sort(np.argsort(-sizes, kind="stable")[:count])
    kept = np.isin(contents.labels, kept_classes)
    rows = np.cumsum(kept) - 1  # the new number of each kept node
    inside = kept[contents.links].all(axis=1)
    return Contents(
        rows[contents.links[inside]],
        scipy.sparse.csr_array(contents.features[kept]),
        np.searchsorted(kept_classes, contents.labels[kept]).astype(np.int64),
        tuple(contents.classes[i] for i in kept_classes),
    )


def _labels(blob: Blob, column: str) -> NDArray[np.str_]:
    """Return the class of each node 0, 1, ... as text."""
    table = _read_csv(blob, {"id": pa.int64(), column: pa.string()})
    ids = table["id"].to_numpy()
    if not np.array_equal(np.sort(ids), np.arange(len(ids))):
        raise blob.corrupt("the ids are not 0, 1, ..., each once")
    values = np.empty(len(ids), dtype=np.object_)
    values[ids] = table[column].to_numpy()
    return values.astype(np.str_)


def _links(blob: Blob, nodes: int) -> NDArray[np.int64]:
    table = _read_csv(blob, None)
    if table.schema.types != [pa.int64(), pa.int64()]:
        raise blob.corrupt("these are not pairs of numbers")
    links = np.column_stack([table.column(i).to_numpy() for i in range(2)])
    if links.size and (links.min() < 0 or links.max() >= nodes):
        raise blob.corrupt(f"a link ends outside the {nodes} nodes")
    return links


def _read_csv(blob: Blob, columns: dict[str, pa.DataType] | None) -> pa.Table:
    options = pa_csv.ConvertOptions(
        column_types=columns, include_columns=list(columns or ()), null_values=[""], strings_can_be_null=True
    )
    copy = (
        pa.BufferOutputStream()
    )  # Arrow's own memory: its threads must not hold Python's, see `privge._files.parquet`
    copy.write(blob.data)
    try:
        table = pa_csv.read_csv(pa.BufferReader(copy.getvalue()), convert_options=options)
    except (pa.ArrowException, ValueError, KeyError) as error:
        raise blob.corrupt(f"this is not a table ({error})") from error
    if any(column.null_count for column in table.columns):
        raise blob.corrupt("a row lacks a value")
    return table


def _features(blob: Blob, nodes: int) -> scipy.sparse.csr_array:
    """Return a row of zeros and ones for each node."""
    try:
        lists = json.loads(blob.data)
    except (ValueError, RecursionError) as error:
        raise blob.corrupt(f"this is not JSON ({error})") from error
    if not isinstance(lists, dict) or not all(isinstance(features, list) for features in lists.values()):
        raise blob.corrupt("this is not an object of lists")
    try:
        owners = np.array([int(node) for node in lists], dtype=np.int64)
        lengths = [len(features) for features in lists.values()]
        columns = np.fromiter((_column(c) for features in lists.values() for c in features), np.int64, sum(lengths))
    except (TypeError, ValueError, OverflowError) as error:
        raise blob.corrupt(f"a node or feature is not a number ({error})") from error
    if len(np.unique(owners)) != len(owners) or (owners.size and not 0 <= owners.min() <= owners.max() < nodes):
        raise blob.corrupt(f"the nodes are not among 0 to {nodes - 1}, each once")
    if columns.size and not 0 <= columns.min() <= columns.max() < _MOST_FEATURES:
        raise blob.corrupt(f"a feature is not among 0 to {_MOST_FEATURES - 1}")
    width = int(columns.max()) + 1 if columns.size else 0
    ones = np.ones(len(columns), dtype=np.float32)
    matrix = scipy.sparse.coo_array((ones, (np.repeat(owners, lengths), columns)), shape=(nodes, width)).tocsr()
    matrix.data[:] = 1  # a feature that is listed twice is still one
    return matrix


def _column(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} in a list of features")
    return value
