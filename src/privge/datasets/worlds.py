"""Worlds: a graph, private profiles with their public encoding, labels, and a split; to try questions on."""

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privge.datasets.catalogue import DATASETS
from privge.datasets.dataset import Dataset
from privge.datasets.loading import load
from privge.datasets.platform import Attribute, platform_network
from privge.datasets.synthetic import social_network
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import LabelledGraph, rows_of
from privge.ids import Ids
from privge.questions import ChoiceFeature, CountFeature, Encoding, NumberFeature, NumbersFeature, YesNoFeature
from privge.questions.features import Feature
from privge.questions.people import People
from privge.tasks import NodeSplit, split_nodes
from privge.tasks.splits import Shares

_DEMO_SHARES = (0.35, 0.15, 0.5)
_SIZES = (1, 2, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256)
"""Public thresholds of the size of a profile: steps of a half power of two."""


@dataclass(frozen=True, eq=False)
class World:
    """What a campaign of questions would meet.

    Parameters
    ----------
    name
        The name by which `world` makes it again.
    graph
        Who knows whom; public.
    features
        The private raw features, in the graph's order: a matrix or a table.
    labels
        The class of every node. Those of training and validation nodes are public.
    encoding
        The public encoding of features: bounds and scales, never computed from the data.
    split
        Training, validation and test nodes, by row.
    shares
        Of these three, if they are drawn anew.
    dataset
        Where it comes from, if it is a dataset: it has the features as the paper's pipeline takes them.
    """

    name: str
    graph: Graph
    features: Any
    labels: NDArray[np.int64]
    encoding: Encoding
    split: NodeSplit
    shares: Shares = (0.5, 0.25, 0.25)
    dataset: Dataset | None = None

    def divided(self, seed: int) -> Self:
        """Return the same data with the split of another seed."""
        return replace(self, split=split_nodes(self.labels, seed=seed, shares=self.shares))

    def __repr__(self) -> str:
        return f"World({self.name!r}, {self.graph.nodes:,} nodes, {self.encoding.columns:,} coordinates)"


MADE_UP = ("demo", "platform", "platform-4")


def world(name: str, seed: int, *, data_dir: str | PathLike[str] | None = None) -> World:
    """Return a world by its name.

    Parameters
    ----------
    name
        ``demo`` (the network of `privge demo`), ``platform`` (2 classes), ``platform-4``, or a dataset of the
        catalogue.
    seed
        Of a made-up world; of a dataset, of the split.
    data_dir
        Where datasets are.
    """
    if name == "demo":
        made = social_network(seed=seed)
        encoding = Encoding.numbers(made.features.shape[1], 0.0, 1.0)
        return World(
            name,
            made.graph,
            made.features,
            made.labels,
            encoding,
            split_nodes(made.labels, seed=seed, shares=_DEMO_SHARES),
        )
    if name in MADE_UP:
        people = platform_network(classes=4 if name.endswith("-4") else 2, seed=seed)
        split = NodeSplit(people.train, people.validation, people.test)
        encoding = Encoding(tuple(_attribute(one) for one in people.attributes))
        return World(name, people.graph, people.table, people.labels, encoding, split)
    if name not in DATASETS:
        raise ValueError(f"there is no world {name!r}; there are {', '.join((*MADE_UP, *DATASETS))}")
    return world_of(load(name, data_dir=data_dir), seed)


def world_of(data: Dataset, seed: int) -> World:
    """Return the world of a dataset, whose split the seed decides: raw values with their encoding, or numbers."""
    split = split_nodes(data.labels, seed=seed)
    if data.people is not None and data.encoding is not None:
        return World(data.name, data.graph, data.people, data.labels, data.encoding, split, dataset=data)
    return World(data.name, data.graph, data.features, data.labels, profile_encoding(data), split, dataset=data)


def profile_encoding(data: Dataset) -> Encoding:
    """Return the public encoding of a dataset's features.

    Of Wikipedia it is the size of a profile alone, by public thresholds: its words are too many for what they tell.
    Of the others it is the square root of every number from 0 on, so that profiles stay sparse.
    """
    columns = data.features.shape[1]
    if data.name == "wikipedia":
        words = NumbersFeature(columns, data.low, data.high, levels=2, scale=0, centre=0)
        return Encoding((words, *(CountFeature(f"{size} or more", thresholds=(float(size),)) for size in _SIZES)))
    return Encoding.numbers(columns, data.low, data.high, sqrt=data.low >= 0, missing="low", scale=1, centre=0)


def _attribute(one: Attribute) -> Feature:
    """Scale by publicly expected deviations: a number's is a quarter of its range, a rare yes's a third."""
    if one.kind == "yes-no":
        return YesNoFeature(one.name)
    if one.kind == "number":
        return NumberFeature(one.name, one.low, one.high, scale=4, centre=2048)
    return ChoiceFeature(one.name, one.values, scale=3072, centre=3072 // len(one.values))


def own_world(
    graph: Graph, ids: Ids, people: People, labels: tuple[Ids, NDArray[np.object_]], encoding: Encoding, seed: int
) -> World:
    """Return a world from what files hold: half of the labelled people learn and judge, the other half are hidden.

    Parameters
    ----------
    graph
        The public graph.
    ids, people
        Whose raw features these are.
    labels
        Ids and classes. Nodes without one are neither taught by nor judged on.
    encoding
        The public encoding of the features.
    seed
        Of the split.
    """
    rows = rows_of(graph, ids, "people with features")
    if len(np.unique(rows)) < graph.nodes:
        raise BadData(f"there must be features of all {graph.nodes:,} nodes, got {len(np.unique(rows)):,}")
    order = np.empty(graph.nodes, dtype=np.int64)
    order[rows] = np.arange(len(rows))
    known = LabelledGraph.of(graph, labels).labels.places
    split = split_nodes(known, seed=seed, shares=_DEMO_SHARES)
    return World("own", graph, people.take(order), known, encoding, split, _DEMO_SHARES)
