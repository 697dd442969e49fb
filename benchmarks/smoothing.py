"""Is the smoother that Stein's unbiased risk chooses nearly the best, and is its predicted gain the true one?

Everybody reports the direction of their whole profile once, by the exact law of `privge.mechanisms.Nearest` with 64
public directions. `privge.smoothing.choose` sees the reports, their known noise and the graph. Clean profiles are used
only afterwards, to measure: *gain* is the share of the variance of the clean profiles about their mean that an estimate
explains, *regret* what it has less than the best smoother of the grid with the best factor, which only somebody with
the clean profiles can know. Made-up networks are other ones in every repeat; real ones have other reports.

The null is the same with the reports shuffled over people: what the graph says of them is gone.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import scipy.sparse

from privge.datasets import load, platform_network, social_network
from privge.mechanisms import Nearest
from privge.mechanisms.directions import chosen_directions, scores_of, states_of
from privge.random import NotPrivateSeededSource
from privge.smoothing import Chosen, Noise, candidates_for
from privge.smoothing.risk import Observations

NAMES = {"demo": "demo's network", "platform": "platform", "cora": "Cora", "pubmed": "Pubmed"}


class Kept:
    """A smoother that keeps what it returned, so that it can be compared with the truth."""

    def __init__(self, smoother):
        self.smoother, self.name, self.parameters, self.parts = smoother, smoother.name, smoother.parameters, []

    def apply(self, rows):
        result = self.smoother.apply(rows)
        self.parts.append(result)
        return result

    def trace(self, weights):
        return self.smoother.trace(weights)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--networks", nargs="+", choices=NAMES, default=list(NAMES))
    options.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 2.0, 4.0])
    options.add_argument("--first-seed", type=int, default=200)
    options.add_argument("--repeats", type=int, default=6)
    options.add_argument("--records", type=Path, help="Lines of JSON: what is there already is not computed again.")
    options.add_argument("--figure", type=Path, help="Draw predicted against true gain.")
    given = options.parse_args()
    records = read_records(given.records)
    for network in given.networks:
        tried = None
        for seed in range(given.first_seed, given.first_seed + given.repeats):
            todo = [e for e in given.epsilon if not any(same(record, network, seed, e) for record in records)]
            if not todo:
                continue
            graph, profiles = network_of(network, seed)
            if tried is None or network in {"demo", "platform"}:
                tried = candidates_for(graph, profiles.shape[1])
            for epsilon in todo:
                records.append(measured(network, seed, epsilon, graph, profiles, tried))
                write_record(given.records, records[-1])
    print_table([record for record in records if record["network"] in given.networks])
    if given.figure is not None:
        draw(records, given.figure)


def network_of(name, seed):
    """Return the graph, and profiles as integers, whose directions are reported."""
    if name == "demo":
        made = social_network(3_000, seed=seed)
        return made.graph, np.rint(1_000 * (2 * made.features - 1)).astype(np.int64)
    if name == "platform":
        made = platform_network(50_000, seed=seed)
        return made.graph, np.rint(1_000 * (2 * made.numbers() - 1)).astype(np.int64)
    data = load(name)
    features = data.features.toarray() if scipy.sparse.issparse(data.features) else np.asarray(data.features)
    return data.graph, np.rint(1_000 * features).astype(np.int64)


def reported(graph, profiles, epsilon, seed):
    """Return everybody's unbiased estimate, and the law."""
    law = Nearest.for_epsilon(epsilon)
    states = states_of(f"{seed:064x}", 0, graph.ids.tolist())
    words = NotPrivateSeededSource(seed).words(graph.nodes)
    codes = law.codes(scores_of(profiles, states, law.directions), words)
    return chosen_directions(states, codes, profiles.shape[1]) / np.float32(law.gain), law


def measured(network, seed, epsilon, graph, profiles, tried):
    lengths = np.linalg.norm(profiles, axis=1, keepdims=True)
    clean = (profiles / np.maximum(lengths, 1)).astype(np.float32)
    noisy, law = reported(graph, profiles, epsilon, seed)
    chosen, gains, best = compared(noisy, clean, lengths.ravel() > 0, law, tried)
    shuffled = noisy[np.random.default_rng(seed).permutation(len(noisy))]
    null = Chosen(*observed(shuffled, lengths.ravel() > 0, law, [each for each in tried if graph_alone(each)]))
    return {
        "network": network,
        "seed": seed,
        "epsilon": epsilon,
        "chosen": "mean" if chosen.best is None else chosen.smoother.name,
        "parameters": {} if chosen.best is None else chosen.smoother.parameters,
        "evidence": max(risk.evidence for risk in chosen.risks) if chosen.best is None else chosen.best.evidence,
        "predicted": chosen.predicted_gain,
        "true": gains[chosen.best] if chosen.best is not None else 0.0,
        "best": best,
        "pagerank": max((gain for risk, gain in gains.items() if risk.smoother.name == "pagerank"), default=0.0),
        "null": null.predicted_gain,
    }


