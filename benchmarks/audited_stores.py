"""How often `privge audit --store` accuses honest stores, and how often it sees poisoned ones.

Each store holds reports of people with values of one of four kinds (all low, all high, even, extreme); a poisoned one
has a share of liars, who send the highest code k times. Honest and poisoned stores have the same people and noise. It
prints a line for each law and k: accused honest stores, and flagged poisoned ones, of how many.

    python benchmarks/audited_stores.py --stores 1000 --reports 2000 --liars 0.03

With --smallest it looks, for each kind of people, for the smallest share of liars that is flagged in 95 % of the
stores, and says in brackets which share could have been sent by honest people with other values: no test sees that.

    python benchmarks/audited_stores.py --smallest --stores 60
"""

import argparse

import numpy as np
from scipy.optimize import linprog

from privge.audit.envelope import look
from privge.mechanisms import Law, law_for
from privge.random import TOTAL, NotPrivateSeededSource

CASES = [
    ("hds", 1),
    ("hds", 5),
    ("piecewise", 1),
    ("laplace", 1),
    ("multibit", 1),
    ("multibit", 5),
    ("choice", 1),
    ("choice", 5),
]
KINDS = ("low", "high", "even", "extreme")


def levels_of(kind: str, levels: int, shape: tuple[int, int], seed: int) -> np.ndarray:
    """Return the values of people of a kind."""
    draw = np.random.default_rng(seed)
    if kind in ("low", "high"):
        return np.full(shape, 0 if kind == "low" else levels - 1)
    return draw.integers(0, levels, shape) if kind == "even" else draw.choice([0, levels - 1], shape)


def flagged(law: Law, k: int, kind: str, share: float, options: argparse.Namespace) -> int:
    """Return how many of the stores with this share of liars are flagged."""
    found = 0
    for store in range(options.stores):
        seed = options.seed + store
        levels = levels_of(kind, law.levels, (options.reports, k), seed)
        codes = law.sample(levels, NotPrivateSeededSource(seed, f"{law.name}/{k}"))
        codes[: round(share * options.reports)] = law.outputs - 1
        found += look(law, k, [codes]).flagged
    return found


def hidden(law: Law, kind: str) -> float:
    """Return the largest share of liars, of reports with one code, that honest people with other values could be.

    A linear program: frequencies of codes that are a mixture of the law's rows, with as many liars as possible.
    """
    rows = np.array([law.weights(level) for level in range(law.levels)]) / TOTAL
    here = {"low": rows[0], "high": rows[-1], "even": rows.mean(axis=0), "extreme": (rows[0] + rows[-1]) / 2}[kind]
    lie = np.eye(law.outputs)[-1]
    equations = np.vstack([np.column_stack([rows.T, here - lie]), [*np.ones(law.levels), 0.0]])
    found = linprog([*np.zeros(law.levels), -1.0], A_eq=equations, b_eq=[*here, 1.0], bounds=(0, 1))
    return max(0.0, -found.fun) if found.success else 0.0


def smallest(options: argparse.Namespace) -> None:
    """Print from which share on liars are flagged in 95 % of the stores."""
    print(f"| law | k | {' | '.join(KINDS)} |\n|---|---:|{'---:|' * len(KINDS)}")
    shares = [0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for name, k in CASES:
        law, cells = law_for(name, options.epsilon, k, 8 if name == "choice" else 65), []
        for kind in KINDS:
            low, high = -1, len(shares)  # not flagged, flagged
            while high - low > 1:
                middle = (low + high) // 2
                enough = flagged(law, k, kind, shares[middle], options) >= 0.95 * options.stores
                low, high = (low, middle) if enough else (middle, high)
            seen = f"{shares[high]:.1%}" if high < len(shares) else "never"
            cells.append(f"{seen} ({hidden(law, kind):.1%})" if k == 1 else seen)
        print(f"| {name} | {k} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Simulate stores and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=int, default=1000, help="of each law and k")
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument("--liars", type=float, default=0.03, help="share of poisoned reports")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--smallest", action="store_true", help="look for the smallest share that is seen")
    options = parser.parse_args()
    if options.smallest:
        smallest(options)
        return
    total = 0
    print("| law | k | honest stores accused | poisoned stores flagged | of |\n|---|---:|---:|---:|---:|")
    for name, k in CASES:
        law = law_for(name, options.epsilon, k, 8 if name == "choice" else 65)
        accused = seen = 0
        for store in range(options.stores):
            seed = options.seed + store
            levels = levels_of(KINDS[store % len(KINDS)], law.levels, (options.reports, k), seed)
            codes = law.sample(levels, NotPrivateSeededSource(seed, f"{name}/{k}"))
            accused += look(law, k, [codes]).flagged
            codes[: round(options.liars * options.reports)] = law.outputs - 1
            seen += look(law, k, [codes]).flagged
        total += accused
        print(f"| {name} | {k} | {accused} | {seen} | {options.stores} |", flush=True)
    print(f"\n{total} of {len(CASES) * options.stores:,} honest stores were accused")


if __name__ == "__main__":
    main()
