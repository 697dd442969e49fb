"""`node_channel`: the class of each node from the graph and from other nodes' labels, as calibrated probabilities."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from privge._typing import Floats, Progress
from privge.graph import GraphData
from privge.graph.labelled import LabelledGraph, Rows
from privge.graph.labels import Classes, LabelsById, LabelsByRow
from privge.ids import Ids
from privge.propagation import Local
from privge.structure.calibration import at_temperature, best_temperature
from privge.structure.degrees import degree_features
from privge.structure.heads import Features, Head, Logistic, Network
from privge.structure.order import by_id, folds_of
from privge.structure.spectrum import leading, spectral_features
from privge.structure.stacking import Stack, standardise
from privge.structure.steps import Steps, one_thread
from privge.structure.walks import Seeds, walk_features

HeadName: TypeAlias = Literal["logistic", "network"]

_HEADS: dict[HeadName, Head] = {"logistic": Logistic(), "network": Network()}
_VALIDATION = 0.2  # share of the labelled nodes kept for choosing, if no validation nodes are given


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeViews:
    """What is looked at, of each node.

    Parameters
    ----------
    walks
        Values of alpha and r with which labels are propagated.
    vectors
        Number of leading eigenvectors.
    folds
        Into how many parts the training nodes are divided for the walks, at least 2.
    stacks
        Into how many parts they are divided for the heads, at least 2.
    """

    walks: tuple[tuple[float, float], ...] = ((0.05, 0.0), (0.15, 0.0), (0.4, 0.0), (0.05, 0.5), (0.2, 0.5))
    vectors: int = 32
    folds: int = 8
    stacks: int = 4

    def __post_init__(self) -> None:
        for name in ("folds", "stacks"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name} must be at least 2, got {getattr(self, name)!r}")
        if self.vectors < 0:
            raise ValueError(f"vectors must be at least 0, got {self.vectors!r}")


@dataclass(frozen=True, eq=False, repr=False)
class NodeChannel:
    """What the structure says of the class of each node.

    Parameters
    ----------
    ids
        The nodes, in the order of the graph.
    classes
        What the columns are called: every class that the labels name, sorted.
    probabilities
        One row for each node, one column for each class. Rows of training nodes come from models that were not fitted
        to them, and from walks without their own label.
    temperature
        By which the probabilities were calibrated on the validation nodes; above 1 the heads were too sure.
    """

    ids: Ids
    classes: Classes
    probabilities: Floats
    temperature: float

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
    heads: tuple[HeadName, ...] = ("logistic", "network"),
    views: NodeViews | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> NodeChannel:
    """Predict the class of each node from public data alone: the graph, and labels that are known anyway.

    Labels walk over the graph so that no training node sees its own; leading eigenvectors, degrees and triangles are
    put beside them. Heads are stacked on these features out of fold, averaged, and calibrated by one temperature.

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
    chosen = [_head(name) for name in heads]
    if not chosen:
        raise ValueError("at least one head is needed: logistic, network")
    views = NodeViews() if views is None else views
    known = _Known.of(graph, labels)
    learnt, held = known.parts(train, validation, seed)
    steps = Steps(2 + len(views.walks) + len(heads) * (1 + views.stacks), progress)
    with one_thread():
        features = known.features(learnt, views, seed, Local(threads=threads), steps)
        folds = folds_of(len(learnt), views.stacks, seed + 1)
        stack = Stack(features, known.labels.places, learnt, held, folds, len(known.labels.classes))
        predicted = stack.probabilities(chosen, seed, steps.step)
        temperature = best_temperature(predicted[held], known.labels.places[held])
    return NodeChannel(known.graph.ids, known.labels.classes, at_temperature(predicted, temperature), temperature)


@dataclass(frozen=True, eq=False)
class _Known(LabelledGraph):
    """What the structure makes of the labels of a graph."""

    def parts(
        self, train: Iterable[object] | None, validation: Iterable[object] | None, seed: int
    ) -> tuple[Rows, Rows]:
        """Return training and validation rows in the order of their ids, or say what is wrong with them."""
        held = None if validation is None else by_id(self.graph, self.rows(validation))
        learnt = by_id(self.graph, self.rows(train))
        if train is None and held is not None:
            learnt = learnt[~np.isin(learnt, held)]
        if held is None:
            drawn = np.random.default_rng([seed, 13]).permutation(len(learnt))[: int(_VALIDATION * len(learnt))]
            held, learnt = learnt[np.sort(drawn)], np.delete(learnt, drawn)
        if len(np.intersect1d(learnt, held)):
            raise ValueError("training and validation nodes must be disjoint")
        self._check(learnt, "training")
        self._check(held, "validation")
        if len(np.unique(self.labels.places[learnt])) < 2:
            raise ValueError("the training nodes must be of at least two classes")
        return learnt, held

    def features(self, train: Rows, views: NodeViews, seed: int, place: Local, steps: Steps) -> Features:
        """Return everything that is looked at, standardised."""
        folds = folds_of(len(train), views.folds, seed)
        seeds = Seeds(train, self.labels.places[train], folds, len(self.labels.classes), views.folds)
        parts = [steps.done(degree_features(self.graph))]
        parts.append(steps.done(spectral_features(leading(self.graph, views.vectors, seed)[1])))
        for alpha, r in views.walks:
            parts.append(steps.done(walk_features(self.graph, seeds, alpha=alpha, r=r, place=place)))
        return standardise(np.hstack(parts))

    def _check(self, rows: Rows, what: str) -> None:
        if len(rows) == 0:
            raise ValueError(f"{what} nodes are needed")
        if len(np.unique(rows)) < len(rows):
            raise ValueError(f"{what} nodes must be named once each")
        unlabelled = int((self.labels.places[rows] < 0).sum())
        if unlabelled:
            raise ValueError(f"{unlabelled} of {len(rows)} {what} nodes have no label")


def _head(name: str) -> Head:
    for known, head in _HEADS.items():
        if name == known:
            return head
    raise ValueError(f"heads must be among {', '.join(_HEADS)}, got {name!r}")
