"""Do the default heads hold on graphs that nobody tuned them for?

Ten random graphs of different difficulty: homophily from 0 to 0.9 (the share of edges that join two nodes of one
class), 2 to 20 classes, the largest of which has up to 95 % of the nodes, features from useless to good. A tenth to a
fifth of the nodes are labelled; all contenders learn and choose by the same labels alone, and are judged by all other
nodes:

* the largest class; logistic regression (strength by 5-fold cross-validation, standardised columns); label propagation
  (alpha and r by 5-fold cross-validation, then all labels walk);
* the default: `privge.tasks.classify` with vectors and graph;
* besides: the default without the graph, the structure channel, and the perceptron as it is (`NodeClassifier`).

With ``--memory``: what fitting takes of memory beside a matrix of 30,000 columns that is mapped from a file.

The default may be at most 0.5 points below the best of the first three, by the means over the seeds. Seeds below 100
are for development, those from 100 on were looked at once.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.linear_model import LogisticRegressionCV
from sklearn.preprocessing import StandardScaler

from privge.graph import Graph
from privge.propagation import propagate
from privge.structure.order import folds_of
from privge.tasks import NodeClassifier, SteadyClassifier, propagate_labels, scaling
from privge.tasks.baselines import GRID
from privge.tasks.classification import classify
from privge.tasks.classification.classification import STRUCTURE

DIMENSIONS = 40
BASELINES = ("largest class", "logistic regression", "label propagation")
BESIDES = ("without the graph", "structure channel", "perceptron")


@dataclass(frozen=True)
class Situation:
    """How hard a graph is: see the module. ``largest`` is the share of the largest class, None for equal ones."""

    homophily: float
    classes: int
    largest: float | None
    signal: float
    degree: float = 6.0
    labelled: float = 0.2
    nodes: int = 1500

    def __str__(self):
        share = 1 / self.classes if self.largest is None else self.largest
        return f"homophily {self.homophily:g}, {self.classes} classes, largest {share:.0%}, signal {self.signal:g}"


SITUATIONS = (
    Situation(0.0, 2, None, 0.3),
    Situation(0.0, 5, None, 0.4),
    Situation(0.1, 20, None, 0.6, nodes=2000),
    Situation(0.3, 4, 0.6, 0.5),
    Situation(0.52, 2, 0.54, 0.1, degree=10, nodes=2000),
    Situation(0.55, 2, 0.56, 0.0, degree=10, nodes=2000),
    Situation(0.6, 10, 0.8, 0.6),
    Situation(0.9, 3, 0.95, 0.3, nodes=2000),
    Situation(0.8, 20, 0.3, 0.0, nodes=2000),
    Situation(0.9, 7, None, 0.5, labelled=0.1),
)


@dataclass(frozen=True)
class Made:
    graph: Graph
    vectors: np.ndarray
    labels: np.ndarray
    train: np.ndarray
    test: np.ndarray


def make(situation, seed):
    """Draw classes, then edges, then features."""
    generator = np.random.default_rng([seed, 41])
    count, classes = situation.nodes, situation.classes
    shares = np.full(classes, 1 / classes)
    if situation.largest is not None:
        shares = np.append(situation.largest, np.full(classes - 1, (1 - situation.largest) / (classes - 1)))
    labels = generator.choice(classes, size=count, p=shares)
    ends = generator.integers(count, size=int(count * situation.degree / 2))
    same = generator.random(len(ends)) < situation.homophily
    others = np.array([partner(labels, one, alike, generator) for one, alike in zip(ends, same, strict=True)])
    graph = Graph.from_edges(np.column_stack([ends, others]), nodes=np.arange(count))
    means = generator.normal(size=(classes, DIMENSIONS)) * situation.signal
    features = means[labels] + generator.normal(size=(count, DIMENSIONS))
    vectors = propagate(graph, scipy.sparse.csr_array(features.astype(np.float32)), alpha=0.2, r=0.5)[0]
    order = generator.permutation(count)
    known = int(situation.labelled * count)
    return Made(graph, np.asarray(vectors), labels, np.sort(order[:known]), np.sort(order[known:]))


def partner(labels, one, alike, generator):
    """Draw somebody else, of the same class or of another."""
    for _ in range(10_000):
        other = int(generator.integers(len(labels)))
        if other != one and (labels[other] == labels[one]) == alike:
            return other
    return (one + 1) % len(labels)


def logistic(made, seed):
    inputs = StandardScaler().fit_transform(made.vectors)
    model = LogisticRegressionCV(
        Cs=np.logspace(-5, 1, 7), cv=5, max_iter=300, random_state=seed, scoring="accuracy", l1_ratios=(0,),
        use_legacy_attributes=False,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class of one or two labels is not in every part
        return model.fit(inputs[made.train], made.labels[made.train]).predict(inputs)


def walked(made, seed):
    """Return label propagation with the alpha and r that find most labelled nodes of parts without their labels."""
    folds = folds_of(len(made.train), 5, seed)
    hits = []
    for alpha, r in GRID:
        found = [
            propagate_labels(made.graph, made.labels, made.train[folds != fold], alpha=alpha, r=r)[
                made.train[folds == fold]
            ]
            == made.labels[made.train[folds == fold]]
            for fold in range(5)
        ]
        hits.append(np.concatenate(found).sum())
    alpha, r = GRID[int(np.argmax(hits))]
    return propagate_labels(made.graph, made.labels, made.train, alpha=alpha, r=r)


def perceptron(made, seed):
    labels = np.full(len(made.labels), -1)
    labels[made.train] = made.labels[made.train]
    return NodeClassifier(seed=seed, threads=1).fit(made.vectors, labels).predict(made.vectors)


def measure(situation, seed):
    """Return the accuracy of every contender on the nodes without a label, in percent."""
    made = make(situation, seed)
    largest = np.full(len(made.labels), np.bincount(made.labels[made.train]).argmax())
    found = classify(made.vectors, made.labels, graph=made.graph, train=made.train, seed=seed, threads=1)
    answers = {
        "default": found.classes[found.probabilities.argmax(axis=1)],
        **dict(zip(BASELINES, (largest, logistic(made, seed), walked(made, seed)), strict=True)),
        "without the graph": found.classes[found.model.probabilities(made.vectors).argmax(axis=1)],
        "structure channel": found.classes[found.said[STRUCTURE].argmax(axis=1)],
        "perceptron": perceptron(made, seed),
    }
    return {name: 100 * float((one == made.labels)[made.test].mean()) for name, one in answers.items()}


def summary(rows):
    """Return mean and standard deviation over seeds by contender, and by how much the default is above the best."""
    values = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    best = max(BASELINES, key=lambda name: values[name].mean())
    difference = values["default"] - values[best]
    return values, best, difference


ROWS, WIDTH = 6_000, 30_000
FITS = ("perceptron, all rows kept", "perceptron, rows scaled when needed", "default")


def memory(fit):
    """Fit each head in a process of its own, to 30,000 columns, half of the nodes labelled; print its peak."""
    if fit is None:
        with tempfile.TemporaryDirectory(dir=".") as folder:
            matrix = np.lib.format.open_memmap(f"{folder}/wide.npy", "w+", np.float32, (ROWS, WIDTH))
            for start in range(0, ROWS, 500):
                matrix[start : start + 500] = np.random.default_rng(start).normal(size=(500, WIDTH))
            matrix.flush()
            print(f"{ROWS:,} x {WIDTH:,}: the matrix has {matrix.nbytes / 2**20:,.0f} MiB, mapped from a file\n")
            print("| head | memory beside it, MiB | seconds |\n|---|---:|---:|", flush=True)
            for name in FITS:
                command = [sys.executable, __file__, "--memory", "--fit", name]
                subprocess.run(command, check=True, env={**os.environ, "WIDE": f"{folder}/wide.npy"})
        return
    matrix, peak, start = np.load(os.environ["WIDE"], mmap_mode="r"), Peak(), time.perf_counter()
    labels = np.where(np.arange(ROWS) % 2, np.random.default_rng(1).integers(2, size=ROWS), -1)
    if fit == "default":
        SteadyClassifier().fit(matrix, labels)
    else:
        scaling.KEPT_BYTES = (1 << 60) if fit == FITS[0] else 0
        NodeClassifier(threads=1, epochs=2).fit(matrix, labels)  # memory does not depend on the number of epochs
    print(f"| {fit} | {peak.stop() / 2**20:,.0f} | {time.perf_counter() - start:.0f} |", flush=True)


class Peak(threading.Thread):
    """The most memory of its own, without mapped files, that the process had since this was made."""

    def __init__(self):
        super().__init__(daemon=True)
        self.first, self.most, self.running = own_bytes(), 0, True
        self.start()

    def run(self):
        while self.running:
            self.most = max(self.most, own_bytes() - self.first)
            time.sleep(0.02)

    def stop(self):
        self.running = False
        return self.most


def own_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--first-seed", type=int, default=100)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--situation", type=int, nargs="+", default=range(len(SITUATIONS)), help="Which, from 0.")
    options.add_argument("--memory", action="store_true")
    options.add_argument("--fit", choices=FITS, help="Of --memory: one head, in this process.")
    given = options.parse_args()
    if given.memory:
        memory(given.fit)
        return
    logging.getLogger("privge").setLevel(logging.ERROR)
    names = ("default", *BASELINES, *BESIDES)
    print(f"| {'| '.join(('graph', *names))} | default minus the best of the three |")
    print("|---|" + "---:|" * (len(names) + 1))
    worst = np.inf
    for place in given.situation:
        rows = [measure(SITUATIONS[place], seed) for seed in range(given.first_seed, given.first_seed + given.seeds)]
        values, best, difference = summary(rows)
        worst = min(worst, difference.mean())
        cells = [
            f"{'**' if name == best else ''}{spread(values[name])}{'**' if name == best else ''}" for name in names
        ]
        print(f"| {SITUATIONS[place]} | {' | '.join(cells)} | {spread(difference, '+')} |", flush=True)
    print(
        f"\nAt worst {worst:+.2f} points from the best of the three; mean ± standard deviation of {given.seeds} seeds."
    )


def spread(values, sign=""):
    return f"{values.mean():{sign}.2f} ± {values.std(ddof=1) if len(values) > 1 else 0:.2f}"


if __name__ == "__main__":
    main()
