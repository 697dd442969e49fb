"""What a curator may try with questions: models that single somebody out, personal ones, false shards, rounds."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from privge.campaign import Assignment, Campaign
from privge.questions import (
    Choice,
    ChoiceFeature,
    CountFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    Score,
    YesNo,
    YesNoFeature,
)
from reliability.curator import NAMES, OPEN, Question, Strategy, each

NODE = "somebody"  # as which both people report
HUGE = 2**39
ONE = Encoding((NumberFeature("salary", 0, 131_072, levels=4097),))
PARTY = ChoiceFeature("party", ("left", "right", "3", "none"))
EVERYTHING = Encoding(
    (
        *(NumberFeature(name, 0, 100_000, levels=33, missing="low") for name in NAMES if name != "party"),
        PARTY,
        CountFeature("answered", low=0, high=len(NAMES)),
    )
)


def about(*questions: object, purpose: str = "", epsilon: float = 0.01, **rest: object) -> Campaign:
    """Return a campaign of questions that costs little."""
    return Campaign(questions=questions, epsilon=epsilon, purpose=purpose, k=rest.pop("k", 1), **rest)


def two(weights: list[int], bias: int = 0, **rest: object) -> Model:
    """Return a model of two classes: a score above 0, or not."""
    encoding = rest.pop("encoding", EVERYTHING)
    return Model(encoding, [weights, [0] * len(weights)], bias=(bias, 0), classes=("yes", "no"), **rest)


def bisect_with_models() -> Strategy:
    """Ask whether the salary is above the middle; whoever behaves differently has given half the range away."""
    low, high = 0, 131_072
    for turn in range(17):
        middle = (low + high) // 2
        level = middle * 4096 // 131_072
        weight = 2**20 // ONE.largest[0]
        model = two([weight], -weight * level, encoding=ONE)
        seen = yield Question(about(model, purpose=str(turn)))
        low, high = (low, middle) if len(seen) > 1 else (middle, high)
    return low


def single_out() -> Strategy:
    """Put a huge weight on one coordinate after the other, and on all of them; or on none."""
    columns = EVERYTHING.columns
    rows = [
        [HUGE // (1 + EVERYTHING.largest[at]) if at == place else 0 for at in range(columns)]
        for place in range(columns)
    ]
    rows += [[0] * columns, [1] * columns, [-(3**6)] * columns]
    return each(Question(about(two(row), purpose=str(place))) for place, row in enumerate(rows))


def every_kind() -> Strategy:
    """Questions of every kind about values that are missing, of another type, or there."""
    asked = [
        *(Number(NumberFeature(name, -1e300, 1e300, missing="high")) for name in NAMES),
        *(YesNo(YesNoFeature(name)) for name in NAMES),
        Choice(PARTY),
        Choice(ChoiceFeature("weight", ("heavy", "light"))),
        Score(EVERYTHING, [[1] * EVERYTHING.columns], low=-5, high=5),
        Direction(EVERYTHING),
        Direction(EVERYTHING, directions=2),
    ]
    return each(Question(about(question, purpose=str(place))) for place, question in enumerate(asked))


def assign(seed: int) -> Strategy:
    """Personal questions for this one node, as the curator guesses; also such as no question has."""
    draw = np.random.default_rng(seed)
    return each(Question(_personal(draw, number)) for number in range(12))


def _personal(draw: np.random.Generator, number: int) -> Campaign:
    classes = [f"class {place}" for place in range(6)]
    weights = draw.integers(-(2**20), 2**20, (6, EVERYTHING.columns)).tolist()
    chosen = draw.permutation(6 if number % 4 else 9)[: draw.integers(2, 7)]
    offsets = draw.integers(1 - 2**31, 2**31, (1, len(chosen)))
    assignment = Assignment.of([NODE], chosen[None, :], offsets, bits=int(draw.integers(0, 4)))
    return about(Model(EVERYTHING, weights, classes=classes), purpose=str(number), assignment=assignment)


def ask_at_random(seed: int) -> Strategy:
    """Any profile, any weights, any classes; by choice or by score, normalised or not, alone or beside others."""
    draw = np.random.default_rng(seed)
    return each(Question(_any_questions(draw, number)) for number in range(15))


def _any_questions(draw: np.random.Generator, number: int) -> Campaign:
    names = draw.permutation(NAMES)[: draw.integers(1, len(NAMES))].tolist()
    features = [_any_feature(draw, name) for name in names]
    profile = Encoding(tuple(features))
    size = int(draw.integers(2, 6))
    weights = draw.integers(-(2 ** int(draw.integers(1, 25))), 2**20, (size, profile.columns)).tolist()
    normalised = bool(draw.integers(2))
    questions = [
        Model(profile, weights, classes=[f"class {place}" for place in range(size)], normalised=normalised),
        Score(profile, weights[:1], low=-(2**20), high=2**20, levels=33, normalised=normalised),
        Direction(profile, directions=int(draw.integers(2, 65))),
    ]
    k = int(draw.integers(1, 4))
    return about(*questions, purpose=str(number), epsilon=0.3, k=k)


def _any_feature(draw: np.random.Generator, name: str) -> NumberFeature | YesNoFeature | ChoiceFeature:
    match int(draw.integers(3)):
        case 0:
            low = float(draw.uniform(0, 50))
            rule = str(draw.choice(["midpoint", "low", "high"]))
            return NumberFeature(name, low, low + float(10 ** draw.uniform(0, 5)), levels=33, missing=rule)
        case 1:
            return YesNoFeature(name)
        case _:
            return ChoiceFeature(name, ("left", "heavy", "3", "41", "none"))


def lie_about_shards() -> Strategy:
    """Hand out shards that are others, too large, cut, absent; ask others; say other numbers of classes."""
    question, campaign = two([1] * EVERYTHING.columns), {}
    for name, nodes in (("own", [NODE]), ("others", ["another", "third"])):
        assignment = Assignment.of(nodes, np.tile([0, 1], (len(nodes), 1)), bits=0)
        campaign[name] = about(question, assignment=assignment, purpose=name)
    own, others = campaign["own"], campaign["others"]
    shard = own.assignment.shards[0]
    false = [b"", shard[:-1], shard + shard, bytes(2**23), others.assignment.shards[0]]
    lied = [Question(own, OPEN, shards={own.assignment.digests[0]: content}) for content in false]
    return each([*lied, Question(own, OPEN, shards={}), Question(others, OPEN), *_malformed(own)])


def _malformed(own: Campaign) -> Iterator[Question]:
    """Shards that their hashes name, and that say what the question does not have."""
    shard = own.assignment.shards[0]
    for number, classes in enumerate(
        (b"\x00\x00\x07\x00", b"\x00\x00\xff\xff", b"\xff\xff\xff\xff", b"\x01\x00\x00\x00")
    ):
        content = shard[:16] + classes
        digest = hashlib.sha256(content).hexdigest()
        assignment = replace(own.assignment, digests=(digest,), shards={})
        lied = replace(own, assignment=assignment, purpose=f"malformed {number}")
        yield Question(lied, OPEN, shards={digest: content})


def ask_those_who_taught() -> Strategy:
    """One round: teach, and then ask the same person again and again, as open as can be, and as a holding."""
    fields = {"epsilon": 0.05, "round": "spring"}
    teach = about(Direction(EVERYTHING), purpose="teach", **fields)
    asking = [about(two([place] * EVERYTHING.columns), purpose=f"ask {place}", **fields) for place in range(4)]
    held = (200, {"reason": "held", "codes": [1]})
    return each([Question(teach, OPEN), *(Question(one, OPEN) for one in asking), Question(asking[0], held)])


QUESTIONING: dict[str, Callable[[], Strategy]] = {
    "bisect with models": bisect_with_models,
    "single out by huge weights": single_out,
    "questions of every kind": every_kind,
    "personal questions": lambda: assign(5),
    "questions at random": lambda: ask_at_random(6),
    "false shards": lie_about_shards,
    "ask those who taught": ask_those_who_taught,
}
"""Strategies by their names."""
