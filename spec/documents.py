"""Documents that every client must refuse, each with the reason: what is wrong in one place of a good one."""

import hashlib
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import rfc8785

from privge import Campaign
from privge.random import TOTAL
from spec import campaigns
from spec.outcomes import reading

Change = Callable[[dict[str, Any]], object]


def vectors() -> list[dict[str, Any]]:
    """Return every document with its claimed id, and why it is refused; what is no text is in hexadecimal."""
    found = []
    for name, text, identity in (*_texts(), *_changed()):
        refused = reading(text, identity)
        if refused is None:
            raise AssertionError(f"Python does not refuse: {name}")
        found.append({"name": name, **_written(text), "id": identity, "refused": refused})
    return found


def _written(text: bytes) -> dict[str, str]:
    try:
        return {"text": text.decode()}
    except UnicodeDecodeError:
        return {"hex": text.hex()}


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _texts() -> Iterator[tuple[str, bytes, str]]:
    """Yield texts that are not what they claim, or not canonical."""
    good = next(campaigns.short_forms())[1].to_json()
    text = good.encode()
    yield "the hash of another document", text, _hash(b"")
    yield "one byte changed", text.replace(b'"k":1', b'"k":2'), _hash(text)
    for name, other in {
        "white space": good.replace('"k":1', '"k": 1'),
        "a final line break": good + "\n",
        "a byte order mark": "\ufeff" + good,
        "another order of keys": json.dumps(dict(reversed(json.loads(good).items())), separators=(",", ":")),
        "a number with a point": good.replace('"k":1', '"k":1.0'),
        "a number with an exponent": good.replace('"k":1', '"k":1e0'),
        "minus nothing": good.replace('"low":[0', '"low":[-0'),
        "an escape that is not needed": good.replace('"purpose":""', '"purpose":"\\u0041"'),
        "a slash that is escaped": good.replace('"purpose":""', '"purpose":"\\/"'),
        "a key twice": good.replace('"k":1', '"k":1,"k":1'),
        "NaN": good.replace('"epsilon":1', '"epsilon":NaN'),
        "Infinity": good.replace('"epsilon":1', '"epsilon":Infinity'),
        "a number beyond all": good.replace('"epsilon":1', '"epsilon":1e999'),
        "an integer beyond all": good.replace('"k":1', '"k":' + 400 * "9"),
        "half of a surrogate pair": good.replace('"purpose":""', '"purpose":"\\ud800"'),
        "no end": good[:-1],
        "two documents": good + good,
        "a list": "[]",
        "a number": "1",
        "nothing": "",
        "null": "null",
        "a deep hole": 5_000 * "[",
    }.items():
        yield name, other.encode(), _hash(other.encode())
    for name, raw in {
        "no UTF-8": text.replace(b'"purpose":""', b'"purpose":"\xff"'),
        "UTF-16": good.encode("utf-16"),
    }.items():
        yield name, raw, _hash(raw)


def _changed() -> Iterator[tuple[str, bytes, str]]:
    """Yield canonical texts of documents in which one thing is wrong."""
    short = dict(campaigns.short_forms())
    plain = short["hds, epsilon 1, 1025 levels"]
    for name, change in _SHORT.items():
        yield from _one(name, plain, change)
    for name, (base, change) in _LAWS.items():
        yield from _one(name, short[base], change)
    asked = dict(campaigns.questions())
    taught = dict(campaigns.taught())
    for name, (base, change) in _QUESTIONS.items():
        yield from _one(name, asked[base] if base in asked else taught[base], change)
    yield from _controls()


def _one(name: str, campaign: Campaign, change: Change) -> Iterator[tuple[str, bytes, str]]:
    document = deepcopy(campaign.to_document())
    change(document)
    text = rfc8785.dumps(document)
    yield name, text, _hash(text)


