"""The structural channel: how good it is on the paper's graphs, and what it takes on a large one.

python benchmarks/structure.py --nodes 1000000              # time and memory; 10 edges a node
python benchmarks/structure.py --accuracy cora pubmed       # accuracy and AUC on splits 100 to 105, with errors
python benchmarks/structure.py --accuracy demo              # the demo's network, logistic regression alone
"""

import argparse
import time

import numpy as np

from privge._machine import peak_bytes, processors
from privge.datasets import load, social_network
from privge.graph import Graph
from privge.graph.pairs import draw_negatives
from privge.structure import node_channel, pair_channel
from privge.tasks import auc, split_edges, split_nodes

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


def accuracy(names, tasks):
    print("| | nodes, accuracy | links, AUC | links without isolated ends |", "|---|---:|---:|---:|", sep="\n")
    for name in names:
        if name == "demo":
            print(
                f"| demo's network, logistic regression | {_shown([demo(seed) for seed in SPLITS])} | | |", flush=True
            )
            continue
        data = load(name, download=False)
        nodes = _shown([of_nodes(data, split) for split in SPLITS]) if "nodes" in tasks else ""
        links = [of_links(data, split) for split in SPLITS] if "links" in tasks else []
        shown = " | ".join(map(_shown, zip(*links, strict=True))) if links else " | "
        print(f"| {name} | {nodes} | {shown} |", flush=True)


def of_nodes(data, seed):
    split = split_nodes(data.labels, seed=seed)
    found = node_channel(data.graph, data.labels, train=split.train, validation=split.validation, seed=seed)
    return (found.predict() == data.labels)[split.test].mean()


def of_links(data, seed):
    split = split_edges(data.graph, seed=seed)
    channel = pair_channel(split.train_graph, split.validation, split.validation_negatives, seed=seed)
    groups = (split.test, split.test_negatives)
    scores = [channel.scores(pairs) for pairs in groups]
    connected = [score[~channel.isolated(pairs)] for score, pairs in zip(scores, groups, strict=True)]
    return auc(*scores), auc(*connected)


def demo(seed):
    """Half of the people are labelled, three tenths of these for validation."""
    network = social_network(3000, seed=seed)
    train, validation, test = np.split(np.random.default_rng([seed, 21]).permutation(3000), [1050, 1500])
    found = node_channel(
        network.graph, network.labels, train=train, validation=validation, heads=("logistic",), seed=seed
    )
    return (found.predict() == network.labels)[test].mean()


def _shown(values):
    return f"{100 * np.mean(values):.2f} ± {100 * np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, help="by default 10 a node")
    parser.add_argument("--labelled", type=int, help="by default a twentieth of the nodes")
    parser.add_argument("--accuracy", nargs="+", metavar="DATASET", help="datasets of privge.datasets, or demo")
    parser.add_argument("--tasks", nargs="+", choices=("nodes", "links"), default=("nodes", "links"))
    options = parser.parse_args()
    if options.accuracy:
        accuracy(options.accuracy, options.tasks)
    else:
        scale(options.nodes, options.edges or 10 * options.nodes, options.labelled or options.nodes // 20)
