"""How often `privge audit --store` accuses honest stores, and how often it sees poisoned ones.

Each store holds reports of people with values of one of four kinds (all low, all high, even, extreme); a poisoned one
has a share of liars, who send the highest code k times. Honest and poisoned stores have the same people and noise. It
prints a line for each law and k: accused honest stores, and flagged poisoned ones, of how many.

    python benchmarks/audited_stores.py --stores 1000 --reports 2000 --liars 0.03
"""

import argparse

import numpy as np

from privge.audit.envelope import look
from privge.mechanisms import law_for
from privge.random import NotPrivateSeededSource

CASES = [("hds", 1), ("hds", 5), ("piecewise", 1), ("laplace", 1), ("multibit", 1), ("multibit", 5), ("choice", 1)]
KINDS = ("low", "high", "even", "extreme")


def levels_of(kind: str, levels: int, shape: tuple[int, int], seed: int) -> np.ndarray:
    """Return the values of people of a kind."""
    draw = np.random.default_rng(seed)
    if kind in ("low", "high"):
        return np.full(shape, 0 if kind == "low" else levels - 1)
    return draw.integers(0, levels, shape) if kind == "even" else draw.choice([0, levels - 1], shape)


def main() -> None:
    """Simulate stores and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=int, default=1000, help="of each law and k")
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument("--liars", type=float, default=0.03, help="share of poisoned reports")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1000)
    options = parser.parse_args()
    total = 0
    print("| law | k | honest stores accused | poisoned stores flagged | of |\n|---|---:|---:|---:|---:|")
    for name, k in CASES:
        law = law_for(name, options.epsilon, k, 8 if name == "choice" else 65)
        accused = flagged = 0
        for store in range(options.stores):
            seed = options.seed + store
            levels = levels_of(KINDS[store % len(KINDS)], law.levels, (options.reports, k), seed)
            codes = law.sample(levels, NotPrivateSeededSource(seed, f"{name}/{k}"))
            accused += look(law, k, [codes]).flagged
            codes[: round(options.liars * options.reports)] = law.outputs - 1
            flagged += look(law, k, [codes]).flagged
        total += accused
        print(f"| {name} | {k} | {accused} | {flagged} | {options.stores} |", flush=True)
    print(f"\n{total} of {len(CASES) * options.stores:,} honest stores were accused")


if __name__ == "__main__":
    main()
