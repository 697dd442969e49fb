"""One repeat of one cell: perturb, propagate, train, evaluate. Everything is drawn from the repeat's number."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._machine import peak_bytes
from privge._typing import Floats
from privge.campaign import Campaign
from privge.datasets import Dataset
from privge.embedding import embed
from privge.experiments.cell import Cell
from privge.experiments.method import LABEL_PROPAGATION, PPR_SCORE
from privge.experiments.no_privacy import no_privacy_vectors
from privge.experiments.plan import CellSettings
from privge.graph import Graph
from privge.mechanisms import NoPrivacy
from privge.propagation import Local, Matrix, Walk
from privge.tasks import (
    LinkPredictor,
    NodeClassifier,
    NodeSplit,
    accuracy,
    auc,
    average_precision,
    best_label_propagation,
    best_ppr_scores,
    macro_f1,
    split_edges,
    split_nodes,
)

_T = TypeVar("_T")

FIRST_SPLIT = 100
"""Split of repeat 0. Hyper-parameters were chosen on the validation part of splits 0 to 2."""


@dataclass(slots=True)
class Timer:
    """Seconds of each step."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, step: str, work: Callable[[], _T]) -> _T:
        """Do the work and add its time to the step."""
        start = time.perf_counter()
        result = work()
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start
        return result


@dataclass(frozen=True, eq=False)
class _Repeat:
    """One repeat of a cell, and what it is run with."""

    cell: Cell
    number: int
    settings: CellSettings
    dataset: Dataset
    threads: int
    timer: Timer = field(default_factory=Timer)

    @property
    def split(self) -> int:
        return FIRST_SPLIT + self.number

    def scores(self) -> dict[str, float]:
        return self._nodes() if self.cell.task == "nodes" else self._links()

    def _nodes(self) -> dict[str, float]:
        labels = self.dataset.labels
        split = split_nodes(labels, seed=self.split)
        predicted = self._graph_alone(split) if self.cell.method == LABEL_PROPAGATION else self._classified(split)
        return {
            "accuracy": accuracy(labels[split.test], predicted[split.test]),
            "macro_f1": macro_f1(labels[split.test], predicted[split.test]),
            "validation": accuracy(labels[split.validation], predicted[split.validation]),
        }

    def _graph_alone(self, split: NodeSplit) -> NDArray[np.integer]:
        graph, labels = self.dataset.graph, self.dataset.labels
        return self.timer("train", lambda: best_label_propagation(graph, labels, split, threads=self.threads))

    def _classified(self, split: NodeSplit) -> NDArray[np.integer]:
        """Return the classes of the validation and test nodes, and -1 for the others."""
        labels, matrix = self.dataset.labels, self._vectors(self.dataset.graph)
        head = NodeClassifier(seed=self.number, threads=self.threads, **self.settings.head)
        self.timer("train", lambda: head.fit(matrix, labels, train=split.train, validation=split.validation))
        predicted = np.full(len(labels), -1)
        for rows in (split.validation, split.test):
            predicted[rows] = self.timer("evaluate", partial(head.predict, matrix[rows]))
        return predicted

    def _links(self) -> dict[str, float]:
        split = self.timer("split", lambda: split_edges(self.dataset.graph, seed=self.split))
        if self.cell.method == PPR_SCORE:
            return _ranking(*self.timer("evaluate", lambda: best_ppr_scores(split, threads=self.threads)))
        matrix = self._vectors(split.train_graph)
        head = LinkPredictor(seed=self.number, threads=self.threads, **self.settings.head)
        validation = (split.validation, split.validation_negatives)
        self.timer("train", lambda: head.fit(matrix, split.train_graph, split.train, validation=validation))
        scores = [
            self.timer("evaluate", partial(head.decision_function, matrix, pairs))
            for pairs in (split.test, split.test_negatives, *validation)
        ]
        return {**_ranking(*scores[:2]), "validation": auc(*scores[2:])}

    def _vectors(self, graph: Graph) -> Matrix:
        """Perturb everybody's features and propagate them over a graph."""
        settings, features, campaign, ids = self.settings, self._features(), self._campaign(), graph.ids.tolist()
        walk, on = Walk(settings.alpha, settings.r, settings.tolerance), Local(threads=self.threads)
        if self.cell.method is NoPrivacy:
            return self.timer("propagate", lambda: no_privacy_vectors(graph, features, campaign, walk, on))
        seed = noise_seed(self.cell, self.number)
        reports = self.timer("perturb", lambda: campaign.simulate(features, ids=ids, seed=seed))
        # Unbiased mechanisms send numbers in the thousands at small epsilon; an error counts in proportion to them.
        largest = float(np.abs(campaign.sampled.decode(np.arange(campaign.law.outputs, dtype=np.uint16))).max())
        walk = replace(walk, tolerance=walk.tolerance * max(1.0, largest / 2))
        return self.timer("propagate", lambda: embed(graph, reports, **asdict(walk), on=on)).matrix

    def _features(self) -> scipy.sparse.csr_array:
        """Return the row of each person, or, as a control, of somebody that only the repeat decides."""
        features = self.dataset.features
        return features if self.cell.features == "own" else features[shuffle(features.shape[0], self.split)]

    def _campaign(self) -> Campaign:
        return Campaign(
            dimensions=self.dataset.features.shape[1],
            low=self.dataset.low,
            high=self.dataset.high,
            mechanism=self.cell.method.name,
            epsilon=self.cell.epsilon,
            k=self.cell.k,
            purpose=f"simulation on public data, repeat {self.number}",  # another campaign draws other k features
        )


def run_cell(cell: Cell, repeat: int, settings: CellSettings, dataset: Dataset, threads: int) -> dict[str, Any]:
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
        **{name: round(100 * value, 4) for name, value in scores.items()},
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


def _ranking(joined: Floats, apart: Floats) -> dict[str, float]:
    return {"auc": auc(joined, apart), "average_precision": average_precision(joined, apart)}
