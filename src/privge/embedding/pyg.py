"""Vectors as a ``Data`` of PyTorch Geometric: with edges, classes and masks, all in one order."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import places_in, rows_of
from privge.graph.labels import LabelsById, by_id
from privge.ids import Ids

MASKS = {"train": "train_mask", "validation": "val_mask", "test": "test_mask"}
"""What PyTorch Geometric calls the parts of a split."""


class Split(Protocol):
    """Nodes for training, choosing and judging, by id."""

    @property
    def train(self) -> NDArray[Any]: ...  # noqa: D102
    @property
    def validation(self) -> NDArray[Any]: ...  # noqa: D102
    @property
    def test(self) -> NDArray[Any]: ...  # noqa: D102


def as_data(
    ids: Ids, vectors: NDArray[np.float32], graph: Graph, labels: LabelsById | None, split: Split | None
) -> Any:  # noqa: ANN401 (PyTorch Geometric is not a dependency)
    """Return a ``Data`` whose nodes stand in the order of the vectors.

    Parameters
    ----------
    ids, vectors
        Whose rows; they must be the nodes of the graph.
    graph
        Its edges, both ways; weights become ``edge_weight``.
    labels
        By id; whoever has none gets -1.
    split
        Of ids: masks of those that are in each part.
    """
    with needed("PyTorch Geometric"):
        import torch
        from torch_geometric.data import Data

    order = rows_of(_Home(ids), graph.ids, "nodes of the graph")
    if len(order) != len(ids):
        raise BadData(f"there are {len(ids):,} vectors for {len(order):,} nodes of the graph")
    ends = graph.to_scipy().tocoo()
    index = np.stack([order[ends.row], order[ends.col]]).astype(np.int64)
    data = Data(x=torch.from_numpy(vectors), edge_index=torch.from_numpy(index))
    data.ids = ids.tolist()
    if graph.weighted:
        data.edge_weight = torch.from_numpy(np.asarray(ends.data, dtype=np.float32))
    if labels is not None:
        nodes, found = by_id(labels)
        classes = np.full(len(ids), -1, dtype=np.int64)
        places = places_in(_Home(ids), nodes)
        classes[places[places >= 0]] = found.places[places >= 0]
        data.y, data.classes = torch.from_numpy(classes), found.classes.tolist()
    if split is not None:
        for part, name in MASKS.items():
            mask = np.zeros(len(ids), dtype=np.bool_)
            mask[rows_of(_Home(ids), getattr(split, part), f"{part} nodes")] = True
            data[name] = torch.from_numpy(mask)
    return data


class _Home:
    """Whatever has a row for each id."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
