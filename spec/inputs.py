"""What a device must refuse beyond the document: features of another form, a shard that lies."""

import hashlib
import struct
from typing import Any

from privge import Campaign
from privge.campaign import Assignment
from privge.questions import Encoding, Model
from spec.values import written

PERSON = "p0"
_KEY = hashlib.sha256(PERSON.encode()).digest()[16:]


def vectors() -> list[dict[str, Any]]:
    """Return campaigns with their shards, a person and their features, and why it is refused."""
    return [*_forms(), *_shards()]


def _entry(name: str, campaign: Campaign, features: object, refused: str, **more: object) -> dict[str, Any]:
    base = {"name": name, "document": campaign.to_json(), "node": PERSON, "features": written(features), "shard": None}
    return {**base, "refused": refused, **more}


def _forms() -> list[dict[str, Any]]:
    named = Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, names=["a", "b", "c"])
    nameless = Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0)
    wrong: dict[str, tuple[Campaign, object]] = {
        "a list that is too short": (named, [1, 2]),
        "a list that is too long": (nameless, [1, 2, 3, 4]),
        "names where there are none": (nameless, {"a": 1}),
        "text for a list": (nameless, "abc"),
        "a number for a list": (nameless, 3),
    }
    return [_entry(name, campaign, features, "features") for name, (campaign, features) in wrong.items()]


def _shards() -> list[dict[str, Any]]:
    model = Model(Encoding.numbers(2, 0, 1, levels=2), ((1, 2),) * 3, classes=("a", "b", "c"))
    others = Assignment.of(["p1", "p2"], [[0, 1], [1, 2]], bits=0)
    campaign = Campaign(epsilon=1.0, k=1, questions=[model], assignment=others)
    found = [
        _entry("somebody else is asked", campaign, [0, 1], "not_asked", shard=others.shards[0].hex()),
        _entry("the shard is another", campaign, [0, 1], "mismatch", shard=others.shards[0][:-1].hex() + "ff"),
        _entry("the shard is empty", campaign, [0, 1], "mismatch", shard=""),
    ]
    good = _KEY + struct.pack("<3H3i", 0, 1, 2, 0, 0, 0)
    for name, shard in {
        "a class behind a gap": _KEY + struct.pack("<3H3i", 0, 65535, 1, 0, 0, 0),
        "classes that do not increase": _KEY + struct.pack("<3H3i", 1, 0, 65535, 0, 0, 0),
        "a class twice": _KEY + struct.pack("<3H3i", 1, 1, 2, 0, 0, 0),
        "one class alone": _KEY + struct.pack("<3H3i", 1, 65535, 65535, 0, 0, 0),
        "a class that the question does not have": _KEY + struct.pack("<3H3i", 0, 1, 3, 0, 0, 0),
        "an offset beyond all": _KEY + struct.pack("<3H3i", 0, 1, 2, -(2**31), 0, 0),
        "half of a record": good[:-1],
        "a person twice": good + good,
        "more people than are asked": bytes(16) + good[16:] + b"\x01" * 16 + good[16:] + good,
    }.items():
        document = _with_shard(model, shard)
        found.append(_entry(f"a shard with {name}", document, [0, 1], "campaign", shard=shard.hex()))
    return found


def _with_shard(model: Model, shard: bytes) -> Campaign:
    digest = hashlib.sha256(shard).hexdigest()
    return Campaign(
        epsilon=1.0,
        k=1,
        questions=[model],
        assignment=Assignment(0, 3, True, (2, 3), 2, (digest,)),
    )
