"""One repeat of one cell: perturb, propagate, train, evaluate. Everything is drawn from the repeat's number."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from privge._machine import peak_bytes
from privge._typing import Floats
from privge.campaign import Campaign
from privge.datasets import Dataset
from privge.embedding import embed
from privge.experiments.plan import Cell, Settings
from privge.graph import Graph
from privge.propagation import Local, Matrix, propagate
from privge.tasks import (
    LinkPredictor,
    NodeClassifier,
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


def run_cell(cell: Cell, repeat: int, settings: Settings, dataset: Dataset, threads: int) -> dict[str, Any]:
    """Return the record of one repeat.

    The split, the initial weights and the batches depend on the repeat alone, so that cells can be compared in
    pairs; the noise depends on the cell too. Simulated noise is seeded and NOT PRIVATE: the data are public.
    """
    timer = Timer()
    work = _run_nodes if cell.task == "nodes" else _run_links
    scores = work(cell, repeat, settings, dataset, threads, timer)
    return {
        **asdict(cell),
        "repeat": repeat,
        "split": FIRST_SPLIT + repeat,
        "seed": _noise_seed(cell, repeat),
        **{name: round(100 * value, 4) for name, value in scores.items()},
        "settings": settings.to_dict(),
        "threads": threads,
        "seconds": {step: round(seconds, 3) for step, seconds in timer.seconds.items()},
        "peak_bytes": peak_bytes(),
        "versions": {name: version(name) for name in ("privge", "numpy", "scipy", "numba", "torch", "scikit-learn")},
    }


def vectors(
    cell: Cell, repeat: int, settings: Settings, dataset: Dataset, graph: Graph, threads: int, timer: Timer
) -> Matrix:
    """Perturb everybody's features and propagate them over a graph; ``none`` propagates the true features."""
    if cell.mechanism == "none":
        return timer(
            "propagate",
            lambda: propagate(
                graph,
                dataset.features,
                alpha=settings.alpha,
                r=settings.r,
                tolerance=settings.tolerance,
                on=Local(threads=threads),
            )[0],
        )
    campaign = Campaign(
        dimensions=dataset.features.shape[1],
        low=dataset.low,
        high=dataset.high,
        mechanism=cell.mechanism,
        epsilon=cell.epsilon,
        k=cell.k,
        purpose=f"simulation on public data, repeat {repeat}",  # a new campaign, so the k features are drawn anew
    )
    ids = graph.ids.tolist()
    reports = timer("perturb", lambda: campaign.simulate(dataset.features, ids=ids, seed=_noise_seed(cell, repeat)))
    # Unbiased mechanisms send numbers in the thousands at small epsilon; an error counts in proportion to them.
    largest = float(np.abs(campaign.sampled.decode(np.arange(campaign.law.outputs, dtype=np.uint16))).max())
    tolerance = settings.tolerance * max(1.0, largest / 2)
    embedding = timer(
        "propagate",
        lambda: embed(
            graph, reports, alpha=settings.alpha, r=settings.r, tolerance=tolerance, on=Local(threads=threads)
        ),
    )
    return embedding.matrix


def _run_nodes(
    cell: Cell, repeat: int, settings: Settings, dataset: Dataset, threads: int, timer: Timer
) -> dict[str, float]:
    graph, labels = dataset.graph, dataset.labels
    split = split_nodes(labels, seed=FIRST_SPLIT + repeat)
    if cell.mechanism == "label_propagation":
        predicted = timer("train", lambda: best_label_propagation(graph, labels, split, threads=threads))
    else:
        matrix = vectors(cell, repeat, settings, dataset, graph, threads, timer)
        classifier = NodeClassifier(seed=repeat, threads=threads, **settings.head)
        timer("train", lambda: classifier.fit(matrix, labels, train=split.train, validation=split.validation))
        predicted = np.full(len(labels), -1)
        for rows in (split.validation, split.test):
            predicted[rows] = timer("evaluate", lambda rows=rows: classifier.predict(matrix[rows]))  # type: ignore[misc]
    return {
        "accuracy": accuracy(labels[split.test], predicted[split.test]),
        "macro_f1": macro_f1(labels[split.test], predicted[split.test]),
        "validation": accuracy(labels[split.validation], predicted[split.validation]),
    }


def _run_links(
    cell: Cell, repeat: int, settings: Settings, dataset: Dataset, threads: int, timer: Timer
) -> dict[str, float]:
    split = timer("split", lambda: split_edges(dataset.graph, seed=FIRST_SPLIT + repeat))
    if cell.mechanism == "ppr_score":
        return _ranking(*timer("evaluate", lambda: best_ppr_scores(split, threads=threads)))
    matrix = vectors(cell, repeat, settings, dataset, split.train_graph, threads, timer)
    predictor = LinkPredictor(seed=repeat, threads=threads, **settings.head)
    validation = (split.validation, split.validation_negatives)
    timer("train", lambda: predictor.fit(matrix, split.train_graph, split.train, validation=validation))
    scores = [
        timer("evaluate", lambda pairs=pairs: predictor.decision_function(matrix, pairs))  # type: ignore[misc]
        for pairs in (split.test, split.test_negatives, *validation)
    ]
    return {**_ranking(*scores[:2]), "validation": auc(*scores[2:])}


def _ranking(joined: Floats, apart: Floats) -> dict[str, float]:
    return {"auc": auc(joined, apart), "average_precision": average_precision(joined, apart)}


def _noise_seed(cell: Cell, repeat: int) -> int:
    """Return a seed of its own for each cell and repeat, so that adding a cell never shifts another."""
    epsilon = None if cell.epsilon is None else f"{cell.epsilon:g}"
    name = f"{cell.task} {cell.dataset} {cell.mechanism} {epsilon} {cell.k} {repeat}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")
