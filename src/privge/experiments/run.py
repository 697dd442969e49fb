"""One repeat of one cell: perturb, propagate, train, evaluate. Everything is drawn from the repeat's number."""

import hashlib
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privge._machine import peak_bytes
from privge._typing import Floats
from privge.campaign import Campaign
from privge.datasets import Dataset
from privge.embedding import embed
from privge.experiments.cell import Cell
from privge.experiments.collected import Collected, noise_of
from privge.experiments.method import LABEL_PROPAGATION, PPR_SCORE, REPORTS, STRUCTURE_CHANNEL
from privge.experiments.no_privacy import no_privacy_vectors
from privge.experiments.plan import STEADY_HEAD, CellSettings
from privge.experiments.sources import Data
from privge.experiments.spread import percent
from privge.experiments.surveyed import Surveyed
from privge.experiments.timer import Timer
from privge.graph import Graph
from privge.mechanisms import NoPrivacy
from privge.propagation import Local, Matrix
from privge.recommendation import Signals
from privge.reports import Reports
from privge.structure import node_channel, pair_channel
from privge.tasks import (
    EdgeSplit,
    LinkPredictor,
    NodeClassifier,
    NodeSplit,
    SteadyClassifier,
    accuracy,
    auc,
    average_precision,
    best_label_propagation,
    best_ppr_scores,
    largest_class,
    macro_f1,
    split_edges,
    split_nodes,
)
from privge.tasks.friends import auc_by_friends, shares_by_friends
from privge.tasks.predictions import NodePredictions

FIRST_SPLIT = 100
"""Split of repeat 0. Hyper-parameters were chosen on the validation part of splits 0 to 2."""


class Scores(NamedTuple):
    """What a repeat came to, as shares: by metric, and its first metric by number of friends."""

    scores: dict[str, float]
    friends: dict[str, float | None]


