"""Edges, features and labels that name their nodes, joined by these names; what does not meet is counted and said."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.datasets.contents import NamedContents
from privge.datasets.unit import check_kinds, unit_features, unit_names
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import places_in
from privge.graph.labels import Labels
from privge.ids import Ids, as_ids, as_texts
from privge.perturbation.answers import AnswerTally
from privge.perturbation.bounds import assumed, check_features
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures
from privge.questions import Encoding
from privge.questions.people import People

logger = logging.getLogger(__name__)

KnownLabels: TypeAlias = tuple[Ids, NDArray[np.object_]]
"""Ids and their classes."""

MISSING: Final = ("midpoint", "low", "high")
"""What a missing number can count as."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is public about the features and classes of a dataset.

    Parameters
    ----------
    encoding
        The kind of each column; None if all are numbers alike.
    low, high
        Public bounds of all numbers; None where nobody stated one: then it is 0 or 1, and no value may lie beyond.
    missing
        What a missing number counts as, one of `MISSING`. Features with an encoding have a rule of their own.
    classes
        Names of the classes in the order that labels shall have; None if they are to be sorted.
    how
        How bounds are stated, for messages.
    """

    encoding: Encoding | None = None
    low: float | None = None
    high: float | None = None
    missing: str = "midpoint"
    classes: tuple[str, ...] | None = None
    how: str = "low= and high= for all columns, or encoding= with the kind of each"

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise BadData(f"missing must be one of {', '.join(MISSING)}, got {self.missing!r}")
        if self.encoding is not None:
            check_kinds(self.encoding)
            if self.low is not None or self.high is not None:
                raise BadData("features that state their kinds state their own bounds: leave out low and high")
        low, high = self.bounds
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise BadData(f"low must be below high, and both finite; got {low!r} and {high!r}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of every column that the paper's pipeline sees."""
        return 0.0 if self.low is None else float(self.low), 1.0 if self.high is None else float(self.high)


@dataclass(frozen=True, eq=False, slots=True)
class NamedParts:
    """What files or tables hold, each with names of its own.

    Parameters
    ----------
    complete
        Whether somebody stated all nodes; if not, whoever has features is a node, too.
    labels
        Ids and classes; None if nobody has a label.
    """

    graph: Graph
    complete: bool
    features: Features | RawFeatures
    labels: KnownLabels | None


def join(parts: NamedParts, rules: Rules) -> NamedContents:
    """Bring everything to the order of the graph.

    Nodes stand in the order in which somebody stated them, or else are sorted: results do not depend on the order of
    lines in a file.
    """
    graph = graph_of(parts)
    labels, classes = labels_on(graph, parts.labels, rules.classes)
    order = _order(graph, parts.features.ids)
    if isinstance(parts.features, RawFeatures):
        if rules.encoding is None:
            raise BadData("a table of several kinds needs an encoding")
        people = _people(parts.features.matrix, order)
        matrix, misfits = unit_features(rules.encoding, people)
        tally = AnswerTally.empty()
        tally.add(misfits, people.rows)
        for sentence in tally.sentences():
            logger.warning(sentence)
        names = unit_names(rules.encoding)
        return NamedContents(graph, scipy.sparse.csr_array(matrix), labels, classes, names, people, rules.encoding)
    check_features(parts.features, assumed(rules.low, rules.high), rules.how)
    return NamedContents(graph, _numbers(parts.features, order, rules), labels, classes, parts.features.names)


def graph_of(parts: NamedParts) -> Graph:
    """Return the graph; if nobody stated all nodes, whoever has features is one, too."""
    return parts.graph if parts.complete else _with_people(parts.graph, parts.features.ids)


def _with_people(graph: Graph, ids: Ids) -> Graph:
    """Return the graph with these as further nodes, all of them sorted."""
    alike = (graph.ids.dtype == np.object_) == (ids.dtype == np.object_)
    named = graph.ids if alike else as_texts(graph.ids)
    strangers = ids[places_in(graph, ids) < 0]
    if len(strangers):
        who = "1 person has" if len(strangers) == 1 else f"{len(strangers):,} people have"
        logger.info("%s features and no edge: nodes without friends", who)
    every = np.concatenate([named, strangers if alike else as_texts(strangers)])
    order = np.argsort(every, kind="stable")
    adjacency = graph.to_scipy()
    adjacency.resize((len(every), len(every)))
    sorted_matrix = scipy.sparse.csr_array(adjacency)[order][:, order]
    return Graph.from_scipy(sorted_matrix, ids=as_ids(every[order]).tolist(), weighted=graph.weighted)


