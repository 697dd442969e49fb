"""Search hyper-parameters on validation data only, from reports that were drawn once.

*Why tuning costs no budget.* Every trial is post-processing of the same reports: the search sees the graph, the
reports and the labels, and never the features. So the privacy loss of any number of trials is that of the one
collection, epsilon. What a report depends on (mechanism, epsilon, k) is fixed before the search begins; drawing anew
in each of T trials would cost T times epsilon.
"""

import logging
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Progress
from privge.campaign import Campaign
from privge.datasets import Dataset
from privge.embedding.join import feature_rows
from privge.experiments.no_privacy import no_privacy_vectors
from privge.experiments.plan import CellSettings
from privge.graph import Graph
from privge.mechanisms import NoPrivacy
from privge.propagation import Local, Matrix, Walk, propagate
from privge.reports import Reports
from privge.tasks import (
    LinkPredictor,
    NodeClassifier,
    accuracy,
    auc,
    best_label_propagation,
    best_ppr_scores,
    largest_class,
    split_edges,
    split_nodes,
)
from privge.tasks.settings import HEADS, Task

logger = logging.getLogger(__name__)

SPACE: dict[str, tuple[Any, ...]] = {
    "alpha": (0.02, 0.05, 0.1, 0.2),
    "r": (0.0, 0.1, 0.3, 0.5),
    "learning_rate": (0.001, 0.003, 0.01),
    "layers": (1, 2, 3),
    "hidden": (64, 128, 256),
    "dropout": (0.0, 0.1, 0.3, 0.5, 0.7),
    "weight_decay": (0.0, 5e-5, 5e-4, 5e-3),
    "scaling": ("rows", "columns", "global"),
}
"""What is searched. k is not here: it decides what a person sends."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best settings, their validation score in percent, and every trial."""

    settings: CellSettings
    score: float
    trials: list[dict[str, Any]]


