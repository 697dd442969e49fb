"""Valid cases: campaign, person, words, and the report that every client must make of them."""

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from privge import Campaign
from privge.perturbation.draw import FeatureVector
from privge.random import TOTAL
from privge.wire.codes import encode, report_id
from spec.drawing import drawn_with
from spec.people import NODES, people
from spec.values import written

ENDS = (0, TOTAL - 1)


def vectors(campaigns: Iterable[tuple[str, Campaign]]) -> list[dict[str, Any]]:
    """Return the vectors of some campaigns."""
    return [_of_campaign(name, campaign) for name, campaign in campaigns]


def _of_campaign(name: str, campaign: Campaign) -> dict[str, Any]:
    luck = random.Random(name)  # noqa: S311 (public words of vectors)
    shards = {} if campaign.assignment is None else campaign.assignment.shards
    return {
        "name": name,
        "id": campaign.id,
        "document": campaign.to_json(),
        "shards": {campaign.assignment.digests[number]: shard.hex() for number, shard in shards.items()}  # type: ignore[union-attr]
        if shards
        else {},
        "indices": {} if campaign.assignment else {node: campaign.indices_of(node) for node in NODES},
        "people": [_of_person(campaign, node, features, luck) for node, features in people(campaign)],
    }


def _of_person(campaign: Campaign, node: str, features: Any, luck: random.Random) -> dict[str, Any]:  # noqa: ANN401
    asked = [list(row) for row in _words(campaign, features, node, luck)]
    drawn = [drawn_with(row, campaign, features, node) for row in asked]
    return {
        "node": node,
        "features": written(features),
        "missing": drawn[0].missing,
        "outside": drawn[0].outside,
        "words": asked,
        "codes": [list(each.report.codes) for each in drawn],
        "report": report_id(encode(drawn[-1].report.codes)),
    }


def _words(campaign: Campaign, features: FeatureVector, node: str, luck: random.Random) -> Iterator[tuple[int, ...]]:
    """Yield rows of words: at both ends, by chance, and on both sides of where some code changes."""
    k = campaign.k
    yield tuple(ENDS[place % 2] for place in range(k))
    chance = tuple(luck.randrange(TOTAL) for _ in range(k))
    yield chance
    if luck.random() < 0.5:
        place = luck.randrange(k)

        def row(word: int) -> tuple[int, ...]:
            return (*chance[:place], word, *chance[place + 1 :])

        def code(word: int) -> int:
            return drawn_with(row(word), campaign, features, node).report.codes[place]

        for word in _change(code, chance[place]):
            yield row(word)


def _change(code: Callable[[int], int], low: int) -> tuple[int, ...]:
    """Return two neighbouring words above a given one that select different codes: one unit of weight moves them."""
    high, below = TOTAL - 1, code(low)
    if code(high) == below:
        return ()
    while high - low > 1:
        middle = (low + high) // 2
        if code(middle) == below:
            low = middle
        else:
            high = middle
    return low, high