def _order(graph: Graph, ids: Ids) -> NDArray[np.int64]:
    """Return which row of the features each node has, -1 for none; and say who was left out or has none."""
    places = places_in(graph, ids)
    strangers, order = int((places < 0).sum()), np.full(graph.nodes, -1, dtype=np.int64)
    if strangers == len(places):
        raise BadData(
            f"none of the {len(places):,} ids with features is a node; see whether ids are written alike: 007 is not 7"
        )
    order[places[places >= 0]] = np.flatnonzero(places >= 0)
    if strangers:
        logger.warning("left out the features of %s ids that are not nodes", f"{strangers:,}")
    without = int((order < 0).sum())
    if without:
        logger.warning(
            "%s of %s nodes have no features: all of theirs count as missing", f"{without:,}", f"{graph.nodes:,}"
        )
    return order


def labels_on(
    graph: Graph, given: KnownLabels | None, wanted: Sequence[str] | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return a place among the classes for each node, -1 where it is unknown, and the classes.

    Parameters
    ----------
    graph
        Whose nodes.
    given
        Ids and classes; those of strangers are left out, which is said.
    wanted
        The classes in the order that they shall have; by default sorted.
    """
    labels = np.full(graph.nodes, -1, dtype=np.int64)
    if given is None:
        return labels, tuple(wanted or ())
    found, places = Labels.of(given[1]), places_in(graph, given[0])
    strangers = int((places < 0).sum())
    if strangers:
        logger.warning("left out the labels of %s ids that are not nodes", f"{strangers:,}")
    names = tuple(map(str, found.classes.tolist()))
    if wanted is not None and not set(names) <= set(wanted):
        other = min(set(names) - set(wanted))
        raise BadData(f"a label is of the class {other!r}, which is not among the classes {', '.join(wanted)}")
    classes = tuple(wanted or names)
    numbers = np.array([*(classes.index(name) for name in names), -1], dtype=np.int64)  # the last is for no class
    labels[places[places >= 0]] = numbers[found.places[places >= 0]]
    return labels, classes


def _people(people: People, order: NDArray[np.int64]) -> People:
    """Return people in the order of nodes; whoever has no row has nothing but missing values."""
    if people.matrix is not None:
        raise BadData("features of several kinds need a table whose columns have names, not a matrix")
    taken, absent = people.take(np.maximum(order, 0)), order < 0
    if not absent.any():
        return taken
    columns = [column.astype(np.object_) for column in taken.columns]
    for column in columns:
        column[absent] = None
    return People(taken.rows, None, tuple(columns))


def _numbers(features: Features, order: NDArray[np.int64], rules: Rules) -> scipy.sparse.csr_array:
    """Return numbers in the order of nodes, with a stand-in for what is missing; and say how many that are."""
    low, high = rules.bounds
    stand_in = {"midpoint": (low + high) / 2, "low": low, "high": high}[rules.missing]
    matrix, absent = features.matrix[np.maximum(order, 0)], order < 0
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    missing = int(np.isnan(values).sum())
    if missing:
        logger.warning("%s values are missing, and count as %g", f"{missing:,}", stand_in)
    if isinstance(matrix, np.ndarray):
        filled: Floats = np.where(np.isnan(matrix) | absent[:, None], stand_in, matrix)
        return scipy.sparse.csr_array(_clipped(filled, low, high))
    if not low <= 0 <= high:
        raise BadData(f"what a sparse matrix does not store is 0, which must lie between {low:g} and {high:g}")
    sparse = scipy.sparse.csr_array(matrix)
    if missing:
        sparse.data = np.where(np.isnan(sparse.data), stand_in, sparse.data)
    if absent.any():
        filling = scipy.sparse.csr_array(np.where(absent, stand_in, 0.0)[:, None] * np.ones((1, sparse.shape[1])))
        sparse = scipy.sparse.csr_array(sparse.multiply((~absent)[:, None]) + filling)
    return sparse


def _clipped(matrix: Floats, low: float, high: float) -> Floats:
    beyond = int(((matrix < low) | (matrix > high)).sum())
    if beyond:
        logger.info("clipped %s of %s values at the public bounds", f"{beyond:,}", f"{matrix.size:,}")
    return np.clip(matrix, low, high)
