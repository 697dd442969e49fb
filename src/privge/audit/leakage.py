"""What is published says more than the reports did: attribute inference from an embedding, beside its baselines.

Epsilon bounds what a report adds. It does not cover what a graph and friends say anyway: somebody whose friends are
alike can be guessed from them, whether they reported or not. So what an attacker infers from an embedding stands beside
what they infer without it, on the same people.

*Attackers.* Each knows the attribute of some people. *Majority* guesses the commonest value; *graph* has the graph and
the known people's attributes, neighbours among them (`privge.structure.nodes.node_channel`); *embedding* has the
published vectors alone; *both* weighs the two by what they are worth for validation people. Accuracy is of people whose
attribute nobody gave, over splits at random; differences are paired by split.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats, Progress
from privge.embedding.embedding import Embedding
from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import rows_of
from privge.graph.labels import Labels, LabelsById, by_id
from privge.structure.heads import Examples, Logistic
from privge.structure.nodes import node_channel
from privge.tasks.logit import ConditionalLogit
from privge.tasks.splits import NodeSplit, split_nodes

SPLITS = 5
_LEAST = 20  # people with a known attribute


@dataclass(frozen=True, slots=True)
class Leakage:
    """How often each attacker is right, in percent: means over splits.

    Parameters
    ----------
    people, classes, splits
        How many people have a known attribute, of how many values, and how many times they were divided.
    epsilon
        What a report of the embedding cost.
    majority, embedding
        Accuracy of the guess of the commonest value, and of whoever has the embedding alone.
    graph, both
        Accuracy of whoever has the graph, and of whoever has both; None if no graph was given.
    lift, error
        What the embedding adds to the graph (to the guess, without a graph), with its standard error over splits.
    """

    people: int
    classes: int
    splits: int
    epsilon: float | None
    majority: float
    embedding: float
    graph: float | None
    both: float | None
    lift: float
    error: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def words(self) -> Iterator[str]:
        """Say it in words."""
        yield f"attribute inference: {self.people:,} people, {self.classes} values, {self.splits} splits, accuracy"
        yield f"  the commonest value                    {self.majority:5.1f} %"
        if self.graph is not None:
            yield f"  graph and known people's attributes    {self.graph:5.1f} %"
        yield f"  the published embedding                {self.embedding:5.1f} %"
        if self.both is not None:
            yield f"  graph and embedding                    {self.both:5.1f} %"
        beside = "the guess" if self.graph is None else "the graph"
        chance = "" if abs(self.lift) > 2 * self.error else ", which may be chance"
        yield f"  the embedding adds {self.lift:+.1f} ± {self.error:.1f} points to {beside}{chance}"


class _Right(NamedTuple):
    """The share of test people that each attacker guesses."""

    majority: float
    embedding: float
    graph: float
    both: float


def leakage(
    embedding: Embedding,
    attribute: LabelsById,
    graph: Graph | None = None,
    *,
    splits: int = SPLITS,
    progress: Progress | None = None,
) -> Leakage:
    """Infer an attribute from what is published, and from the graph alone.

    People without a vector are left out.

    Parameters
    ----------
    embedding
        What is published.
    attribute
        The value of some people, by id.
    graph
        What an attacker has anyway; without it the guess of the commonest value is the only baseline.
    splits
        How many times people are divided at random.
    progress
        Called with the number of splits that are done.
    """
    people = _People.of(embedding, attribute)
    found = []
    for seed in range(splits):
        found.append(people.attacked(graph, seed))
        if progress is not None:
            progress(seed + 1, splits)
    right = _Right(*(100 * np.array(found).T))
    difference = np.asarray(right.embedding - right.majority if graph is None else right.both - right.graph)
    means = _Right(*(float(np.mean(each)) for each in right))
    return Leakage(
        len(people.ids),
        len(people.labels.classes),
        splits,
        embedding.epsilon,
        means.majority,
        means.embedding,
        None if graph is None else means.graph,
        None if graph is None else means.both,
        float(difference.mean()),
        float(difference.std(ddof=1) / np.sqrt(splits)) if splits > 1 else 0.0,
    )


@dataclass(frozen=True, eq=False)
class _People:
    """People with a vector and a known attribute."""

    ids: NDArray[Any]
    labels: Labels
    vectors: NDArray[np.float32]

    @classmethod
    def of(cls, embedding: Embedding, attribute: LabelsById) -> "_People":
        ids, labels = by_id(attribute)
        there = np.array([node in embedding for node in ids.tolist()], dtype=np.bool_) & (labels.places >= 0)
        if int(there.sum()) < _LEAST or len(np.unique(labels.places[there])) < 2:
            raise BadData(f"at least {_LEAST} people with a vector need an attribute, of at least two values")
        kept = Labels.of(labels.classes[labels.places[there]].tolist())
        rows = rows_of(embedding, ids[there], "people with an attribute")
        vectors = np.asarray(embedding.to_numpy()[rows], dtype=np.float32)
        scale = vectors.std(axis=0)
        return cls(ids[there], kept, (vectors - vectors.mean(axis=0)) / np.where(scale > 0, scale, 1))

    def attacked(self, graph: Graph | None, seed: int) -> _Right:
        """Return how often each attacker is right in one split."""
        split, truth = split_nodes(self.labels.places, seed=seed), self.labels.places
        test = split.test
        commonest = np.bincount(truth[split.train]).argmax()
        vectors = self._by_vectors(split, seed)
        graph_alone = both = np.full(vectors.shape, np.nan)
        if graph is not None:
            graph_alone = self._by_graph(graph, split, seed)
            said = [graph_alone, vectors]
            weighed = ConditionalLogit.fit([each[split.validation] for each in said], truth[split.validation])
            both = sum(w * each for w, each in zip(weighed.weights, said, strict=True)) + weighed.intercepts
        right = (float((each[test].argmax(axis=1) == truth[test]).mean()) for each in (vectors, graph_alone, both))
        return _Right(float((truth[test] == commonest).mean()), *right)

    def _by_vectors(self, split: NodeSplit, seed: int) -> Floats:
        """Return the log-probability of each value by logistic regression on the vectors."""
        train, validation = (
            Examples(self.vectors[rows], self.labels.places[rows]) for rows in (split.train, split.validation)
        )
        fitted = Logistic().fit(train, validation, len(self.labels.classes), seed)
        return np.asarray(np.log(np.maximum(fitted.probabilities(self.vectors), 1e-5)))

    def _by_graph(self, graph: Graph, split: NodeSplit, seed: int) -> Floats:
        """Return the log-probability of each value by graph and known people's attributes."""
        known = dict(zip(self.ids.tolist(), self.labels.classes[self.labels.places].tolist(), strict=True))
        train, validation = (self.ids[rows].tolist() for rows in (split.train, split.validation))
        channel = node_channel(graph, known, train=train, validation=validation, heads=("logistic",), seed=seed)
        rows = rows_of(graph, self.ids, "people with an attribute")
        columns = np.searchsorted(channel.classes, self.labels.classes)
        return np.asarray(channel.log[np.ix_(rows, columns)])