def tune(
    graph: Graph,
    reports: Reports,
    task: Task,
    start: CellSettings,
    *,
    labels: NDArray[np.integer] | None = None,
    trials: int = 50,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Search with Optuna; the first trial is ``start``.

    Parameters
    ----------
    graph, reports
        What a curator has. The reports are decoded once and reused in every trial.
    task
        ``nodes`` (needs labels) or ``links``.
    start
        CellSettings to begin with.
    labels
        The class of each node, -1 where unknown. Only those of the training and validation split are read.
    trials
        How many settings to try.
    seed
        Of the split, the heads and the search.
    threads
        By default one for each processor.
    progress
        Called with the trials done and the trials in all.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    features = feature_rows(graph, reports)
    judge = _Judge(graph, task, labels, seed, threads)
    done: list[dict[str, Any]] = []

    given = {"alpha": start.alpha, "r": start.r, **HEADS[task]().get_params(), **start.head}
    space = {name: list(dict.fromkeys((*choices, given[name]))) for name, choices in SPACE.items()}

    def objective(trial: optuna.Trial) -> float:
        settings = _with(start, {name: trial.suggest_categorical(name, choices) for name, choices in space.items()})
        score = judge.score(features, settings)
        done.append({"settings": settings.to_dict(), "validation": round(100 * score, 4)})
        if progress is not None:
            progress(len(done), trials)
        return score

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial({name: given[name] for name in space})
    study.optimize(objective, n_trials=trials)
    return Tuned(_with(start, study.best_params), round(100 * study.best_value, 4), done)


@dataclass(frozen=True, slots=True)
class Nulls:
    """Reports that know nobody's features: noise, and those of the same mechanism and seed on shuffled features."""

    structure_only: Reports
    shuffled: Reports


def controls(
    dataset: Dataset, nulls: Nulls, task: Task, settings: CellSettings, *, seed: int = 0, threads: int | None = None
) -> dict[str, float]:
    """Return what a tuned score is compared with, in percent of the same validation part.

    This is not part of the search: ``no_privacy`` reads the true features (the law ``none``). The settings are those
    found for other reports, so that the comparison favours those.

    Parameters
    ----------
    dataset
        Graph, true features and labels.
    nulls
        Reports that know nobody's features, of the shape of the tuned ones.
    task, settings, seed, threads
        As of `tune`, and what it found.
    """
    judge = _Judge(dataset.graph, task, dataset.labels, seed, threads)
    scores = {
        "structure_only": judge.score(feature_rows(dataset.graph, nulls.structure_only), settings),
        "shuffled": judge.score(feature_rows(dataset.graph, nulls.shuffled), settings),
        "graph_alone": judge.graph_alone(),
        "no_privacy": judge.no_privacy(dataset, settings),
        **judge.majority(),
    }
    return {name: round(100 * score, 4) for name, score in scores.items()}


class _Judge:
    """Scores settings on the validation part of one split; the test part is never touched."""

    def __init__(
        self,
        graph: Graph,
        task: Task,
        labels: NDArray[np.integer] | None,
        seed: int,
        threads: int | None,
    ) -> None:
        self._seed, self._threads = seed, threads
        self._labels = labels
        if task == "nodes":
            if labels is None:
                raise ValueError("tuning for nodes needs labels")
            self._nodes = split_nodes(labels, seed=seed)
            self._graph = graph
        else:
            self._edges = split_edges(graph, seed=seed)
            self._graph = self._edges.train_graph
        self._task = task

    def score(self, features: scipy.sparse.csr_array, settings: CellSettings) -> float:
        walk, on = Walk(settings.alpha, settings.r, settings.tolerance), Local(threads=self._threads)
        return self._score(propagate(self._graph, features, **asdict(walk), on=on)[0], settings)

    def no_privacy(self, dataset: Dataset, settings: CellSettings) -> float:
        campaign = Campaign(
            dimensions=dataset.features.shape[1], low=dataset.low, high=dataset.high, mechanism=NoPrivacy.name
        )
        walk, on = Walk(settings.alpha, settings.r, settings.tolerance), Local(threads=self._threads)
        return self._score(no_privacy_vectors(self._graph, dataset.features, campaign, walk, on), settings)

    def _score(self, matrix: Matrix, settings: CellSettings) -> float:
        if self._task == "nodes":
            labels, split = self._labels, self._nodes
            assert labels is not None  # noqa: S101 (checked at construction)
            head = NodeClassifier(seed=self._seed, threads=self._threads, **settings.head)
            head.fit(matrix, labels, train=split.train, validation=split.validation)
            return accuracy(labels[split.validation], head.predict(matrix[split.validation]))
        pairs = self._edges
        predictor = LinkPredictor(seed=self._seed, threads=self._threads, **settings.head)
        predictor.fit(matrix, self._graph, pairs.train, validation=(pairs.validation, pairs.validation_negatives))
        return predictor.score(matrix, pairs.validation, pairs.validation_negatives)

    def graph_alone(self) -> float:
        if self._task == "links":
            return auc(*best_ppr_scores(self._edges, part="validation", threads=self._threads))
        labels, rows = self._labels, self._nodes.validation
        assert labels is not None  # noqa: S101 (checked at construction)
        predicted = best_label_propagation(self._graph, labels, self._nodes, threads=self._threads)
        return accuracy(labels[rows], predicted[rows])

    def majority(self) -> dict[str, float]:
        """Return the share of the largest class, by name; pairs have none."""
        if self._task == "links":
            return {}
        labels, split = self._labels, self._nodes
        assert labels is not None  # noqa: S101 (checked at construction)
        largest = np.full(len(split.validation), largest_class(labels[split.train]))
        return {"largest_class": accuracy(labels[split.validation], largest)}


def _with(settings: CellSettings, values: dict[str, Any]) -> CellSettings:
    head = {name: value for name, value in values.items() if name not in ("alpha", "r")}
    return replace(settings, alpha=values["alpha"], r=values["r"], head={**settings.head, **head})
