"""The campaigns of the test vectors: every mechanism and kind of question, both forms, 2 to 4,097 levels."""

from collections.abc import Iterator

import numpy as np

from privge import Campaign
from privge.campaign import Assignment
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

MECHANISMS = ("hds", "piecewise", "multibit", "laplace", "choice")


def short_forms() -> Iterator[tuple[str, Campaign]]:
    """Yield campaigns of many numbers alike."""
    for mechanism in MECHANISMS:
        for epsilon, k, levels in ((1.0, 1, 1025), (0.3, 2, 17), (4.0, 3, 5), (2.5, 2, 2), (8.0, 3, 4097)):
            even = levels % 2 == 0
            yield (
                f"{mechanism}, epsilon {epsilon:g}, {levels} levels",
                Campaign(
                    dimensions=3,
                    low=[0, -1, 0.1],
                    high=[1, 1, 0.7],
                    mechanism=mechanism,
                    epsilon=epsilon,
                    k=k,
                    levels=levels,
                    missing="high" if even else "midpoint",
                    names=["a", "b", "constructor"],
                ),
            )
    yield "narrow laplace", Campaign(dimensions=2, low=0, high=1, mechanism="laplace", epsilon=0.01, k=1, levels=17)
    yield "hds of tiny epsilon", Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1e-6, k=2)
    yield "hds of large epsilon", Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=70.0, k=2)
    yield (
        "bounds as large as numbers are",
        Campaign(dimensions=2, low=-1.7e308, high=[1.7e308, 1.6e308], mechanism="hds", epsilon=2.0, k=2),
    )
    yield (
        "bounds as small as numbers are",
        Campaign(dimensions=2, low=0, high=[1e-320, 5e-324 * 4], mechanism="piecewise", epsilon=2.0, k=2),
    )
    yield (
        "what lies outside is the midpoint",
        Campaign(
            dimensions=2, low=0, high=1, mechanism="hds", epsilon=2.0, k=2, out_of_bounds="midpoint", missing="low"
        ),
    )
    yield (
        "many features, words and times",
        Campaign(
            dimensions=50,
            low=0,
            high=1,
            mechanism="hds",
            epsilon=12.5,
            k=25,
            purpose='Zürich \u2013 „warum“? \u2028 \x7f \U0001f600 \\ "',
            opens="2026-01-01T00:00:00Z",
            closes="2099-12-31T23:59:59Z",
            retention_days=30,
            round="spring 2027",
        ),
    )
    yield "a lot of features", Campaign(dimensions=2**31 - 1, low=0, high=1, mechanism="multibit", epsilon=2.0, k=3)


def questions() -> Iterator[tuple[str, Campaign]]:
    """Yield campaigns of questions that are about one value each, and of whole profiles."""
    singles = [
        Number(NumberFeature("age", 0, 120, levels=121, missing="low")),
        Number(NumberFeature("income", 0, 1e6, levels=65, sqrt=True, missing="high"), "laplace"),
        Number(NumberFeature("visits", thresholds=(1, 2.5, 10, 100)), "piecewise"),
        Number(NumberFeature("mood", -1, 1, levels=9), "multibit"),
        YesNo(YesNoFeature("member")),
        YesNo(YesNoFeature("vegan", missing="yes")),
        Choice(ChoiceFeature("colour", ("red", "green", "blü", "7", 1024), otherwise="green")),
        Choice(ChoiceFeature("size", (0, 1, 2, "1e-05", "0.5", "inf", "True"))),
    ]
    yield "one of each question, 3 of 8", Campaign(epsilon=3.0, k=3, questions=singles)
    yield "one of each question, 8 of 8", Campaign(epsilon=6.0, k=8, questions=singles, purpose="all")
    yield "one yes or no", Campaign(epsilon=0.5, k=1, questions=[singles[4]], round="Ü")
    profile = _profile()
    yield "a direction", Campaign(epsilon=2.0, k=1, questions=[Direction(profile)])
    yield "a direction of few", Campaign(epsilon=1.0, k=1, questions=[Direction(Encoding.numbers(5, 0, 1), 3)])
    yield (
        "a direction beside questions",
        Campaign(epsilon=4.0, k=2, questions=[singles[0], Direction(profile, 16), singles[6]]),
    )


def taught() -> Iterator[tuple[str, Campaign]]:
    """Yield campaigns whose questions a public model answers, with and without assignments."""
    profile, generator = _profile(), np.random.default_rng(7)
    weights = generator.integers(-(2**20), 2**20, (4, profile.columns))
    classes = ("north", "east", "south", "west")
    plain = Model(profile, _rows(weights), bias=(5, -3, 0, 12345), classes=classes)
    yield "a model", Campaign(epsilon=1.5, k=1, questions=[plain])
    normalised = Model(profile, _rows(weights // 64), classes=classes, normalised=True, shift=2)
    yield "a normalised model", Campaign(epsilon=1.5, k=1, questions=[normalised])
    ties = Model(Encoding.numbers(3, 0, 1, levels=2), ((1, 1, 1),) * 3, classes=("a", "b", "c"))
    yield "a model full of ties", Campaign(epsilon=1.0, k=1, questions=[ties])
    people = [f"p{number}" for number in range(40)]
    rows = np.sort(generator.permuted(np.tile(np.arange(4), (40, 1)), axis=1)[:, :3], axis=1)
    rows[::3, 2] = -1
    offsets = generator.integers(-(2**31) + 1, 2**31, rows.shape)
    asked = Assignment.of(people, rows, offsets, bits=2)
    yield "a model with own classes and offsets", Campaign(epsilon=1.5, k=1, questions=[plain], assignment=asked)
    asked = Assignment.of(people, rows[:, :2])
    yield (
        "a normalised model with own classes",
        Campaign(epsilon=2.0, k=1, questions=[normalised], assignment=asked, round="spring"),
    )
    score = Score(profile, _rows(weights[:1]), -(10**9), 10**9, 33, "hds", bias=(7,), name="likeness")
    yield "a score", Campaign(epsilon=1.0, k=1, questions=[score])
    even = Score(profile, _rows(weights[1:2] // 64), -9999, 10000, 4, "laplace", normalised=True, shift=1)
    yield "a normalised score", Campaign(epsilon=3.0, k=1, questions=[even])
    yield (
        "two models and a number",
        Campaign(epsilon=5.0, k=2, questions=[plain, Number(NumberFeature("age", 0, 9)), score]),
    )
    yield (
        "members of the short form",
        Campaign(
            dimensions=4,
            low=0,
            high=1,
            mechanism="hds",
            epsilon=2.0,
            k=2,
            assignment=Assignment.members(people, bits=1),
        ),
    )


def _profile() -> Encoding:
    return Encoding(
        (
            NumberFeature("age", 0, 120, levels=25),
            NumberFeature("steps", thresholds=(0, 10, 1000), scale=100, centre=-7),
            YesNoFeature("member"),
            ChoiceFeature("colour", ("red", "green", "blue")),
            NumbersFeature(3, 0, 1, levels=3, names=("w0", "w1", "w2"), scale=(1, -2, 3), name="words"),
            CountFeature("size", low=0, high=6, levels=7),
            CountFeature("few", of=("words", "member"), thresholds=(1, 3)),
        )
    )


def _rows(matrix: np.ndarray) -> tuple[tuple[int, ...], ...]:  # type: ignore[type-arg]
    return tuple(tuple(int(each) for each in row) for row in matrix)
