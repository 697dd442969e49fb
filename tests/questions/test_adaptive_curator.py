"""A curator who chooses each question by the reports before it learns at most epsilon about anybody: by enumeration.

Two people, a small universe of profiles, a handful of campaigns (honest, malicious, degenerate, personal), and every
function from the first person's report to the second person's campaign. What the curator sees is the whole transcript:
first campaign, first report, second campaign, second report. All probabilities are exact: the integer weights of the
laws, at whatever the device's own code hands to them.
"""

from contextlib import ExitStack
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import prod
from unittest.mock import patch

import numpy as np
import pytest

from privge import Campaign
from privge.campaign import Assignment
from privge.mechanisms import Nearest
from privge.perturbation.draw import draw
from privge.questions import (
    Choice,
    ChoiceFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    YesNo,
    YesNoFeature,
)
from privge.random import TOTAL
from privge.testing.table import exp_below

AGE, OWNS = NumberFeature("age", 0, 100, levels=3), YesNoFeature("owns")
PLACE = ChoiceFeature("place", ("de", "fr", "other"))
PROFILE = Encoding((AGE, OWNS, PLACE))
HUGE = 2**39
UNIVERSE = (
    {"age": 0, "owns": 0, "place": "de"},
    {"age": 100, "owns": 1, "place": "fr"},
    {"age": 100, "owns": 0, "place": "nowhere"},
    {},
)
CLASSES = ("a", "b", "c")
ANN, BEN = "ann", "ben"


def model(weights, classes=CLASSES, **changes):
    return Model(PROFILE, weights, classes=classes[: len(weights)], **changes)


def personal(classes, offsets):
    return Assignment.of([ANN, BEN], np.array([classes] * 2), np.array([offsets] * 2))


@cache
def campaigns(epsilon):
    """What a curator may ask, all at one epsilon."""
    taste = [[9, -4, 3, 1, 0], [-9, 4, -3, 0, 1], [1, 1, 0, -4, 2]]
    single_out = [[HUGE, 0, 0, 0, 0], [-HUGE, 0, 0, 0, 0]]
    asked = {
        "a model": {"questions": [model(taste)]},
        "huge weights on one value": {"questions": [model(single_out)]},
        "a model that says nothing": {"questions": [model([[0] * 5, [0] * 5])]},
        "own classes and offsets": {
            "questions": [model(taste, normalised=True)],
            "assignment": personal([0, 2], [2**31 - 1, 1 - 2**31]),
        },
        "a direction": {"questions": [Direction(PROFILE, directions=4)]},
        "a choice": {"questions": [Choice(PLACE)]},
        "a yes or no": {"questions": [YesNo(OWNS)]},
        "a number": {"questions": [Number(AGE)]},
        "two questions": {"questions": [YesNo(OWNS), Choice(PLACE)], "k": 2},
    }
    return {name: Campaign(epsilon=epsilon, **fields) for name, fields in asked.items()}


EPSILON = 0.75
BOUND = max(exp_below(Fraction(EPSILON)), exp_below(Fraction(EPSILON) / 2) ** 2)  # both are below exp(EPSILON)
NAMES = tuple(campaigns(EPSILON))
FEW = ("huge weights on one value", "own classes and offsets", "a yes or no")  # two codes each


@cache
def distribution(epsilon, name, profile, node):
    """The exact probability of every report of a person: the device's own code, and the weights of its law."""
    campaign, given = campaigns(epsilon)[name], []
    with ExitStack() as stack:
        for law in {type(law) for question in campaign.questions for law in question.laws}:
            stack.enter_context(patch.object(law, "code", lambda self, what, _: given.append((self, what)) or 0))
        draw(campaign, UNIVERSE[profile], node)
    rows = [weights(law, what) for law, what in given]
    assert all(sum(row) == TOTAL for row in rows)
    places = product(*(range(len(row)) for row in rows))
    return {codes: prod(Fraction(row[code], TOTAL) for row, code in zip(rows, codes, strict=True)) for codes in places}


def weights(law, what):
    if isinstance(law, Nearest):
        order = sorted(range(law.directions), key=lambda place: (-what[place], place))
        return law.weights(order[: law.near]).tolist()
    return law.weights(what).tolist()


