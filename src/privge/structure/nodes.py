"""`node_channel`: the class of each node from the graph and from other nodes' labels, as calibrated probabilities."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from privge._machine import processors
from privge._typing import Floats, Progress
from privge.graph import Graph, GraphData
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import Classes, Labels, LabelsById, LabelsByRow
from privge.ids import Ids
from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.degrees import degree_features
from privge.structure.heads import Features, Head
from privge.structure.mixture import mixture_weights
from privge.structure.named import DEFAULT_HEADS, HeadName, heads_of
from privge.structure.order import Ordered, folds_of, in_this_order
from privge.structure.spectrum import leading, spectral_features
from privge.structure.stacking import Stack, standardise
from privge.structure.steps import Steps, one_thread
from privge.structure.walks import Seeds, walk_features

WALKS = ((0.05, 0.0), (0.15, 0.0), (0.4, 0.0), (0.05, 0.5), (0.2, 0.5), (0.1, 1.0))
"""Values of alpha and r with which labels are propagated by default."""

LARGE = 100_000
"""Nodes beyond which fewer eigenvectors are looked at by default."""

_LEAST = 0.5  # temperature: a few validation nodes, all of them right, would make the channel as sure as can be
_VALIDATION = 0.2  # share of the labelled nodes kept for choosing, if no validation nodes are given


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeViews:
    """What is looked at, of each node.

    Parameters
    ----------
    walks
        Values of alpha and r with which labels are propagated, one walk for each pair.
    vectors
        Numbers of leading eigenvectors. Each head is fitted once with each of them, and the training nodes say, out of
        fold, how much each counts: few vectors know large communities, many know small ones. By default 8, 16, 32 and
        128; on graphs of more than 100,000 nodes 8, 16 and 32.
    folds
        Into how many parts the training nodes are divided for the walks, at least 2.
    stacks
        Into how many parts they are divided for the heads, at least 2.
    """

    walks: tuple[tuple[float, float], ...] = WALKS
    vectors: tuple[int, ...] | None = None
    folds: int = 8
    stacks: int = 4

    def __post_init__(self) -> None:
        for name in ("folds", "stacks"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name} must be at least 2, got {getattr(self, name)!r}")
        if self.vectors is not None and (len(self.vectors) == 0 or min(self.vectors) < 0):
            raise ValueError(f"vectors must be numbers of at least 0, one or more, got {self.vectors!r}")

    def widths(self, nodes: int) -> tuple[int, ...]:
        """Return the numbers of leading eigenvectors on a graph of so many nodes."""
        if self.vectors is not None:
            return self.vectors
        return (8, 16, 32, 128) if nodes <= LARGE else (8, 16, 32)


@dataclass(frozen=True, eq=False, repr=False)
class NodeChannel:
    """What the structure says of the class of each node.

    Parameters
    ----------
    ids
        The nodes, in the order of the rows of the graph.
    classes
        What the columns are called: every class that the labels name, sorted.
    probabilities
        One row for each node, one column for each class. Rows of training nodes come from models that were not fitted
        to them, and from walks without their own label.
    temperature
        By which the probabilities were calibrated on the validation nodes; above 1 the heads were too sure.
    weights
        How much each head with each number of eigenvectors counts in the mixture; together 1.
    """

    ids: Ids
    classes: Classes
    probabilities: Floats
    temperature: float
    weights: dict[str, float] = field(default_factory=dict)

    epsilon = 0.0
    """What it costs: it reads public data only."""

    def __repr__(self) -> str:
        return f"NodeChannel({len(self.ids):,} nodes, {len(self.classes)} classes, epsilon 0)"

    @property
    def log(self) -> Floats:
        """Logarithms of the probabilities, none below that of 1e-5: nothing is impossible."""
        logarithms: Floats = np.log(np.maximum(self.probabilities, 1e-5))
        return logarithms

    def predict(self) -> Classes:
        """Return the most likely class of each node, in the order of the graph."""
        best: Classes = self.classes[self.probabilities.argmax(axis=1)]
        return best


def node_channel(
    graph: GraphData,
    labels: LabelsByRow | LabelsById,
    *,
    train: Iterable[object] | None = None,
    validation: Iterable[object] | None = None,
    heads: tuple[HeadName, ...] = DEFAULT_HEADS,
    views: NodeViews | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> NodeChannel:
    """Predict the class of each node from public data alone: the graph, and labels that are known anyway.

    Labels walk over the graph so that no training node sees its own; leading eigenvectors, degrees and triangles are
    put beside them. Heads are stacked on these features out of fold, mixed by how much they are worth at training
    nodes that they did not see, and calibrated by one temperature.

    Parameters
    ----------
    graph
        The graph, in any form that `privge.as_graph` takes. Weights are honoured, except that degrees and triangles
        count edges.
    labels
        One for each row of the graph, or by id: a mapping, a Series, or a pair of ids and classes. Those of other nodes
        than ``train`` and ``validation`` are not read, except that their classes get a column too.
    train
        Nodes whose labels walk and are learnt from: rows, or ids if labels are given by id. By default all that have a
        label, without the validation nodes.
    validation
        Nodes whose labels choose penalties and epochs, and calibrate. By default a fifth of the training nodes.
    heads
        ``logistic``, ``network`` or both.
    views
        What is looked at.
    seed
        The same seed gives the same channel, whatever the order of the rows and the number of threads.
    threads
        For the walks; by default one for each processor.
    progress
        Called with the steps done and the steps in all.
    """
    chosen = heads_of(heads)
    views = NodeViews() if views is None else views
    known = LabelledGraph.of(graph, labels)
    seen = _Seen.of(known, *_parts(known, train, validation, seed))
    widths = views.widths(seen.graph.nodes)
    steps = Steps(2 + len(views.walks) + len(widths) * len(heads) * (1 + views.stacks), progress)
    with one_thread():
        found = seen.predictions(chosen, views, seed, threads, steps)
        weights = dict(zip(found, seen.weights(found).tolist(), strict=True))
        predicted = np.zeros((seen.graph.nodes, seen.classes))
        for name, each in found.items():
            predicted += weights[name] * each
        temperature = max(_LEAST, best_temperature(predicted[seen.validation], seen.targets[seen.validation]))
        probabilities = at_temperature(predicted, temperature)[seen.place]
    return NodeChannel(known.graph.ids, known.labels.classes, probabilities, temperature, weights)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What the structure looks at: a graph in order, the class of each node from 0, and who is learnt from."""

    graph: Graph
    place: Rows
    targets: Rows
    train: Rows
    validation: Rows
    classes: int

    @classmethod
    def of(cls, known: LabelledGraph, train: Rows, validation: Rows) -> Self:
        ordered = Ordered.of(known.graph)
        place, labels = ordered.place, known.labels
        learnt, held = (np.sort(place[rows]) for rows in (train, validation))
        return cls(ordered.graph, place, labels.places[ordered.order], learnt, held, len(labels.classes))

    def predictions(
        self, heads: dict[HeadName, Head], views: NodeViews, seed: int, threads: int | None, steps: Steps
    ) -> dict[str, Features]:
        """Return what each head says with each number of eigenvectors, by a name."""
        widths = views.widths(self.graph.nodes)
        base = self.degrees_and_walks(views, seed, threads, steps)
        vectors = steps.done(leading(self.graph, max(widths), seed, threads=threads or processors())[1])
        folds = folds_of(len(self.train), views.stacks, seed + 1)
        found: dict[str, Features] = {}
        for width in widths:
            features = np.hstack([base, standardise(spectral_features(vectors[:, :width]))])
            stack = Stack(features, self.targets, self.train, self.validation, folds, self.classes)
            names = [f"{name}, {width} eigenvectors" for name in heads]
            found |= zip(names, stack.predictions(list(heads.values()), seed, steps.step), strict=True)
        return found

    def weights(self, found: dict[str, Features]) -> Floats:
        """Return how much to trust each, by the training nodes, which none of them was fitted to."""
        own = self.targets[self.train]
        return mixture_weights(np.column_stack([each[self.train, own] for each in found.values()]))

    def degrees_and_walks(self, views: NodeViews, seed: int, threads: int | None, steps: Steps) -> Features:
        """Return everything but eigenvectors, standardised."""
        folds = folds_of(len(self.train), views.folds, seed)
        seeds = Seeds(self.train, self.targets[self.train], folds, self.classes, views.folds)
        place = in_this_order(threads)
        parts = [steps.done(degree_features(self.graph))]
        parts += [
            steps.done(walk_features(self.graph, seeds, alpha=alpha, r=r, place=place)) for alpha, r in views.walks
        ]
        return standardise(np.hstack(parts))