def _controls() -> Iterator[tuple[str, bytes, str]]:
    for mechanism in ("none", "structure"):
        campaign = Campaign(dimensions=2, low=0, high=1, mechanism=mechanism, k=1)
        yield from _one(f"the control {mechanism}", campaign, lambda _: None)


def _set(**fields: object) -> Change:
    return lambda document: document.update(fields)


def _law(**weights: object) -> Change:
    return lambda document: document["law"].update(weights)


def _add(name: str, more: int) -> Change:
    def change(document: dict[str, Any]) -> None:
        document["law"][name] += more

    return change


def _question(place: int = 0, **fields: object) -> Change:
    return lambda document: document["questions"][place].update(fields)


def _feature(feature: int, **fields: object) -> Change:
    return lambda document: document["questions"][0]["features"][feature].update(fields)


def _without(name: str) -> Change:
    return lambda document: document.pop(name)


_SHORT: dict[str, Change] = {
    **{
        f"without {name}": _without(name) for name in ("k", "epsilon", "law", "names", "opens", "missing", "index_rule")
    },
    "a field too many": _set(more=1),
    "levels beside the law": _set(levels=1025),
    "a round that is null": _set(round=None),
    "questions that are null": _set(questions=None),
    "the later format without need": _set(format="privge-campaign-2"),
    "the earlier format with a round": _set(round="a"),
    "another format": _set(format="privge-campaign-3"),
    "epsilon 0": _set(epsilon=0),
    "epsilon below 0": _set(epsilon=-1),
    "epsilon as text": _set(epsilon="1"),
    "epsilon null": _set(epsilon=None),
    "epsilon below what the law spends": _set(epsilon=0.999999),
    "two draws of a law for one": _set(k=2),
    "k 0": _set(k=0),
    "k above the dimensions": _set(k=4, epsilon=9),
    "k true": _set(k=True),
    "no dimensions": _set(dimensions=0),
    "other dimensions than names": _set(dimensions=4),
    "equal bounds in a list": _set(low=[0, 0, 0], high=1),
    "bounds of another number": _set(low=[0, 1]),
    "low at high": _set(low=1, high=1),
    "low above high": _set(low=[0, -1, 0.8]),
    "bounds that differ by nothing when they are halved": _set(low=0, high=5e-324),
    "a bound as text": _set(low="0"),
    "names that are equal": _set(names=["a", "b", "a"]),
    "a name that is a number": _set(names=["a", "b", 3]),
    "an unknown mechanism": _set(mechanism="gauss"),
    "a mechanism of every table": _set(mechanism="constructor"),
    "the law of another mechanism": _set(mechanism="multibit"),
    "an unknown policy": _set(missing="mean"),
    "refuse what is outside": _set(out_of_bounds="refuse"),
    "refuse what is missing": _set(missing="refuse"),
    "another index rule": _set(index_rule="first"),
    "a purpose that is no text": _set(purpose=None),
    "a time without a zone": _set(opens="2027-01-01T00:00:00"),
    "a time with another zone": _set(opens="2027-01-01T00:00:00+01:00"),
    "a time with parts of seconds": _set(opens="2027-01-01T00:00:00.5Z"),
    "a day that is not": _set(opens="2027-02-30T00:00:00Z"),
    "closes before it opens": _set(opens="2027-01-02T00:00:00Z", closes="2027-01-01T00:00:00Z"),
    "retention below 0": _set(retention_days=-1),
    "a retention of parts": _set(retention_days=1.5),
    "a round with white space at its end": _set(format="privge-campaign-2", round="a "),
    "a round in decomposed characters": _set(format="privge-campaign-2", round="u\u0308"),
    "a round with a character that nobody sees": _set(format="privge-campaign-2", round="a\u200b"),
    "an empty round": _set(format="privge-campaign-2", round=""),
    "an assignment that is none": _set(format="privge-campaign-2", assignment={}),
    "an assignment of classes": _set(
        format="privge-campaign-2",
        assignment={"bits": 0, "width": 2, "offsets": False, "nodes": 1, "sizes": [2], "shards": [64 * "0"]},
    ),
}

