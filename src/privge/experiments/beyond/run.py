"""One seed of one trial: find everybody's class, and count who was found, by number of friends."""

import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from privge._machine import peak_bytes
from privge.experiments.beyond.plan import Trial
from privge.experiments.beyond.situation import Situation

FRIENDS: Final[Mapping[str, tuple[float, float]]] = {
    "accuracy": (0, np.inf),
    "few_friends": (0, 2),
    "some_friends": (3, 10),
    "many_friends": (11, np.inf),
}
"""Who is counted, by number of friends, both ends included."""


def run_trial(trial: Trial, situation: Situation) -> dict[str, Any]:
    """Return the record of one seed."""
    start = time.perf_counter()
    found = trial.method.run(situation, 0.0 if trial.epsilon is None else trial.epsilon)
    seconds = time.perf_counter() - start
    return {
        **trial.identity(),
        "seed": situation.seed,
        **scores(situation, found),
        "seconds": round(seconds, 3),
        "peak_bytes": peak_bytes(),
        "versions": {name: version(name) for name in ("privge", "numpy", "scipy", "numba", "scikit-learn")},
    }


def scores(situation: Situation, found: NDArray[np.int64]) -> dict[str, float | None]:
    """Return the percentage of test people whose class is found, of all and by number of friends."""
    world, test = situation.world, situation.test
    right = found[test] == world.labels[test]
    friends = world.graph.degrees[test]
    groups = {name: right[(friends >= low) & (friends <= high)] for name, (low, high) in FRIENDS.items()}
    return {name: round(100 * float(group.mean()), 4) if group.size else None for name, group in groups.items()}