@dataclass(frozen=True, eq=False)
class _Repeat:
    """One repeat of a cell, and what it is run with."""

    cell: Cell
    number: int
    settings: CellSettings
    dataset: Data
    threads: int
    timer: Timer = field(default_factory=Timer)

    @property
    def split(self) -> int:
        return FIRST_SPLIT + self.number

    def scores(self) -> Scores:
        return self._nodes() if self.cell.task == "nodes" else self._links()

    def _nodes(self) -> Scores:
        labels = self.dataset.labels
        split = split_nodes(labels, seed=self.split)
        predicted = self._predicted(split)
        test = labels[split.test]
        scores = {
            "accuracy": accuracy(test, predicted[split.test]),
            "macro_f1": macro_f1(test, predicted[split.test]),
            "validation": accuracy(labels[split.validation], predicted[split.validation]),
            "majority": accuracy(test, np.full(len(test), largest_class(labels[split.train]))),
        }
        right = predicted[split.test] == test
        return Scores(scores, shares_by_friends(self.dataset.graph.degrees[split.test], right))

    def _predicted(self, split: NodeSplit) -> NDArray[np.integer]:
        """Return the class of each node by the cell's method; -1 where it says nothing."""
        if self.cell.method == LABEL_PROPAGATION:
            return self._graph_alone(split)
        return self._structure(split) if self.cell.method == STRUCTURE_CHANNEL else self._classified(split)

    def _structure(self, split: NodeSplit) -> NDArray[np.integer]:
        graph, labels, threads = self.dataset.graph, self.dataset.labels, self.threads
        channel = self.timer(
            "train",
            lambda: node_channel(
                graph, labels, train=split.train, validation=split.validation, seed=self.number, threads=threads
            ),
        )
        return channel.predict()

    def _graph_alone(self, split: NodeSplit) -> NDArray[np.integer]:
        graph, labels = self.dataset.graph, self.dataset.labels
        return self.timer("train", lambda: best_label_propagation(graph, labels, split, threads=self.threads))

    def _classified(self, split: NodeSplit) -> NDArray[np.integer]:
        """Return the classes of the validation and test nodes, and -1 for the others."""
        labels, matrix = self.dataset.labels, self._vectors(self.dataset.graph)
        head = self._head(matrix, split)
        predicted = np.full(len(labels), -1)
        for rows in (split.validation, split.test):
            predicted[rows] = self.timer("evaluate", partial(head.predict, matrix[rows]))
        return predicted

    def _head(self, matrix: Matrix, split: NodeSplit) -> NodePredictions:
        """Learn from training nodes; validation nodes choose the epoch of the paper's head, the other needs none."""
        labels = self.dataset.labels
        if self.settings.head == STEADY_HEAD:
            steady = SteadyClassifier(seed=self.number)
            return self.timer("train", lambda: steady.fit(matrix, labels, train=split.train))
        head = NodeClassifier(seed=self.number, threads=self.threads, **self.settings.head)
        return self.timer("train", lambda: head.fit(matrix, labels, train=split.train, validation=split.validation))

    def _links(self) -> Scores:
        split = self.timer("split", lambda: split_edges(self.dataset.graph, seed=self.split))
        if self.cell.method == PPR_SCORE:
            return _ranking(split, *self.timer("evaluate", lambda: best_ppr_scores(split, threads=self.threads)))
        if self.cell.method == STRUCTURE_CHANNEL:
            return _ranking(split, *self.timer("train", partial(self._structure_of_pairs, split)))
        matrix = self._vectors(split.train_graph)
        head = LinkPredictor(seed=self.number, threads=self.threads, **self.settings.head)
        validation = (split.validation, split.validation_negatives)
        self.timer("train", lambda: head.fit(matrix, split.train_graph, split.train, validation=validation))
        scores = [
            self.timer("evaluate", partial(head.decision_function, matrix, pairs))
            for pairs in (split.test, split.test_negatives, *validation)
        ]
        return _ranking(split, *scores[:2], validation=auc(*scores[2:]))

    def _structure_of_pairs(self, split: EdgeSplit) -> tuple[Floats, Floats]:
        chosen = (split.validation, split.validation_negatives)
        channel = pair_channel(split.train_graph, *chosen, seed=self.number, threads=self.threads)
        return channel.scores(split.test), channel.scores(split.test_negatives)

    def _vectors(self, graph: Graph) -> Matrix:
        """Propagate reports over a graph: those of everybody, simulated, or those that were collected."""
        walk, on = self.settings.walk, Local(threads=self.threads)
        if isinstance(self.dataset, Collected):
            reports = self.timer("perturb", partial(self._collected, self.dataset))
        elif isinstance(self.dataset, Surveyed):
            if self.cell.method is NoPrivacy:
                return self.timer("propagate", partial(self._true, self.dataset, graph))
            reports = self.timer("perturb", partial(self._surveyed, self.dataset))
        elif self.cell.method is NoPrivacy:
            features, campaign = self.dataset.features, self._campaign(self.dataset)
            return self.timer("propagate", lambda: no_privacy_vectors(graph, features, campaign, walk, on))
        else:
            reports = self.timer("perturb", partial(self._simulated, self.dataset, graph.ids.tolist()))
        # Unbiased mechanisms send numbers in the thousands at small epsilon; an error counts in proportion to them.
        walk = replace(walk, tolerance=walk.tolerance * max(1.0, _largest(reports) / 2))
        if isinstance(self.dataset, Collected) and self.cell.features == "shuffled":
            others = Signals.of_reports(graph, reports, walk).shuffled(self.split)  # whoever reported has another's
            return self.timer("propagate", lambda: others.on(graph, threads=self.threads))
        return self.timer("propagate", lambda: embed(graph, reports, **asdict(walk), on=on)).matrix

    def _collected(self, data: Collected) -> Reports:
        """Return the reports of the collection, or for a control noise of their shape."""
        if self.cell.method == REPORTS:
            return data.reports
        return data.noise(noise_seed(self.cell, self.number), f"simulation of noise, repeat {self.number}")

    def _surveyed(self, data: Surveyed) -> Reports:
        """Let everybody answer the campaign; or, as controls, with the values of somebody else, or with noise."""
        seed, k = noise_seed(self.cell, self.number), self.cell.k or data.campaign.k
        if self.cell.epsilon is None:
            return noise_of(data.people.ids, data.columns, k, seed, f"simulation of noise, repeat {self.number}")
        own = self.cell.features == "own"
        campaign = data.at(self.cell.epsilon, k, f"simulation of a campaign, repeat {self.number}")
        return data.simulated(campaign, seed, None if own else shuffle(len(data.people.ids), self.split))

    def _true(self, data: Surveyed, graph: Graph) -> Matrix:
        rows = Signals.of_rows(graph, data.people.ids, data.truth(), self.settings.walk)
        return rows.on(graph, threads=self.threads)

    def _simulated(self, data: Dataset, ids: list[str] | list[int]) -> Reports:
        """Perturb the row of each person, or, as a control, of somebody that only the repeat decides."""
        own = self.cell.features == "own"
        features = data.features if own else data.features[shuffle(data.features.shape[0], self.split)]
        return self._campaign(data).simulate(features, ids=ids, seed=noise_seed(self.cell, self.number))

    def _campaign(self, data: Dataset) -> Campaign:
        return Campaign(
            dimensions=data.features.shape[1],
            low=data.low,
            high=data.high,
            mechanism=self.cell.method.name,
            epsilon=self.cell.epsilon,
            k=self.cell.k,
            purpose=f"simulation on public data, repeat {self.number}",  # another campaign draws other k features
        )


