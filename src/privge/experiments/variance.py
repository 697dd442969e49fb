"""The figure of the worst-case variance: one reported value, over epsilon, and where curves cross."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privge._typing import Floats
from privge.experiments.method import mechanism_named
from privge.experiments.plan import HDS, paper_item
from privge.mechanisms import ContinuousLimit, Law

KINDS: dict[str, Callable[[ContinuousLimit], float]] = {
    "variance": lambda limit: limit.worst_case_variance(),
    "mean squared error": lambda limit: limit.worst_case_mse(),
    "variance without bias": lambda limit: limit.worst_case_variance("unbiased"),
}
"""Three ways to read the figure. The paper draws the first, in which the bias of the square wave does not count."""


def curves(kind: str = "variance") -> tuple[Floats, dict[type[Law], Floats]]:
    """Return the epsilons and one curve for each mechanism."""
    item = paper_item("variance")
    epsilons = np.linspace(item["epsilons"]["first"], item["epsilons"]["last"], item["epsilons"]["points"])
    return epsilons, {
        law: np.array([KINDS[kind](law.continuous_limit(float(epsilon))) for epsilon in epsilons])
        for law in map(mechanism_named, item["mechanisms"])
    }


def crossings() -> Iterator[dict[str, Any]]:
    """Yield where the square wave of HDS crosses each rival, for each way to read the figure."""
    paper = paper_item("variance")["paper"]
    for kind in KINDS:
        epsilons, values = curves(kind)
        for rival in values:
            if rival is not HDS:
                found = _crossing(epsilons, values[HDS] - values[rival])
                stated = paper.get(rival.name) if kind == "variance" else None
                yield {"kind": kind, "rival": rival.name, "epsilon": found, "paper": stated} | {
                    "sentence": _sentence(kind, rival.name, found, values[HDS][0] < values[rival][0], stated)
                }


def _crossing(epsilons: Floats, difference: Floats) -> float | None:
    """Return the first sign change, interpolated between two points of the grid."""
    changes = np.flatnonzero(np.sign(difference[1:]) != np.sign(difference[:-1]))
    if not len(changes):
        return None
    i = changes[0]
    share = difference[i] / (difference[i] - difference[i + 1])
    return round(float(epsilons[i] + share * (epsilons[i + 1] - epsilons[i])), 2)


def _sentence(kind: str, rival: str, epsilon: float | None, below: bool, paper: float | None) -> str:  # noqa: FBT001
    side = "below" if below else "above"
    where = "everywhere" if epsilon is None else f"up to epsilon {epsilon:g}"
    stated = "" if paper is None else f" (the paper says {paper:g})"
    return f"worst-case {kind}: the square wave is {side} {rival} {where}{stated}"
