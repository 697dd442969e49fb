"""What ``privge analyse`` says: tables and sentences, or an object for a machine."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from privge._files.atomic import atomic_path
from privge._typing import Floats
from privge.analysis import (
    BestK,
    Coordinate,
    NodeBounds,
    RowNorms,
    Simulated,
    Theorem,
    WorstCase,
    lemma,
    stated_gain,
    theorems,
)

_SHOWN = ("gain", "bias", "variance", "error")

Row = tuple[str, str, Coordinate, WorstCase, Mapping[str, BestK]]


def mechanism_table(heading: Mapping[str, float], rows: Sequence[Row]) -> tuple[dict[str, object], str]:
    """Return the comparison of mechanisms for a machine and for a person."""
    document = {
        **heading,
        "mechanisms": [
            {
                "mechanism": name,
                "decoding": decoding,
                "law": asdict(law),
                "limit": asdict(limit),
                "best_k": {purpose: asdict(best) for purpose, best in bests.items()},
            }
            for name, decoding, law, limit, bests in rows
        ],
    }
    lines = [
        f"epsilon {heading['epsilon']:g} for {heading['k']} of {heading['dimensions']} features, at the worst input",
        f"{'':28}" + "".join(f"{name:>11}" for name in _SHOWN) + "   best k: estimate   as in the paper",
    ]
    for name, decoding, law, limit, bests in rows:
        ks = "".join(f"{best.k:>18,}" for best in bests.values())
        lines.append(f"{name:<10} {decoding:<9} law    {_numbers(law)}{ks}")
        lines.append(f"{'':20} limit  {_numbers(limit)}")
    return document, "\n".join(lines)


def _numbers(worst: WorstCase) -> str:
    return "".join(f"{round(getattr(worst, name), 12):>11.4g}" for name in _SHOWN)


def paper_lines(epsilon: float, k: int, dimensions: int, delta: float) -> tuple[dict[str, object], str]:
    """Return the paper's lemma and theorems, as stated and as right, for a machine and for a person."""
    right, printed = lemma(epsilon, k, dimensions).gain, stated_gain(epsilon, k, dimensions)
    stated = theorems(epsilon, k, dimensions, delta)
    document = {
        "epsilon": epsilon,
        "k": k,
        "dimensions": dimensions,
        "delta": delta,
        "lemma": {"C": right, "C_as_printed": printed},
        "theorems": [{**_finite(asdict(one)), "says_something": one.says_something} for one in stated],
    }
    lines = [
        f"epsilon {epsilon:g} for {k} of {dimensions:,} features, delta {delta:g}",
        f"lemma: C = {right:.4g}; as printed {printed:.4g}, which is {printed / right:.3g} times as much",
        "theorems, the largest error of a node whose row of the matrix sums to 1:",
        f"  {'':<10} {'stated':<28} {'without its constant':>20} {'as proved':>10} {'always':>10}",
    ]
    lines += [
        f"  {one.mechanism:<10} {one.order:<28} {one.stated:>20.4g} {one.proved:>10.4g} {one.always:>10.4g}"
        for one in stated
    ]
    empty = [one.mechanism for one in stated if not one.says_something]
    if empty:
        lines.append(f"What is proved of {', '.join(empty)} is more than what always holds: it says nothing.")
    return document, "\n".join(lines)


def _finite(values: dict[str, object]) -> dict[str, object]:
    return {name: None if value == math.inf else value for name, value in values.items()}


@dataclass(frozen=True, eq=False)
class NodeFindings:
    """Bounds of some nodes of a graph, what was seen, and what the paper proves."""

    nodes: int
    norms: RowNorms
    bounds: NodeBounds
    seen: Simulated | None
    theorem: Theorem | None

    def columns(self) -> dict[str, Floats]:
        """Return everything that there is of each node."""
        norms, bounds = self.norms, self.bounds
        return {
            "row_sum": norms.sums,
            "row_length": norms.lengths,
            "row_largest": norms.largest,
            "bias": bounds.bias,
            "bernstein": bounds.by_bernstein,
            "bennett": bounds.bias + bounds.bennett,
            "always": bounds.always,
            "bound": bounds.bound,
            **({} if self.seen is None else {"seen": self.seen.typical}),
        }

    def document(self) -> dict[str, object]:
        """Return the least, the median and the largest of each, and how the simulation went."""
        bounds, seen = self.bounds, self.seen
        spread = {name: np.quantile(values, [0, 0.5, 1]).tolist() for name, values in self.columns().items()}
        simulated = seen and {
            "checks": seen.checks,
            "inside": seen.inside(bounds.bound),
            "inside_bernstein": seen.inside(bounds.by_bernstein),
            "looseness": np.quantile(seen.looseness(bounds.bound), [0.5, 1]).tolist(),
        }
        return {
            "nodes": self.nodes,
            "nodes_bounded": len(bounds.ids),
            "chance": bounds.chance,
            "entries": bounds.entries,
            **spread,
            "simulated": simulated,
            "theorem": self.theorem and _finite(asdict(self.theorem)),
        }


_WORDS = {
    "row_sum": "sum of the row",
    "row_length": "length of the row",
    "row_largest": "largest entry of the row",
    "bias": "bias",
    "bernstein": "bias and Bernstein",
    "bennett": "bias and Bennett",
    "always": "always",
    "bound": "bound, the smallest",
    "seen": "95 of 100 draws stay within",
}


def node_lines(found: NodeFindings) -> Iterator[str]:
    """Yield what is known of the nodes, for a person."""
    bounds, seen = found.bounds, found.seen
    which = "all" if len(bounds.ids) == found.nodes else f"{len(bounds.ids):,} of"
    yield (
        f"{which} {found.nodes:,} nodes; the largest error of any of {bounds.entries:,} entries, "
        f"with a chance of {1 - bounds.chance:g}"
    )
    yield f"{'':<30}{'least':>10}{'median':>10}{'largest':>10}"
    for name, values in found.columns().items():
        yield f"{_WORDS[name]:<30}" + "".join(f"{value:>10.4g}" for value in np.quantile(values, [0, 0.5, 1]))
    if seen is not None:
        inside, loose = seen.inside(bounds.bound), seen.looseness(bounds.bound)
        yield f"{inside:.2%} of {seen.checks:,} simulated errors are inside (nodes x draws, made-up features)"
        yield f"bound / what 95 of 100 draws stay within: {np.median(loose):.2g} (median), {loose.max():.2g} (worst)"
    if found.theorem is not None:
        proved, always = found.theorem.proved, found.theorem.always
        yield f"the paper proves {proved:.3g} for a row that sums to 1, where {always:.3g} holds always"


def write_bounds(path: Path, found: NodeFindings) -> None:
    """Write everything that there is of each node; the file is complete or absent."""
    table = pa.table({"id": pa.array(found.bounds.ids.tolist()), **found.columns()})
    with atomic_path(path) as partial:
        if path.suffix == ".csv":
            pyarrow.csv.write_csv(table, partial)
        else:
            pyarrow.parquet.write_table(table, partial)
