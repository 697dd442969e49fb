"""The structural channel: how good it is on the paper's graphs, and what it takes on a large one.

python benchmarks/structure.py --nodes 1000000              # time and memory; 10 edges a node
python benchmarks/structure.py --accuracy cora pubmed       # accuracy and AUC on splits 100 to 105, with errors
python benchmarks/structure.py --accuracy demo              # the demo's network, logistic regression alone
python benchmarks/structure.py --accuracy cora -o docs/results/structure.jsonl    # one line a split; again to go on

Every result stands beside its controls: the share of the majority class and label propagation for nodes, personalized
PageRank and the mere flag of an isolated end for links. All are in percent.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from privge._machine import peak_bytes, processors
from privge.datasets import load, social_network
from privge.experiments.lines import append_line, complete_lines
from privge.graph import Graph
from privge.graph.pairs import draw_negatives
from privge.structure import node_channel, pair_channel
from privge.tasks import (
    NodeSplit,
    accuracy,
    auc,
    best_label_propagation,
    best_ppr_scores,
    split_edges,
    split_nodes,
)

SPLITS = range(100, 106)


def communities(nodes, edges, classes=8, homophily=0.7, seed=0):
    """A graph with a power law of degrees and communities, made in little memory; and the community of each node."""
    generator = np.random.default_rng(seed)
    labels = np.sort(generator.integers(0, classes, nodes))
    bounds = np.searchsorted(labels, np.arange(classes + 1))
    chances = np.concatenate([[0.0], np.cumsum((1 - generator.random(nodes)) ** -0.4)])
    ends = np.empty((edges, 2), dtype=np.int32)
    for first in range(0, edges, 1 << 20):
        part = slice(first, min(first + (1 << 20), edges))
        drawn = generator.random((2, part.stop - first))
        source = np.searchsorted(chances, drawn[0] * chances[-1], side="right") - 1
        inside = generator.random(len(source)) < homophily
        low, high = (np.where(inside, chances[bounds[labels[source] + more]], chances[more * nodes]) for more in (0, 1))
        ends[part] = np.column_stack(
            [source, np.searchsorted(chances, low + drawn[1] * (high - low), side="right") - 1]
        )
    names = generator.permutation(nodes)  # so that communities do not stand together
    ends = names[np.minimum(ends, nodes - 1)]
    return Graph.from_edges(ends, nodes=np.arange(nodes)), labels[np.argsort(names)]


def scale(nodes, edges, labelled):
    graph, labels = communities(nodes, edges)
    generator = np.random.default_rng(1)
    train, validation, test = np.split(generator.permutation(nodes), [int(0.8 * labelled), labelled])
    print(f"{graph}, {labelled:,} labelled, {processors()} processors; {peak_bytes() / 2**30:.1f} GB before")
    node_channel(*_small(), heads=("logistic",))  # compile
    pair_channel(_small()[0], heads=("logistic",))
    channel = timed(
        "nodes", lambda told: node_channel(graph, labels, train=train, validation=validation, progress=told)
    )
    hits = channel.predict()[test] == labels[test]
    print(f"accuracy {100 * hits.mean():.1f} among 8 communities; peak {peak_bytes() / 2**30:.1f} GB")
    del channel
    pairs = timed("pairs", lambda told: pair_channel(graph, progress=told))
    asked = draw_negatives(graph, 100_000, np.random.default_rng(2))
    start = time.perf_counter()
    pairs.scores(asked)
    print(f"100,000 pairs scored in {time.perf_counter() - start:.0f} s; peak {peak_bytes() / 2**30:.1f} GB")


def _small():
    return communities(2_000, 20_000)


def timed(name, make):
    start, worked = time.perf_counter(), time.process_time()

    def passed():
        return f"{time.perf_counter() - start:.0f} s ({time.process_time() - worked:.0f} s of a processor)"

    made = make(lambda done, total: print(f"  {name}: step {done} of {total} after {passed()}", flush=True))
    print(f"{name}: {passed()}", flush=True)
    return made


def measured(names, tasks, splits, output):
    """Yield a record for each dataset, task and split; those in the file are read, others measured and added to it."""
    known = _stored(output)
    for name in names:
        data = None if name == "demo" else load(name, download=False)
        for task in ("nodes",) if data is None else tasks:
            for split in splits:
                record = known.get((name, task, split))
                if record is None:
                    start = time.perf_counter()
                    scores = demo(split) if data is None else MEASURES[task](data, split)
                    record = {"dataset": name, "task": task, "split": split, **_percent(scores)}
                    record["seconds"] = round(time.perf_counter() - start, 1)
                    if output is not None:
                        append_line(output, record)
                yield record


def _stored(path):
    lines = [] if path is None else [json.loads(line) for _, line in complete_lines(path)]
    return {(line["dataset"], line["task"], line["split"]): line for line in lines}


def _percent(scores):
    return {name: round(100 * float(score), 4) for name, score in scores.items()}


def of_nodes(data, seed):
    return _classified(data.graph, data.labels, split_nodes(data.labels, seed=seed), seed)


def demo(seed):
    """Half of the people are labelled, three tenths of these for validation."""
    network = social_network(3000, seed=seed)
    split = NodeSplit(*np.split(np.random.default_rng([seed, 21]).permutation(3000), [1050, 1500]))
    return _classified(network.graph, network.labels, split, seed, heads=("logistic",))


def _classified(graph, labels, split, seed, **options):
    found = node_channel(graph, labels, train=split.train, validation=split.validation, seed=seed, **options)
    classes, counts = np.unique(labels[split.train], return_counts=True)
    guesses = {
        "accuracy": found.predict(),
        "label_propagation": best_label_propagation(graph, labels, split),
        "majority": np.full(len(labels), classes[counts.argmax()]),
    }
    return {name: accuracy(labels[split.test], guess[split.test]) for name, guess in guesses.items()}


def of_links(data, seed):
    split = split_edges(data.graph, seed=seed)
    channel = pair_channel(split.train_graph, split.validation, split.validation_negatives, seed=seed)
    groups = (split.test, split.test_negatives)
    isolated = [channel.isolated(pairs) for pairs in groups]
    scores = {"auc": [channel.scores(pairs) for pairs in groups], "ppr": best_ppr_scores(split)}
    found = {name: auc(*both) for name, both in scores.items()}
    for name, both in scores.items():
        connected = [values[~alone] for values, alone in zip(both, isolated, strict=True)]
        found[f"{name}_without_isolated"] = auc(*connected)
    flags = [alone.astype(np.float64) for alone in isolated]
    return {**found, "isolated_flag": auc(*flags), "isolated_pairs": np.concatenate(flags).mean()}


MEASURES = {"nodes": of_nodes, "links": of_links}
SHOWN = {
    "nodes": ("accuracy", "label_propagation", "majority"),
    "links": ("auc", "ppr", "auc_without_isolated", "ppr_without_isolated", "isolated_flag"),
}


def show(records):
    """Print a line for each dataset and task, as soon as its splits are done."""
    runs = []
    for record in records:
        if runs and any(runs[-1][part] != record[part] for part in ("dataset", "task")):
            _print(runs)
            runs = []
        runs.append(record)
    _print(runs)


def _print(runs):
    first = runs[0]
    values = {name: [run[name] for run in runs] for name in SHOWN[first["task"]]}
    shown = ", ".join(f"{name.replace('_', ' ')} {_shown(of_splits)}" for name, of_splits in values.items())
    print(f"{first['dataset']}, {first['task']}, {len(runs)} splits: {shown}", flush=True)


def _shown(values):
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}" if len(values) > 1 else ""
    return f"{np.mean(values):.2f}{error}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, help="by default 10 a node")
    parser.add_argument("--labelled", type=int, help="by default a twentieth of the nodes")
    parser.add_argument("--accuracy", nargs="+", metavar="DATASET", help="datasets of privge.datasets, or demo")
    parser.add_argument("--tasks", nargs="+", choices=("nodes", "links"), default=("nodes", "links"))
    parser.add_argument("--splits", nargs="+", type=int, default=SPLITS, help="seeds of splits; 100 to 105 by default")
    parser.add_argument("-o", "--output", type=Path, help="add a JSON line for each split, and skip those it has")
    options = parser.parse_args()
    if options.output is not None and not options.output.parent.is_dir():
        parser.error(f"there is no folder {options.output.parent}")
    if options.accuracy:
        show(measured(options.accuracy, options.tasks, options.splits, options.output))
    else:
        scale(options.nodes, options.edges or 10 * options.nodes, options.labelled or options.nodes // 20)
