"""People for the test vectors: values on levels, between them, outside, missing, and of every odd kind."""

import math
from collections.abc import Iterator
from fractions import Fraction

from privge import Campaign

NODES = ("alice", "17", "Zoë", "p0", "p1", "p3", "\U0001f600", "a b", "-5", "0")

ODD = (
    None,
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    True,
    False,
    "0.5",
    "yes",
    " No\t",
    "TRUE",
    "fal\u017fe",
    "",
    "  ",
    "constructor",
    "__proto__",
    10**30,
    -(10**400),
    1e-5,
    0.5,
    1e300,
    5e-324,
)


def people(campaign: Campaign) -> Iterator[tuple[str, object]]:
    """Yield nodes and their features."""
    if campaign.questions is None:
        yield from _of_numbers(campaign)
    else:
        yield from _of_questions(campaign)


def _of_numbers(campaign: Campaign) -> Iterator[tuple[str, object]]:
    nodes = _nodes(campaign)
    rows = list(_edges(campaign)) + [[value] for value in ODD]
    for place, row in enumerate(rows):
        node = nodes[place % len(nodes)]
        if campaign.dimensions > 1000:
            return
        values = [row[index % len(row)] for index in range(campaign.dimensions)]
        named = campaign.names is not None and place % 2
        yield node, dict(zip(campaign.names or (), values, strict=True)) if named else values
    if campaign.names is not None:
        yield nodes[0], {}


def _edges(campaign: Campaign) -> Iterator[list[float]]:
    """Yield rows of numbers on levels, halfway between two, and next to these."""
    steps = campaign.law.levels - 1
    lows = campaign.low if isinstance(campaign.low, tuple) else (campaign.low,) * min(3, campaign.dimensions)
    highs = campaign.high if isinstance(campaign.high, tuple) else (campaign.high,) * len(lows)
    for share in (
        Fraction(0),
        Fraction(1),
        Fraction(1, 2),
        Fraction(1, 2 * steps),
        Fraction(3, 2 * steps),
        Fraction(1, 3),
    ):
        exact = [
            float(Fraction(low) + (Fraction(high) - Fraction(low)) * share)
            for low, high in zip(lows, highs, strict=True)
        ]
        yield exact
        yield [math.nextafter(each, math.inf) for each in exact]
        yield [math.nextafter(each, -math.inf) for each in exact]


VALUES: dict[str, tuple[object, ...]] = {
    "age": (0, 120, 37, 2.5, 7.5, 119.5, 120.5, -1, *ODD),
    "income": (0, 1e6, 2, 244.140625, 61.03515625, 999_999.5, *ODD),
    "visits": (0, 1, 2.5, 2.4999999999999996, 10, 100, 1e9, *ODD),
    "mood": (-1, 1, 0, 0.125, -0.125, 0.375, *ODD),
    "member": (1, 0, 2, "false", "no ", *ODD),
    "vegan": (1, 0, "never", "\u2003yes\u3000", *ODD),
    "colour": ("red", "blue", "blü", 7, 7.0, 1024, "1024", " red", *ODD),
    "size": (0, 1, 2.0, 1e-5, True, "2", *ODD),
    "steps": (0, 10, 9.999, 1000, -1, *ODD),
    "w0": (0, 1, 0.5, 0.25, 0.75, *ODD),
    "w1": (1, 0, 0.5, *ODD),
    "w2": (0.2, 0.8, 1, *ODD),
}


def _of_questions(campaign: Campaign) -> Iterator[tuple[str, object]]:
    nodes, names = _nodes(campaign), campaign.raw_names
    for place in range(32):
        node = nodes[place % len(nodes)]
        if names is None:
            yield node, [ODD[(place + column) % len(ODD)] for column in range(campaign.raw_width)]
            continue
        step = 1 + place % 3
        row = {name: VALUES[name][(place * step + column) % len(VALUES[name])] for column, name in enumerate(names)}
        if place % 5 == 4:
            row.pop(names[place % len(names)])
        yield node, row if place % 2 else [row.get(name) for name in names]


def _nodes(campaign: Campaign) -> list[str]:
    if campaign.assignment is None:
        return list(NODES)
    return [node for node in (f"p{number}" for number in range(40)) if node in campaign.assignment]
