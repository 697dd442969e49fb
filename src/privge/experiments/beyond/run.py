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
from privge.experiments.spread import percent
from privge.tasks.friends import EVERYBODY, FEW, MANY, SOME, shares_by_friends
from privge.tasks.fusion import RULE

FRIENDS: Final[Mapping[str, str]] = {
    "accuracy": EVERYBODY,
    "few_friends": FEW,
    "some_friends": SOME,
    "many_friends": MANY,
}
"""Who is counted, by number of friends, as results name them."""


def run_trial(trial: Trial, situation: Situation) -> dict[str, Any]:
    """Return the record of one seed."""
    start = time.perf_counter()
    found = trial.method.run(situation, 0.0 if trial.epsilon is None else trial.epsilon)
    seconds = time.perf_counter() - start
    return {
        **trial.identity(),
        "seed": situation.seed,
        **scores(situation, found),
        "fusion": RULE,
        "seconds": round(seconds, 3),
        "peak_bytes": peak_bytes(),
        "versions": {name: version(name) for name in ("privge", "numpy", "scipy", "numba", "scikit-learn")},
    }


def scores(situation: Situation, found: NDArray[np.int64]) -> dict[str, float | None]:
    """Return the percentage of test people whose class is found, of all and by number of friends."""
    world, test = situation.world, situation.test
    right = found[test] == world.labels[test]
    shares = shares_by_friends(world.graph.degrees[test], right)
    return {name: percent(shares[group]) for name, group in FRIENDS.items()}
