"""A round of two campaigns about one profile: teachers report directions, the others are asked for their class."""

import numpy as np

from privge import Campaign
from privge.campaign import Assignment
from privge.questions import ChoiceFeature, Direction, Encoding, Model, NumberFeature, YesNoFeature

PROFILE = Encoding((NumberFeature("age", 0, 100), YesNoFeature("owns"), ChoiceFeature("place", ("de", "fr", "other"))))
CLASSES = ("calm", "loud", "late")
WEIGHTS = [[3, -2, 5, 1, 0], [-3, 2, -5, 0, 1], [1, 1, 0, -4, 2]]
TEACHERS = [f"teacher {number}" for number in range(40)]
PEOPLE = [f"person {number}" for number in range(60)]
PROFILES = {
    "young": {"age": 3, "owns": "no", "place": "de"},
    "old": {"age": 97.5, "owns": True, "place": "somewhere"},
    "nothing": {},
    "nonsense": {"age": "about forty", "owns": object(), "place": 3.5},
}


def personal(people=PEOPLE):
    """Which classes each person is asked about: every third of them about all, the others about two."""
    classes = np.tile(np.arange(3), (len(people), 1))
    for row in range(len(people)):
        if row % 3:
            classes[row, row % 3] = -1
    return classes


def teach(**changes):
    fields = {"questions": [Direction(PROFILE, directions=16)], "epsilon": 1.0, "round": "spring"}
    return Campaign(**{**fields, "assignment": Assignment.members(TEACHERS, bits=2), **changes})


def ask(**changes):
    offsets = np.random.default_rng(1).integers(-20, 20, (len(PEOPLE), 3))
    assigned = Assignment.of(PEOPLE, personal(), offsets, bits=3)
    fields = {"questions": [Model(PROFILE, WEIGHTS, classes=CLASSES)], "epsilon": 1.0, "round": "spring"}
    return Campaign(**{**fields, "assignment": assigned, **changes})


def rows_of(people, seed=0):
    """Raw values of people, as columns by name."""
    generator = np.random.default_rng(seed)
    places = np.array(["de", "fr", "at"], dtype=object)
    return {
        "age": generator.uniform(0, 100, len(people)),
        "owns": generator.integers(0, 2, len(people)),
        "place": places[generator.integers(0, 3, len(people))],
    }