def _parts(
    known: LabelledGraph, train: Iterable[object] | None, validation: Iterable[object] | None, seed: int
) -> tuple[Rows, Rows]:
    """Return training and validation rows, or say what is wrong with them."""
    held = None if validation is None else known.rows(validation)
    learnt = known.rows(train)
    if train is None and held is not None:
        learnt = learnt[~np.isin(learnt, held)]
    if held is None:
        learnt = learnt[np.argsort(known.graph.ids[learnt], kind="stable")]  # drawn whatever the order of rows
        drawn = np.random.default_rng([seed, 13]).permutation(len(learnt))[: int(_VALIDATION * len(learnt))]
        held, learnt = learnt[drawn], np.delete(learnt, drawn)
    if len(np.intersect1d(learnt, held)):
        raise ValueError("training and validation nodes must be disjoint")
    for rows, what in ((learnt, "training"), (held, "validation")):
        _check(known.labels, rows, what)
    if len(np.unique(known.labels.places[learnt])) < 2:
        raise ValueError("the training nodes must be of at least two classes")
    return learnt, held


def _check(labels: Labels, rows: Rows, what: str) -> None:
    if len(rows) == 0:
        raise ValueError(f"{what} nodes are needed")
    if len(np.unique(rows)) < len(rows):
        raise ValueError(f"{what} nodes must be named once each")
    unlabelled = int((labels.places[rows] < 0).sum())
    if unlabelled:
        raise ValueError(f"{unlabelled} of {len(rows)} {what} nodes have no label")