def _largest(reports: Reports) -> float:
    """Return the largest number that a report can hold; of questions, the largest that one does."""
    campaign = reports.campaign
    if campaign.questions is not None:
        return float(np.abs(reports.decode().data).max(initial=0.0))
    return float(np.abs(campaign.sampled.decode(np.arange(campaign.law.outputs, dtype=np.uint16))).max())


def run_cell(cell: Cell, repeat: int, settings: CellSettings, dataset: Data, threads: int) -> dict[str, Any]:
    """Return the record of one repeat.

    The split, the initial weights and the batches depend on the repeat alone, so that cells can be compared in
    pairs; the noise depends on the cell too. Simulated noise is seeded and NOT PRIVATE: the data are public.
    """
    one = _Repeat(cell, repeat, settings, dataset, threads)
    scores = one.scores()
    return {
        **cell.identity(),
        "repeat": repeat,
        "split": one.split,
        "seed": noise_seed(cell, repeat),
        **{name: percent(value) for name, value in scores.scores.items()},
        "friends": {name: percent(value) for name, value in scores.friends.items()},
        "settings": settings.to_dict(),
        "threads": threads,
        "seconds": {step: round(seconds, 3) for step, seconds in one.timer.seconds.items()},
        "peak_bytes": peak_bytes(),
        "versions": {name: version(name) for name in ("privge", "numpy", "scipy", "numba", "torch", "scikit-learn")},
    }


def noise_seed(cell: Cell, repeat: int) -> int:
    """Return a seed of its own for each cell and repeat, so that adding a cell never shifts another.

    Shuffled features have the seed of the cell that they are a control of: both differ in the features alone.
    """
    epsilon = None if cell.epsilon is None else f"{cell.epsilon:g}"
    name = f"{cell.task} {cell.dataset} {cell.method.name} {epsilon} {cell.k} {repeat}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def shuffle(people: int, split: int) -> NDArray[np.int64]:
    """Return whose features each person has in the control of shuffled features."""
    return np.random.default_rng([split, 13]).permutation(people)


def _ranking(split: EdgeSplit, joined: Floats, apart: Floats, **more: float) -> Scores:
    scores = {"auc": auc(joined, apart), "average_precision": average_precision(joined, apart), **more}
    sides = (split.test, split.test_negatives)
    return Scores(scores, auc_by_friends(split.train_graph.degrees, sides, (joined, apart)))