def transcripts(first, strategy, worlds, *, ann=EPSILON, ben=EPSILON, second=BEN):
    """The probability of everything that a curator can see, in every world: two profiles."""
    seen = {}
    for world in worlds:
        for report, chance in distribution(ann, first, world[0], ANN).items():
            name = strategy[report]
            own = world[1] if second == BEN else world[0]
            for answer, again in distribution(ben, name, own, second).items():
                seen.setdefault((first, report, name, answer), {})[world] = chance * again
    return seen


def worst(seen, who):
    """The largest quotient of two worlds that differ in one person's data alone."""
    ratio = Fraction(0)
    for chances in seen.values():
        for one, other in permutations(chances, 2):
            if one[1 - who] == other[1 - who]:
                ratio = max(ratio, chances[one] / chances[other])
    return ratio


def strategies(first, choices):
    reports = list(distribution(EPSILON, first, 0, ANN))
    return (dict(zip(reports, chosen, strict=True)) for chosen in product(choices, repeat=len(reports)))


WORLDS = list(product(range(len(UNIVERSE)), repeat=2))


@pytest.mark.parametrize("first", [name for name in NAMES if len(distribution(EPSILON, name, 0, ANN)) <= 4])
def test_whatever_strategy_a_curator_has_a_transcript_says_at_most_epsilon_about_anybody(first):
    """With all campaigns to choose from after a report of two codes, and with fewer after one of more: 81 to 256."""
    choices = NAMES[: {2: 9, 3: 6, 4: 4}[len(distribution(EPSILON, first, 0, ANN))]]
    for strategy in strategies(first, choices):
        seen = transcripts(first, strategy, WORLDS)
        assert worst(seen, 0) <= BOUND
        assert worst(seen, 1) <= BOUND


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_whatever_is_asked_after_whatever_report_costs_nobody_more_than_epsilon(first, second):
    """A transcript depends on a strategy only through what it chose after this report: so all pairs are all of them."""
    always = dict.fromkeys(distribution(EPSILON, first, 0, ANN), second)
    seen = transcripts(first, always, WORLDS)
    assert max(worst(seen, 0), worst(seen, 1)) <= BOUND


def test_everybody_has_their_own_epsilon():
    """Ann agreed to 2, Ben to a quarter; neither pays for the other."""
    strategy = dict(zip(distribution(2.0, "a yes or no", 0, ANN), FEW[:2], strict=True))
    seen = transcripts("a yes or no", strategy, WORLDS, ann=2.0, ben=0.25)
    assert exp_below(Fraction(1)) < worst(seen, 0) <= exp_below(Fraction(2))
    assert Fraction(1) < worst(seen, 1) <= exp_below(Fraction(1, 4))


def test_the_bound_is_reached_so_that_a_smaller_one_would_fail():
    seen = transcripts("a yes or no", dict.fromkeys([(0,), (1,)], "huge weights on one value"), WORLDS)
    nearly = exp_below(Fraction(EPSILON) - Fraction(1, 10**6))
    assert nearly < worst(seen, 0)
    assert nearly < worst(seen, 1)


# What would break it.


def test_somebody_who_is_asked_twice_because_no_round_is_kept_pays_twice():
    ratios = [
        worst(transcripts(first, strategy, WORLDS, second=ANN), 0)
        for first in FEW
        for strategy in strategies(first, FEW)
    ]
    assert max(ratios) > exp_below(Fraction(19, 10) * Fraction(EPSILON))
    assert max(ratios) <= exp_below(Fraction(EPSILON)) ** 2


def test_a_question_that_follows_from_the_persons_own_report_and_is_put_to_them_again_exceeds_epsilon():
    """The curator zooms in: whoever said yes is asked something else than whoever said no."""
    zoom = {(0,): "own classes and offsets", (1,): "huge weights on one value"}
    own = worst(transcripts("a yes or no", zoom, WORLDS, second=ANN), 0)
    others = worst(transcripts("a yes or no", zoom, WORLDS, second=BEN), 0)
    assert others <= exp_below(Fraction(EPSILON)) < own


def test_a_question_that_follows_from_the_persons_own_values_gives_them_away():
    """If which question is put depends on what is private, no law helps: some transcripts are then impossible."""
    seen = {}
    for profile in range(len(UNIVERSE)):
        name = "a yes or no" if UNIVERSE[profile].get("owns") else "a choice"
        for report, chance in distribution(EPSILON, name, profile, ANN).items():
            seen.setdefault((name, report), {})[profile] = chance
    assert all(len(chances) < len(UNIVERSE) for chances in seen.values())
