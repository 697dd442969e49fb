"""A device does the same work for every profile, whatever is asked: the same instructions, in the same order.

Reading a raw value (`privge.questions.people`) tells numbers from text and from nothing, and is left out of what is
followed: how long it takes is covered by the slot in which a report is prepared (`privge.device.pace`).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from privge import Campaign
from privge.audit.same_work import followed
from privge.campaign import Assignment
from privge.perturbation.draw import draw, rehearse
from privge.questions import (
    Choice,
    ChoiceFeature,
    CountFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    NumbersFeature,
    Score,
    YesNo,
    YesNoFeature,
)
from privge.questions.scores import scores

AGE, OWNS = NumberFeature("age", 0, 100), YesNoFeature("owns")
PLACE = ChoiceFeature("place", ("de", "fr", "other"))
STEPS = NumberFeature("steps", thresholds=(10, 100, 1000), missing="low")
SIZE = CountFeature("size", low=0, high=3, sqrt=True)
PROFILE = Encoding((AGE, OWNS, PLACE, STEPS, SIZE))
WIDTH = PROFILE.columns
WEIGHTS = np.random.default_rng(0).integers(-99, 99, (4, WIDTH)).tolist()
CLASSES = ("a", "b", "c", "d")
MANY = Encoding.numbers(200, 0, 1, levels=2, centre=0)
MANY_WEIGHTS = np.random.default_rng(1).integers(-9, 9, (2, 200)).tolist()

QUESTIONS = {
    "number": [Number(AGE)],
    "yes-no": [YesNo(OWNS)],
    "choice": [Choice(PLACE)],
    "direction": [Direction(PROFILE)],
    "model": [Model(PROFILE, WEIGHTS, classes=CLASSES)],
    "normalised model": [Model(PROFILE, WEIGHTS, classes=CLASSES, normalised=True)],
    "score": [Score(PROFILE, WEIGHTS[:1], low=-900, high=900, normalised=True)],
    "several": [Number(AGE), YesNo(OWNS), Choice(PLACE), Model(PROFILE, WEIGHTS, classes=CLASSES)],
}
PROFILES = [
    {"age": 50.0, "owns": 1.0, "place": "de", "steps": 0.0},
    {"age": 0.0, "owns": 0.0, "place": "fr", "steps": 1e9},
    {"age": -1e300, "owns": 0.5, "place": "other", "steps": 99.0},
    {"age": 1e300, "owns": -7.0, "place": "nowhere", "steps": -1.0},
    {"age": float("nan"), "owns": None, "place": None, "steps": float("inf")},
    {},
    {"age": "forty", "owns": "yes", "place": 3.5, "steps": [1]},
]
READING = ("questions/people.py", "perturbation/draw.py")


def campaign_of(questions, **changes):
    return Campaign(questions=questions, epsilon=1.0, k=len(questions), **changes)


def ways(campaign, profiles=PROFILES, node="alice"):
    """The different ways to draw for some profiles, after a rehearsal as on a device."""
    rehearse(campaign, node)
    return {followed(partial(draw, campaign, profile, node), but=READING) for profile in profiles}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_profile_runs_the_same_instructions(kind):
    found = ways(campaign_of(QUESTIONS[kind]))
    assert len(found) == 1
    assert len(found.pop()) > 100  # something was followed


@pytest.mark.parametrize("offsets", [None, [[2**30, -(2**30), 7]]])
def test_every_profile_runs_the_same_instructions_in_a_personal_question(offsets):
    assignment = Assignment.of(["alice"], np.array([[3, 0, 1]]), None if offsets is None else np.array(offsets))
    assert len(ways(campaign_of(QUESTIONS["normalised model"], assignment=assignment))) == 1


@pytest.mark.parametrize(
    "question",
    [Model(MANY, MANY_WEIGHTS, classes=("a", "b"), normalised=True), Direction(MANY)],
    ids=["model", "direction"],
)
def test_a_profile_of_nothing_runs_as_one_of_everything(question):
    profiles = [[0.0] * 200, [1.0] * 200, [None] * 200, np.random.default_rng(2).uniform(0, 1, 200).tolist()]
    assert len(ways(campaign_of([question]), profiles)) == 1


@dataclass(frozen=True)
class LeavingEarly(Model):
    """The defect: classes are compared one after the other, and the first that cannot be beaten ends it."""

    def draw(self, person, places, asked, word):
        _, misfits = super().draw(person, places, asked, word)
        coordinates, _ = self.encoding.encoded(person, places)
        each = scores(coordinates, *self.integers, digits=self.digits)[0].tolist()
        best = 0
        for place, score in enumerate(each):
            if score > each[best]:
                best = place
        return self.law.code(best, word), misfits


@dataclass(frozen=True)
class SkippingZeros(Model):
    """The defect: only what is not 0 is multiplied."""

    def draw(self, person, places, asked, word):
        coordinates, _ = self.encoding.encoded(person, places)
        for place in np.flatnonzero(coordinates[0]).tolist():
            word = max(0, word - self.weights[0][place] + self.weights[0][place])
        return super().draw(person, places, asked, word)


def test_a_comparison_that_branches_is_noticed():
    assert len(ways(campaign_of([LeavingEarly(PROFILE, WEIGHTS, classes=CLASSES)]))) > 1


def test_work_for_what_is_not_zero_is_noticed():
    question = SkippingZeros(MANY, MANY_WEIGHTS, classes=("a", "b"))
    assert len(ways(campaign_of([question]), [[0.0] * 200, [1.0] * 200])) > 1


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_rehearsal_does_all_the_work_of_a_draw(kind):
    """What a draw prepares for later, the rehearsal has prepared: the first draw runs as the second."""
    document = campaign_of(QUESTIONS[kind]).to_json()
    fresh = Campaign.from_json(document)
    rehearse(fresh, "alice")
    first, second = (followed(lambda: draw(fresh, PROFILES[0], "alice"), but=READING) for _ in range(2))
    assert first == second


def test_a_draw_without_a_rehearsal_would_be_noticed():
    fresh = Campaign.from_json(campaign_of(QUESTIONS["model"]).to_json())
    first, second = (followed(lambda: draw(fresh, PROFILES[0], "alice"), but=READING) for _ in range(2))
    assert first != second


@pytest.mark.parametrize("kind", QUESTIONS)
def test_drawing_leaves_no_trace_of_a_profile_in_memory(kind):
    campaign = campaign_of(QUESTIONS[kind])
    rehearse(campaign, "alice")
    before = remembered(campaign)
    for profile in PROFILES:
        draw(campaign, profile, "alice")
    assert remembered(campaign) == before


def remembered(campaign):
    return [repr(sorted(vars(question).items(), key=str)) for question in campaign.questions] + [repr(vars(campaign))]


def test_numbers_in_a_table_may_be_named():
    """As the demo has them: the same holds for many named numbers, given by name in any order."""
    names = tuple(f"n{place}" for place in range(30))
    profile = Encoding((NumbersFeature(30, 0, 1, names=names),))
    question = Model(profile, [[1] * 30, [-1] * 30], classes=("a", "b"), normalised=True)
    profiles = [dict.fromkeys(names, 1.0), {}, dict.fromkeys(reversed(names), 0.5)]
    assert len(ways(campaign_of([question]), profiles)) == 1
