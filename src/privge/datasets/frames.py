"""Datasets from tables and graphs at hand, joined as files are."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._typing import Table, is_arrow, is_pandas
from privge.datasets.dataset import Dataset
from privge.datasets.joined import NamedParts, Rules, join
from privge.datasets.loading import dataset_of
from privge.errors import BadData
from privge.graph import Graph, as_graph
from privge.graph.inputs import GraphData
from privge.graph.labels import LabelsById, is_by_id
from privge.graph.libraries import PygData
from privge.ids import Ids, as_ids
from privge.perturbation.features import FeatureData, Features, features_of, own_ids
from privge.perturbation.raw import RawFeatures
from privge.questions import Encoding
from privge.questions.people import people_of


def from_frames(
    edges: GraphData,
    features: FeatureData,
    labels: LabelsById | Table | None = None,
    *,
    name: str = "own",
    rules: Rules | None = None,
) -> Dataset:
    """Join tables at hand: see `Dataset.from_frames`."""
    stated = Rules() if rules is None else rules
    known = None if labels is None else _labels(labels)
    parts = NamedParts(as_graph(edges), isinstance(edges, Graph), _features(features, stated.encoding), known)
    return dataset_of(join(parts, stated), name, *stated.bounds)


def from_pyg(data: PygData, *, name: str = "own", rules: Rules | None = None) -> Dataset:
    """Take a ``Data`` of PyTorch Geometric: see `Dataset.from_pyg`."""
    held: Any = data
    graph = as_graph(data)
    if getattr(held, "x", None) is None:
        raise BadData("the Data has no features x")
    matrix = np.asarray(held.x.detach().cpu(), dtype=np.float64)
    classes = getattr(held, "y", None)
    labels = None if classes is None else (graph.ids, _classes(classes, graph.nodes))
    return from_frames(graph, Features(graph.ids, matrix), labels, name=name, rules=rules)


def _classes(held: Any, nodes: int) -> NDArray[np.int64]:  # noqa: ANN401 (a tensor of torch, which is not a dependency)
    classes = np.asarray(held.detach().cpu())
    if classes.ndim == 2 and classes.shape[1] == 1:
        classes = classes[:, 0]
    if classes.shape != (nodes,):
        raise BadData(f"y must hold one class for each of the {nodes:,} nodes, got shape {classes.shape}")
    return classes


def _features(data: FeatureData, encoding: Encoding | None) -> Features | RawFeatures:
    if encoding is None:
        return features_of(data)
    return RawFeatures(as_ids(own_ids(data)), people_of(data, encoding.raw_names, encoding.raw_width))


def _labels(given: Any) -> tuple[Ids, NDArray[np.object_]]:  # noqa: ANN401 (a table of any library, or by id)
    """Return ids and classes."""
    if is_by_id(given) and not hasattr(given, "columns"):
        ids, classes = _by_id(given)
        return as_ids(ids), _objects(classes)
    if is_pandas(given):
        for column in ("id", "label"):
            if column not in given.columns:
                raise BadData(f"the labels have no column {column!r}; a Series goes by its index")
        return as_ids(given["id"].to_numpy()), _objects(given["label"].tolist())
    if is_arrow(given):
        table = pa.table(given)
        return as_ids(table["id"].to_pylist()), _objects(table["label"].to_pylist())
    raise BadData("labels must be a mapping, a Series, two arrays, or a table with the columns id and label")


def _by_id(given: LabelsById) -> tuple[Any, Any]:
    if isinstance(given, tuple):
        return given
    if hasattr(given, "index"):
        return given.index, given
    return given.keys(), given.values()


def _objects(classes: Any) -> NDArray[np.object_]:  # noqa: ANN401 (whatever can be listed)
    listed = list(classes)
    found = np.empty(len(listed), dtype=np.object_)
    found[:] = listed
    return found