_HDS, _MULTI, _LAPLACE = (
    "hds, epsilon 1, 1025 levels",
    "multibit, epsilon 1, 1025 levels",
    "laplace, epsilon 4, 5 levels",
)
_CHOICE, _EVEN = "choice, epsilon 1, 1025 levels", "hds, epsilon 2.5, 2 levels"
_LAWS: dict[str, tuple[str, Change]] = {
    "a window law one unit above epsilon": (_HDS, lambda d: d["law"].update(high=10000126319602, low=3678840882098)),
    "a two-point law one step above epsilon": (_MULTI, _add("slope", 2)),
    "a choice law one unit above epsilon": (_CHOICE, _add("low", -1)),
    "a laplace law above epsilon": (_LAPLACE, lambda d: d["law"].update(centre=d["law"]["centre"] + 2**40)),
    "a laplace law of a larger epsilon": (
        _LAPLACE,
        lambda d: d.update(law=dict(campaigns.short_forms())["laplace, epsilon 2.5, 2 levels"].law.parameters()),
    ),
    "weights above 2**53": (_HDS, _law(high=2**52)),
    "a weight of 0": (_HDS, _law(low=0)),
    "a weight below 0": (_HDS, _law(low=-1)),
    "high below low": (_HDS, _law(high=1, low=2)),
    "a law that says nothing": (_HDS, _law(high=2**40, low=2**40)),
    "a weight with a point": (_HDS, _law(low=1.5)),
    "a spare that two outputs cannot share": (_HDS, lambda d: d["law"].update(window=523, low=d["law"]["low"] - 1)),
    "a window of 0": (_HDS, _law(window=0)),
    "a window wider than the grid": (_HDS, _law(window=1025)),
    "one level": (_HDS, _law(levels=1)),
    "too many levels": (_MULTI, _law(levels=4098)),
    "a law with a key too many": (_HDS, _law(more=1)),
    "a law without a key": (_HDS, lambda d: d["law"].pop("low")),
    "an odd swing": (_MULTI, _law(levels=2, slope=3)),
    "a slope of 0": (_MULTI, _law(slope=0)),
    "a slope beyond 2**53": (_MULTI, _law(slope=2**53 - 1)),
    "odd tails": (_LAPLACE, lambda d: d["law"]["tails"].__setitem__(0, d["law"]["tails"][0] + 1)),
    "tails that grow": (_LAPLACE, lambda d: d["law"]["tails"].reverse()),
    "no tails": (_LAPLACE, _law(tails=[])),
    "tails without an end": (_LAPLACE, lambda d: d["law"].update(tails=list(range(12_000, 0, -2)))),
    "a spread of several cells": (_LAPLACE, lambda d: d["law"].update(cells=2, spread=2)),
    "more cells than steps": (_LAPLACE, _law(cells=5)),
    "a midpoint of an even grid": (_EVEN, _set(missing="midpoint")),
    "weights of a choice above 2**53": (_CHOICE, _law(low=TOTAL - 1)),
}

