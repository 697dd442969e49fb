"""What do compact vectors save, and what do they cost? Wikipedia: 11,631 articles, 13,183 features.

*Saving.* A fresh process reads graph and reports, as `privge embed` does, and embeds them: with all columns, and with
``dimensions=128``. Printed are the bytes of the matrix, the peak of the process above what it held before embedding,
the peak of the whole process, and seconds, by the clock and of the processor, the least of some runs.

*Cost.* The paper's two tasks with its settings for this dataset, HDS at epsilon 1; splits from 100 on, which chose
nothing. All columns and compact vectors come from the same reports and meet the same split and head. Beside them
stand a random projection to as many columns, which keeps distances within the bound of Johnson and Lindenstrauss and
not what the tasks need, and the controls: structure-only, no privacy, the graph alone, and the larger class.

*Distances* are measured between random pairs of rows, as a share of those in all columns.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import scipy.sparse

import privge as pg
from privge._machine import peak_bytes
from privge.datasets import load
from privge.embedding.compact import compact
from privge.embedding.join import feature_rows
from privge.experiments.plan import task_plan
from privge.experiments.run import FIRST_SPLIT
from privge.experiments.spread import Lift, Spread
from privge.graph.readers import write_graph
from privge.propagation import Local, propagate
from privge.tasks import (
    LinkPredictor,
    NodeClassifier,
    accuracy,
    auc,
    best_label_propagation,
    best_ppr_scores,
    split_edges,
    split_nodes,
)

ON = Local(threads=1)
METHODS = {
    "all": "all columns, HDS",
    "compact": "compact, HDS",
    "random": "random projection, HDS",
    "structure": "compact, structure-only",
    "none": "compact, no privacy",
    "graph": "graph alone",
    "majority": "the larger class, or chance",
}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dimensions", type=int, default=128)
    options.add_argument("--repeats", type=int, default=10)
    options.add_argument("--controls", type=int, default=3, help="Repeats in which everything else is measured, too.")
    options.add_argument("--runs", type=int, default=3, help="Of which the fastest counts.")
    options.add_argument("--records", type=Path, help="Lines of JSON: what is there already is not computed again.")
    options.add_argument("--folder", type=Path, default=Path("compact-files"), help="For the graph and the reports.")
    options.add_argument("--child", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child is not None:
        measure(given.folder, given.child, given.dimensions)
        return
    saving(given)
    print(flush=True)
    for task in ("nodes", "links"):
        cost(task, given)


def campaign_of(dataset, mechanism, k, purpose):
    asked = {"dimensions": dataset.features.shape[1], "low": dataset.low, "high": dataset.high, "k": k}
    return pg.Campaign(**asked, mechanism=mechanism, epsilon=1.0 if mechanism == "hds" else None, purpose=purpose)


def saving(given):
    """Measure memory and time, each run in a process of its own."""
    given.folder.mkdir(exist_ok=True)
    if not (given.folder / "reports.parquet").exists():
        dataset = load("wikipedia")
        write_graph(dataset.graph, given.folder / "edges.parquet")
        campaign = campaign_of(dataset, "hds", task_plan("nodes").datasets["wikipedia"].k, "saving")
        reports = campaign.simulate(dataset.features, ids=dataset.graph.ids.tolist(), seed=FIRST_SPLIT)
        reports.to_parquet(given.folder / "reports.parquet")
    command = [
        sys.executable,
        __file__,
        "--folder",
        str(given.folder),
        "--dimensions",
        str(given.dimensions),
        "--child",
    ]
    told = {}
    for which in ("all", "compact"):
        runs = [
            json.loads(subprocess.run([*command, which], check=True, capture_output=True).stdout)
            for _ in range(given.runs)
        ]
        told[which] = {name: min(run[name] for run in runs) for name in runs[0]}
    print(f"{'':22} {'matrix':>10} {'peak above':>12} {'whole peak':>12} {'seconds':>9} {'processor':>10}")
    for which, one in told.items():
        sizes = "  ".join(f"{one[name] / 1e6:8,.1f} MB" for name in ("matrix", "above", "peak"))
        print(f"{METHODS[which]:22} {sizes}  {one['seconds']:7.2f} s  {one['processor']:7.2f} s")
    ratios = {name: told["all"][name] / told["compact"][name] for name in told["all"]}
    print("times less:            " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items()), flush=True)


def measure(folder, which, dimensions):
    """Embed in this process and print what it took. Kernels are compiled before, by a tiny embedding."""
    graph = pg.as_graph(folder / "edges.parquet")
    reports = pg.Reports.from_parquet(folder / "reports.parquet")
    settings = task_plan("nodes").datasets["wikipedia"]
    tiny = pg.Campaign(dimensions=80, low=0, high=1, mechanism="hds", epsilon=1.0, k=20)
    few = tiny.simulate(np.zeros((100, 80)), seed=0)
    pg.embed(np.array([[n, (n + 1) % 100] for n in range(100)]), few, dimensions=None if which == "all" else 20)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak counts from here on
    held = peak_bytes()
    start, processor = time.perf_counter(), time.process_time()
    made = pg.embed(
        graph, reports, **asdict(settings.walk), on=ON, dimensions=dimensions if which == "compact" else None
    )
    seconds = {"seconds": time.perf_counter() - start, "processor": time.process_time() - processor}
    made.matrix.sum()
    print(json.dumps({"matrix": made.matrix.nbytes, "above": peak_bytes() - held, "peak": peak_bytes(), **seconds}))


def cost(task, given):
    """Print the score of each method, and how far compact vectors are from all columns."""
    done = [json.loads(line) for line in given.records.open()] if given.records and given.records.exists() else []
    dataset = load("wikipedia")
    for repeat in range(given.repeats):
        if not any(one["task"] == task and one["repeat"] == repeat for one in done):
            record = {
                "task": task,
                "repeat": repeat,
                **Repeat(task, dataset, repeat, given.dimensions).record(controls=repeat < given.controls),
            }
            done.append(record)
            if given.records:
                with given.records.open("a") as file:
                    file.write(json.dumps(record) + "\n")
    mine = sorted((one for one in done if one["task"] == task), key=lambda one: one["repeat"])[: given.repeats]
    metric = "accuracy" if task == "nodes" else "AUC"
    print(f"{task}: {metric} in %, mean and standard deviation of {len(mine)} repeats")
    for name, title in METHODS.items():
        scores = [one["scores"][name] for one in mine if name in one["scores"]]
        print(f"  {title:30} {Spread.of(scores)}{'' if len(scores) == len(mine) else f' ({len(scores)} repeats)'}")
    for name in ("compact", "random"):
        lift = Lift.of(one["scores"][name] - one["scores"]["all"] for one in mine if name in one["scores"])
        print(f"  {METHODS[name]} minus all columns: {lift.mean:+.2f} ({lift.low:+.2f} to {lift.high:+.2f})")
    print(f"  kept of the squares: {Spread.of(100 * one['kept'] for one in mine)} %")
    for name in ("compact", "random"):
        parts = np.mean([one["distances"][name] for one in mine if "distances" in one], axis=0)
        print(
            f"  distances, {METHODS[name]}, as a share of all columns (1 %, 50 %, 99 %): {np.round(parts, 2)}",
            flush=True,
        )


def distances(whole, shrunk, generator):
    """Return quantiles of the distances of random pairs, as shares of those in all columns."""
    pairs = generator.integers(0, len(whole), (2, 2000))
    pairs = pairs[:, pairs[0] != pairs[1]]
    true = np.linalg.norm(whole[pairs[0]] - whole[pairs[1]], axis=1)
    return {
        name: np.quantile(
            np.linalg.norm(matrix[pairs[0]] - matrix[pairs[1]], axis=1) / np.maximum(true, 1e-30), [0.01, 0.5, 0.99]
        ).tolist()
        for name, matrix in shrunk.items()
    }


class Repeat:
    """One split, and one report of everybody."""

    def __init__(self, task, dataset, repeat, dimensions):
        self.task, self.dataset, self.repeat, self.dimensions = task, dataset, repeat, dimensions
        self.settings = task_plan(task).datasets["wikipedia"]
        seed = FIRST_SPLIT + repeat
        self.split = (
            split_nodes(dataset.labels, seed=seed) if task == "nodes" else split_edges(dataset.graph, seed=seed)
        )
        self.graph = dataset.graph if task == "nodes" else self.split.train_graph

    def record(self, *, controls):
        """Return the scores of all columns and of compact ones; beside them, if wanted, those of everything else."""
        rows = self.rows("hds")
        whole, _ = propagate(self.graph, rows, **asdict(self.settings.walk), on=ON)
        matrix, told = self.compacted(rows)
        record = {"scores": {"all": self.score(whole), "compact": self.score(matrix)}, "kept": told.kept}
        if controls:
            generator = np.random.default_rng(self.repeat)
            signs = generator.integers(0, 2, (rows.shape[1], self.dimensions)) * 2.0 - 1
            random = whole @ (signs / np.sqrt(self.dimensions)).astype(np.float32)
            record["distances"] = distances(whole, {"compact": matrix, "random": random}, generator)
            del whole
            clean = scipy.sparse.csr_array(self.dataset.features.astype(np.float32))
            record["scores"] |= {
                "random": self.score(random),
                "structure": self.score(self.compacted(self.rows("structure"))[0]),
                "none": self.score(self.compacted(clean)[0]),
                **self.graph_alone(),
            }
        return record

    def rows(self, mechanism):
        campaign = campaign_of(self.dataset, mechanism, self.settings.k, f"compact, repeat {self.repeat}")
        ids = self.graph.ids.tolist()
        return feature_rows(self.graph, campaign.simulate(self.dataset.features, ids=ids, seed=self.repeat))

    def compacted(self, rows):
        seed = f"repeat {self.repeat}"
        matrix, _, told = compact(self.graph, rows, self.settings.walk, ON, seed, self.dimensions, None)
        return matrix, told

    def score(self, matrix):
        if self.task == "nodes":
            labels, split = self.dataset.labels, self.split
            head = NodeClassifier(seed=self.repeat, threads=1, **self.settings.head)
            head.fit(matrix, labels, train=split.train, validation=split.validation)
            return 100 * accuracy(labels[split.test], head.predict(matrix[split.test]))
        split, head = self.split, LinkPredictor(seed=self.repeat, threads=1, **self.settings.head)
        head.fit(matrix, self.graph, split.train, validation=(split.validation, split.validation_negatives))
        return 100 * auc(*(head.decision_function(matrix, pairs) for pairs in (split.test, split.test_negatives)))

    def graph_alone(self):
        labels, split = self.dataset.labels, self.split
        if self.task == "links":
            return {"graph": 100 * auc(*best_ppr_scores(split, threads=1)[:2]), "majority": 50.0}
        predicted = best_label_propagation(self.graph, labels, split, threads=1)[split.test]
        larger = np.bincount(labels[split.train]).argmax()
        return {
            "graph": 100 * accuracy(labels[split.test], predicted),
            "majority": 100 * float((labels[split.test] == larger).mean()),
        }


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
