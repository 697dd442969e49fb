"""Does the bound of each node hold, and how loose is it?

python benchmarks/bounds.py                                             # Cora, Pubmed and a made-up network, HDS
python benchmarks/bounds.py --networks cora --cases all -o docs/results/bounds.jsonl     # again to go on

Everybody's reports are drawn and embedded anew for each seed (100, 101, ...; nothing was chosen on any of them). For
each node the largest error of any entry is compared with its bound at chance 0.05, which is for all entries together.

* *inside*: the share of nodes times draws within the bound; it must be at least 0.95.
* *bound / seen*: the bound of a node over what 95 of 100 of its own draws stay within; median and worst of the nodes.
* *always*: what holds with certainty, over the bound: above 1 the bound says something.
* *paper*: what the paper's proof gives with its own constants, over the same 95 of 100 (median); nothing where the
  paper has another setting, which is Laplace on all features and HDS without a correction of its bias.
* Controls that must fail somewhere: *no reach*, a bound that forgets the largest entry of the row, and *no bias*.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import privge as pg
from privge.analysis import Coordinate, node_bounds, row_norms, simulate_errors, theorems
from privge.datasets import load, social_network
from privge.experiments.lines import append_line, complete_lines
from privge.propagation import Local, Walk

WALKS = {"cora": Walk(0.1, 0.5), "pubmed": Walk(0.1, 0.3), "synthetic": Walk(0.1, 0.5)}  # the paper's
CASES = {
    "hds": ("hds", 1.0, 1, "raw"),
    "hds-unbiased": ("hds", 1.0, 1, "unbiased"),
    "hds-5": ("hds", 5.0, 5, "raw"),
    "piecewise": ("piecewise", 1.0, 1, "raw"),
    "multibit": ("multibit", 1.0, 1, "raw"),
    "laplace": ("laplace", 1.0, 1, "raw"),
}
CHANCE = 0.05


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--networks", nargs="+", choices=list(WALKS), default=list(WALKS))
    options.add_argument("--cases", nargs="+", choices=[*CASES, "all"], default=["hds"])
    options.add_argument("--nodes", type=int, default=3000, help="Nodes whose bounds are computed, at random.")
    options.add_argument("--draws", type=int, default=20)
    options.add_argument("--first-seed", type=int, default=100)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("-o", "--output", type=Path, help="Append one line a case; what is there is not done again.")
    given = options.parse_args()
    done = {} if given.output is None else {(each["network"], each["case"]): each for each in lines(given.output)}
    cases = list(CASES) if "all" in given.cases else given.cases
    for name in given.networks:
        todo = [case for case in cases if (name, case) not in done]
        if todo:
            for record in measured(name, todo, given):
                done[name, record["case"]] = record
                if given.output is not None:
                    append_line(given.output, record)
    print_table([done[name, case] for name in given.networks for case in cases])


def lines(path):
    return [json.loads(line) for _, line in complete_lines(path)]


def measured(name, cases, given):
    here, walk = Local(threads=given.threads), WALKS[name]
    graph, features = network_of(name)
    generator = np.random.default_rng(given.first_seed)
    some = graph.ids[np.sort(generator.choice(graph.nodes, min(given.nodes, graph.nodes), replace=False))]
    norms = row_norms(graph, alpha=walk.alpha, r=walk.r, nodes=some, on=here)
    for case in cases:
        mechanism, epsilon, k, decoding = CASES[case]
        campaign = pg.Campaign(
            dimensions=features.shape[1], low=0, high=highest(features), mechanism=mechanism, epsilon=epsilon, k=k
        )
        seeds = range(given.first_seed, given.first_seed + given.draws)
        seen = simulate_errors(
            graph, campaign, features, nodes=some, walk=walk, decoding=decoding, seeds=seeds, on=here
        )
        yield {
            "network": name,
            "case": case,
            "mechanism": mechanism,
            "epsilon": epsilon,
            "k": k,
            "dimensions": campaign.dimensions,
            "decoding": decoding,
            "nodes": len(some),
            "draws": given.draws,
            "checks": seen.checks,
            "first_seed": given.first_seed,
            "chance": CHANCE,
            "row_sums": [float(norms.sums.min()), float(norms.sums.max())],
            **compared(Coordinate.of(campaign.sampled, decoding), norms, seen, campaign),
        }


def compared(worst, norms, seen, campaign):
    bounds = node_bounds(worst, norms, chance=CHANCE, entries=campaign.dimensions)
    variance = np.sqrt(2 * worst.variance * np.log(2 * campaign.dimensions / CHANCE)) * norms.lengths
    stated = {one.mechanism: one.proved for one in theorems(campaign.epsilon, campaign.k, campaign.dimensions, CHANCE)}
    proved = np.full(len(bounds.bound), stated[campaign.mechanism])
    papers = campaign.mechanism != "laplace" and not (campaign.mechanism == "hds" and worst.gain > 0.99)
    return {
        "inside_bernstein": seen.inside(bounds.by_bernstein),
        "inside": seen.inside(bounds.bound),
        "looseness_bernstein": spread(seen.looseness(bounds.by_bernstein)),
        "looseness": spread(seen.looseness(bounds.bound)),
        "always": float(np.median(bounds.always / bounds.bound)),
        "paper": float(np.median(seen.looseness(proved))) if papers else None,
        "without_reach": seen.inside(bounds.bias + variance),
        "without_bias": seen.inside(np.minimum(bounds.bernstein, bounds.bennett)),
    }


def spread(values):
    return [float(np.median(values)), float(values.max())]


def highest(features):
    return float(np.ceil(features.max()))


def network_of(name):
    if name == "synthetic":
        made = social_network(3000, seed=1)
        return made.graph, made.features
    data = load(name)
    return data.graph, data.features


def print_table(records):
    print(
        "network    case           checks  inside  bound / seen  inside  bound / seen  always  paper  no reach  no bias"
    )
    print("                                  Bernstein             smallest")
    for one in records:
        paper = "" if one["paper"] is None else f"{one['paper']:.1f}"
        print(
            f"{one['network']:<10} {one['case']:<13} {one['checks']:>7,}  {one['inside_bernstein']:.4f}  "
            f"{told(one['looseness_bernstein']):>12}  {one['inside']:.4f}  {told(one['looseness']):>12}  "
            f"{one['always']:>6.1f}  {paper:>5}  {one['without_reach']:>8.4f}  {one['without_bias']:>7.4f}"
        )


def told(pair):
    return f"{pair[0]:.1f} to {pair[1]:.1f}"


if __name__ == "__main__":
    main()