_ALL, _MODEL, _NORMAL, _DIRECTION = "one of each question, 8 of 8", "a model", "a normalised model", "a direction"
_OWN, _SCORE = "a model with own classes and offsets", "a score"
_QUESTIONS: dict[str, tuple[str, Change]] = {
    "no questions": (_ALL, _set(questions=[])),
    "a mechanism beside questions": (_ALL, _set(mechanism="questions")),
    "an unknown kind of question": (_ALL, _question(kind="essay")),
    "a question without a kind": (_ALL, lambda d: d["questions"][0].pop("kind")),
    "a question with a field too many": (_ALL, _question(more=1)),
    "a question that leaves out a default": (_ALL, lambda d: d["questions"][0].pop("scale")),
    "a bound that is null": (_ALL, _question(2, low=None)),
    "a question without laws": (_ALL, lambda d: d["questions"][0].pop("laws")),
    "a question with no law": (_ALL, _question(laws=[])),
    "a question with two laws": (_ALL, lambda d: d["questions"][0]["laws"].append(d["questions"][0]["laws"][0])),
    "the law of another grid": (_ALL, lambda d: d["questions"][0].update(laws=d["questions"][3]["laws"])),
    "a control as a mechanism": (_ALL, _question(mechanism="none", laws=[{"levels": 121}])),
    "laws that spend too much together": (_ALL, _set(epsilon=5.99)),
    "more answers than epsilon has room for": ("one of each question, 3 of 8", _set(k=4)),
    "thresholds that do not increase": (_ALL, _question(2, thresholds=[1, 1, 2, 3])),
    "thresholds beside bounds": (_ALL, _question(2, low=0, high=1)),
    "levels that thresholds do not have": (_ALL, _question(2, levels=7)),
    "a root of less than 0": (_ALL, _question(1, low=-1)),
    "missing as nobody counts": (_ALL, _question(missing="mean")),
    "yes or no missing as a middle": (_ALL, _question(4, missing="midpoint")),
    "values that are equal as text": (_ALL, _question(6, values=["red", "green", "7", 7, "b"])),
    "otherwise another": (_ALL, _question(6, otherwise="black")),
    "a name that is empty": (_ALL, _question(name="")),
    "a scale beyond all": (_ALL, _question(scale=2**41)),
    "a centre with a point": (_ALL, _question(centre=0.5)),
    "weights of another width": (_MODEL, lambda d: d["questions"][0]["weights"][0].pop()),
    "weights of another number of classes": (_MODEL, lambda d: d["questions"][0]["weights"].pop()),
    "weights whose sum could reach 2**53": (_MODEL, lambda d: d["questions"][0]["weights"][0].__setitem__(0, 2**45)),
    "classes that are equal": (_MODEL, _question(classes=["a", "a", "b", "c"])),
    "a shift without a length": (_MODEL, _question(shift=0, fraction=0)),
    "more digits than 2**53 has room for": (_NORMAL, _question(fraction=12, shift=30)),
    "a normalised model without digits": (_NORMAL, lambda d: d["questions"][0].pop("fraction")),
    "a count of what is not there": (_MODEL, _feature(6, of=["nothing"])),
    "a count of a choice": (_MODEL, _feature(6, of=["colour"])),
    "features that are called alike": (_MODEL, _feature(1, name="age")),
    "an unknown kind of feature": (_MODEL, _feature(0, kind="photo")),
    "numbers without names beside others": (_MODEL, lambda d: d["questions"][0]["features"][4].pop("names")),
    "another rule of directions": (_DIRECTION, _question(rule="mine")),
    "other directions than the law": (_DIRECTION, _question(directions=63)),
    "a direction law above epsilon": (_DIRECTION, lambda d: d["questions"][0]["laws"][0].update(low=2**44)),
    "a direction law that says nothing": (
        _DIRECTION,
        lambda d: d["questions"][0]["laws"][0].update(high=2**44, low=2**44),
    ),
    "coordinates too large for a direction": (_DIRECTION, _feature(0, centre=2**52)),
    "a score without a span": (_SCORE, _question(low=5, high=5)),
    "a score with too wide a span": (_SCORE, _question(low=-(2**52), high=2**52)),
    "sizes that do not increase": (_OWN, lambda d: d["assignment"].update(sizes=[3, 2])),
    "sizes that end before the width": (_OWN, lambda d: d["assignment"].update(sizes=[2])),
    "shards of another number": (_OWN, lambda d: d["assignment"]["shards"].pop()),
    "a shard that is named by no hash": (_OWN, lambda d: d["assignment"]["shards"].__setitem__(0, 64 * "G")),
    "a law too few for the sizes": (_OWN, lambda d: d["questions"][0]["laws"].pop()),
    "classes assigned for two questions": (_OWN, lambda d: d["questions"].append(d["questions"][0])),
}