def graph_alone(smoother):
    """Say whether a smoother keeps none of a row's own report apart: shrinkage does, and the null is not about it."""
    return smoother.name in {"clusters", "spectral"}


def noise_of(noisy, present, law):
    """A unit profile has length 1, so the rest of a report is noise."""
    energies = np.einsum("ij,ij->i", noisy, noisy, dtype=np.float64)
    return Noise(energies - present, law.noise)


def observed(noisy, present, law, tried):
    observations = Observations(
        scipy.sparse.csr_array(noisy), np.ones(len(noisy), dtype=np.bool_), noise_of(noisy, present, law)
    )
    return observations, tuple(observations.risk(each) for each in tried), spread_of(observations, present)


def spread_of(observations, present):
    mean = observations.mean
    noise = observations.noise.rows.mean()
    return float(present.sum() - len(present) * (mean @ mean) + noise)


def compared(noisy, clean, present, law, tried):
    """Return the choice, the true gain of each candidate by its risk, and that of the best with the best factor."""
    rows = scipy.sparse.csr_array(noisy)
    observations = Observations(rows, np.ones(len(noisy), dtype=np.bool_), noise_of(noisy, present, law))
    centred = clean - observations.mean.astype(np.float32)
    spread, gains, best = float(np.square(centred, dtype=np.float64).sum()), {}, 0.0
    for each in tried:
        kept = Kept(each)
        risk = observations.risk(kept)
        smooth = np.hstack(kept.parts)
        last = min(rows.shape[1], kept.parts[0].shape[1] - 1)  # the first part has one more column: a constant
        reached, smooth = smooth[:, last] / np.abs(rows.data).max(), np.delete(smooth, last, axis=1)
        smooth -= np.outer(reached, observations.mean)
        agreement, size = (float((smooth * other).sum(dtype=np.float64)) for other in (centred, smooth))
        gains[risk] = (2 * risk.factor * agreement - risk.factor**2 * size) / spread
        best = max(best, max(0.0, agreement) ** 2 / max(size, 1e-12) / spread)
    return Chosen(observations, tuple(gains), spread_of(observations, present)), gains, best


def same(record, network, seed, epsilon):
    return (record["network"], record["seed"], record["epsilon"]) == (network, seed, epsilon)


def read_records(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path is not None and path.exists() else []


def write_record(path, record):
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")


def print_table(records):
    print("| network | ε | chosen | predicted gain | true gain | best of the grid | regret | best PageRank | null |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for network, epsilon in dict.fromkeys((record["network"], record["epsilon"]) for record in records):
        some = [record for record in records if (record["network"], record["epsilon"]) == (network, epsilon)]
        names = sorted({told(record) for record in some})
        columns = [np.array([record[name] for record in some]) for name in ("predicted", "true", "best")]
        columns += [columns[2] - columns[1], *(np.array([r[name] for r in some]) for name in ("pagerank", "null"))]
        print(f"| {NAMES[network]} | {epsilon:g} | {'; '.join(names)} | {' | '.join(map(spelled, columns))} |")


def told(record):
    return f"{record['chosen']} {' '.join(f'{value:g}' for value in record['parameters'].values())}".strip()


def spelled(values):
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.3f} ± {error:.3f}"


def draw(records, path):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5.2, 5))
    for (network, name), colour in zip(NAMES.items(), ("#0f766e", "#b45309", "#7c3aed", "#2563eb"), strict=True):
        some = [record for record in records if record["network"] == network]
        for epsilon, marker in ((1.0, "o"), (2.0, "s"), (4.0, "^")):
            dots = [record for record in some if record["epsilon"] == epsilon]
            axes.plot(
                [record["true"] for record in dots],
                [record["predicted"] for record in dots],
                marker,
                color=colour,
                markersize=5,
                alpha=0.7,
                label=f"{name}, ε = {epsilon:g}",
            )
    most = 1.08 * max(max(record["true"], record["predicted"]) for record in records)
    axes.plot([0, most], [0, most], color="#94a3b8", linewidth=1, zorder=0)
    axes.set(xlabel="true gain, share of the variance", ylabel="predicted gain", xlim=(-0.02, most), ylim=(-0.02, most))
    axes.legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
