"""Teach, then ask: one answer of each person whose answer can matter, and the controls that must fail to help."""

import numpy as np
from numpy.typing import NDArray

from privge.experiments.beyond.situation import Situation
from privge.experiments.beyond.vectors import seed_of
from privge.teaching import Design, Null, two_step

PANEL = 500
"""People of a panel, who hand out their profiles and have no local privacy."""

VOLUNTEERS = 4.0
"""What teachers agreed to who agreed to more than those who are asked."""


def taught(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes by structure and answers; teachers report at the same budget."""
    return _found(situation, Design(epsilon=epsilon))


def taught_by_volunteers(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes by structure and answers; teachers agreed to a larger budget."""
    return _found(situation, Design(epsilon=epsilon, teacher_epsilon=VOLUNTEERS))


def taught_by_panel(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Find classes by structure and answers; a panel that agreed to hand out its profiles teaches."""
    return _found(situation, Design(epsilon=epsilon, panel=PANEL))


def other_profile(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Do as `taught` does, where each answer is computed from somebody else's profile."""
    return _found(situation, Design(epsilon=epsilon), "other profile")


def shuffled_labels(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Do as `taught` does, where the question is taught on labels of other people."""
    return _found(situation, Design(epsilon=epsilon), "shuffled labels")


def shuffled_features(situation: Situation, epsilon: float) -> NDArray[np.int64]:
    """Do as `taught` does, where everybody has the features of somebody else."""
    return _found(situation, Design(epsilon=epsilon), "shuffled features")


def _found(situation: Situation, design: Design, null: Null | None = None) -> NDArray[np.int64]:
    world = situation.world
    outcome = two_step(
        world.graph,
        world.features,
        world.labels,
        encoding=world.encoding,
        split=world.split,
        design=design,
        null=null,
        structure=situation.prior,
        seed=seed_of("taught", situation, design.epsilon),
    )
    best: NDArray[np.int64] = outcome.fusion.probabilities.argmax(axis=1)
    return best
