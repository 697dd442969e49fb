"""What is measured beyond the paper: datasets, budgets and seeds, from ``plan.toml`` beside this file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from privge.errors import BadData
from privge.experiments.beyond.methods import METHODS, Method
from privge.experiments.own import read_own
from privge.experiments.run import FIRST_SPLIT

REPEATS: Final = 6
"""Seeds of each dataset, unless more are asked for."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A dataset of the plan.

    Parameters
    ----------
    title
        What it is, in words.
    epsilons
        Budgets of those who are asked.
    first_seed
        Of the network or the split; the others follow.
    majority
        Percentage of the largest class.
    """

    title: str
    epsilons: tuple[float, ...]
    first_seed: int
    majority: float


@dataclass(frozen=True, slots=True)
class Trial:
    """One number, but for its repeats: a method on a dataset at a budget, None for a method that asks nobody."""

    dataset: str
    method: Method
    epsilon: float | None = None

    def identity(self) -> dict[str, object]:
        """Return what tells this trial from others, as a result holds it."""
        return {"dataset": self.dataset, "method": self.method.name, "epsilon": self.epsilon}


@cache
def measured() -> Mapping[str, Measured]:
    """Read the plan."""
    document = tomllib.loads(files("privge.experiments.beyond").joinpath("plan.toml").read_text(encoding="utf-8"))
    return {
        name: Measured(entry["title"], tuple(map(float, entry["epsilons"])), entry["first_seed"], entry["majority"])
        for name, entry in document["datasets"].items()
    }


def measured_in(folder: Path) -> Mapping[str, Measured]:
    """Return the plan with the datasets that are somebody's own among the results of a folder."""
    own = {
        name: Measured(f"{name}, {one.features:,} features", one.epsilons, FIRST_SPLIT, one.majority)
        for name, one in read_own(folder).items()
    }
    return {**measured(), **own}


def trials(
    datasets: tuple[str, ...] = (), methods: tuple[str, ...] = (), epsilons: tuple[float, ...] = ()
) -> list[Trial]:
    """Return what was asked for; an empty tuple means everything. What asks nobody is always there, as a control."""
    for what, asked, known in (("dataset", datasets, measured()), ("method", methods, METHODS)):
        for name in asked:
            if name not in known:
                raise BadData(f"there is no {what} {name!r}; there are {', '.join(known)}")
    found = [
        Trial(dataset, method, epsilon)
        for dataset in datasets or tuple(measured())
        for method in METHODS.values()
        if method.on(dataset)
        for epsilon in (measured()[dataset].epsilons if method.asks else (None,))
    ]
    chosen = [
        trial
        for trial in found
        if (trial.epsilon is None and trial.method.control)
        or ((not methods or trial.method.name in methods) and (not epsilons or trial.epsilon in epsilons))
    ]
    if all(trial.method.control for trial in chosen) and (methods or epsilons):
        raise BadData("no experiment has that method and epsilon; leave one of them out to see all")
    return chosen
