"""Recommending new friends: how well held-out ones are found again, and what it takes on a large graph.

python benchmarks/recommend.py --accuracy facebook           # 10 fresh splits, intervals; parts and controls beside it
python benchmarks/recommend.py --nodes 1000000               # time and memory for 10,000 people; 10 edges a node
python benchmarks/recommend.py --nodes 1000000 --columns 64  # the same with vectors of 64 columns
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import scipy.sparse

import privge as pg
from privge._machine import peak_bytes, processors
from privge.datasets import load
from privge.propagation import Walk
from privge.recommendation import Recommender, Settings, Signals
from privge.recommendation.evaluation import FUSED, STRUCTURE, VECTORS, Evaluation
from privge.recommendation.learning import Contender
from privge.recommendation.neighbourhood import NEAR_BY, Excluded, Neighbourhood
from privge.recommendation.trial import Trial
from privge.structure.order import Ordered
from structure import communities

sys.path.append(str(Path(__file__).parent.parent / "docs" / "generate"))
import recommend_table

SPLITS = range(100, 110)
HDS, SHUFFLED = "hds, ε = 1", "hds, shuffled"
KINDS = {HDS: ("hds", 1.0), SHUFFLED: ("hds", 1.0), "structure-only": ("structure", None), "no privacy": ("none", None)}


def accuracy(name, splits, kinds, threads, lines):
    """Print the scores of all parts and of the fusions, and the fusion minus the better of its parts."""
    data = load(name, download=False)
    found = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    for seed in splits:
        done = {kind for one in found if (one["dataset"], one["seed"]) == (name, seed) for kind in one["kinds"]}
        missing = [kind for kind in kinds if kind not in done]
        if not missing:
            continue
        start = time.perf_counter()
        found.append({"dataset": name, "seed": seed, "kinds": missing, "scores": judged(data, seed, missing, threads)})
        print(f"split {seed}: {time.perf_counter() - start:.0f} s", flush=True)
        with lines.open("a") as file:
            file.write(json.dumps(found[-1], ensure_ascii=False) + "\n")
    print(recommend_table.tables(lines))


def judged(data, seed, kinds, threads):
    """Judge one split: the structure and its parts, then vectors of each kind."""
    ordered = Ordered.of(data.graph)
    near = Neighbourhood(ordered.graph, Excluded.of(data.graph.nodes), NEAR_BY, threads)
    trial = Trial.of(near, seed)
    structure = trial.fitted()
    alone = Evaluation.of(trial, trial.view, structure, STRUCTURE)
    scores = {name: asdict(quality) for name, quality in alone.scores.items()}
    for kind in kinds:
        signals = Signals.of_reports(data.graph, reports(data, *KINDS[kind], seed), Walk())
        signals = signals.shuffled(seed) if kind == SHUFFLED else signals
        contender = Contender.of(trial, signals.compact(512, seed).in_order(ordered.order))
        beside = contender.evaluated(trial)
        fused = beside.scores[FUSED] if contender.gate.open else alone.scores[STRUCTURE]
        scores[f"{VECTORS} ({kind})"] = asdict(beside.scores[VECTORS])
        scores[f"{FUSED} ({kind})"] = {**asdict(fused), "gain": contender.gate.gain, "open": contender.gate.open}
    return scores


def reports(data, mechanism, epsilon, seed):
    features = data.features
    k = features.shape[1] if mechanism == "none" else 5
    campaign = pg.Campaign(
        dimensions=features.shape[1], low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, purpose="benchmark"
    )
    return campaign.simulate(features, ids=data.graph.ids, seed=seed)


def scale(nodes, edges, people, columns, threads):
    """Print how long recommendations for some people take, everything that is learnt included."""
    graph, _ = communities(nodes, edges)
    Recommender.fit(communities(2_000, 20_000)[0], settings=Settings(threads=threads)).recommend([0])  # compile
    print(
        f"{graph}, {people:,} people, {columns} columns, {processors()} processors; {_gigabytes()} before", flush=True
    )
    signals = None
    if columns:
        rows = np.random.default_rng(3).choice([-1.0, 1.0], (nodes, columns)).astype(np.float32)
        signals = Signals(scipy.sparse.csr_array(rows), Walk())
    start, worked = time.perf_counter(), time.process_time()

    def took():
        return f"{time.perf_counter() - start:.0f} s ({time.process_time() - worked:.0f} s of a processor)"

    def passed(done, total):
        print(f"  {done:,} of {total:,} after {took()}, {_gigabytes()}", flush=True)

    made = Recommender.fit(graph, signals, settings=Settings(threads=threads), progress=passed)
    for name, quality in made.evaluation.scores.items():
        shown = (100 * value for value in (quality.hits, quality.reciprocal, quality.area))
        print(f"  {name}: hits@10 {next(shown):.1f}, MRR {next(shown):.1f}, AUC {next(shown):.1f}")
    print(f"  gate: {made.gate}; {made.evaluation.ceiling:.1%} among the candidates; {made.evaluation.spread}")
    asked = np.random.default_rng(2).choice(nodes, people, replace=False)
    found = sum(len(part) for part in made.batches(asked, 10, passed))
    print(f"{found:,} recommendations for {people:,} people: {took()}, peak {_gigabytes()}")


def _gigabytes():
    return f"{peak_bytes() / 2**30:.2f} GB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, help="by default 10 a node")
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=0, help="of vectors; 0 for the graph alone")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--accuracy", metavar="DATASET", help="a dataset of privge.datasets")
    parser.add_argument("--splits", type=int, default=len(SPLITS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="of vectors")
    parser.add_argument(
        "--lines", type=Path, default=recommend_table.LINES, help="a line of JSON for each split; it goes on from there"
    )
    options = parser.parse_args()
    if options.accuracy:
        accuracy(options.accuracy, SPLITS[: options.splits], options.kinds, options.threads, options.lines)
    else:
        edges = options.edges or 10 * options.nodes
        scale(options.nodes, edges, options.people, options.columns, options.threads)
