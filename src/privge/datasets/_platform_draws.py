"""What chance decides on the made-up platform: who knows whom, what people are like, and their classes."""

from typing import Final, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.graph import Graph

_TOPICS: Final = ("sports", "music", "news", "games", "travel", "food", "science", "fashion")
_USES: Final = ("video", "chat", "reading", "mornings", "weekends", "mobile", "replies")
YES_NO: Final = tuple(f"follows {topic}" for topic in _TOPICS)
NUMBERS: Final = tuple(f"share of {use}" for use in _USES)
REGIONS: Final = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_COMMUNITIES: Final = 16
_DEGREE: Final = 26.0  # friendships that are drawn for each person; repeated ones count once
_HOMOPHILY: Final = 0.65  # share of friendships that are drawn inside one's own community

People: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]
"""Each person's yes and no, numbers, and region."""


def draw_friendships(people: int, generator: np.random.Generator) -> tuple[NDArray[np.int64], Graph]:
    """Draw communities of uneven size, and friendships by popularity: inside the community, or with anybody."""
    share = generator.dirichlet(np.full(_COMMUNITIES, 4.0))
    communities = generator.choice(_COMMUNITIES, people, p=share)
    popularity = generator.pareto(2.5, people) + 0.2
    popularity *= np.where(generator.random(people) < 0.12, 0.03, 1.0)  # those who are hardly ever there
    drawn, likely = int(people * _DEGREE / 2), popularity / popularity.sum()
    sources, targets = generator.choice(people, drawn, p=likely), generator.choice(people, drawn, p=likely)
    inside = generator.random(drawn) < _HOMOPHILY
    for community in range(_COMMUNITIES):
        members = np.flatnonzero(communities == community)
        mine = np.flatnonzero(inside & (communities[sources] == community))
        if members.size:
            likely = popularity[members] / popularity[members].sum()
            targets[mine] = generator.choice(members, len(mine), p=likely)
    apart = sources != targets
    links = scipy.sparse.coo_array(
        (np.ones(int(apart.sum()), dtype=np.int8), (sources[apart], targets[apart])), shape=(people, people)
    )
    return communities, Graph.from_scipy((links + links.T).astype(bool).tocsr())


def draw_attributes(communities: NDArray[np.int64], generator: np.random.Generator) -> People:
    """Draw what people are like: their community's way, two personal factors, and chance."""
    people = len(communities)
    factors = generator.normal(size=(people, 2))
    on_yes, on_numbers = generator.normal(0, 0.6, (2, len(YES_NO))), generator.normal(0, 0.08, (2, len(NUMBERS)))
    uniform = generator.random((people, len(YES_NO)))
    inclined = generator.normal(-0.3, 0.9, (_COMMUNITIES, len(YES_NO)))[communities] + factors @ on_yes
    usual = generator.beta(2.5, 2.5, (_COMMUNITIES, len(NUMBERS)))[communities] + factors @ on_numbers
    numbers = np.clip(usual + generator.normal(0, 0.18, (people, len(NUMBERS))), 0, 1)
    regions = generator.dirichlet(np.full(len(REGIONS), 0.7), _COMMUNITIES)[communities]
    return uniform < 1 / (1 + np.exp(-inclined)), numbers, _drawn(regions, generator)


def draw_labels(
    table: People, communities: NDArray[np.int64], classes: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw a class for each person, by less than half of the attributes (weight 2) and by the community (weight 1)."""
    yes, numbers, region = table
    columns = np.column_stack([yes, numbers, np.eye(len(REGIONS))[region]])
    standard = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    weights = generator.normal(size=(columns.shape[1], classes)) * (generator.random((columns.shape[1], 1)) < 0.45)
    own = standard @ weights
    inclined = 2.0 * own / own.std(axis=0) + generator.normal(0, 1.0, (_COMMUNITIES, classes))[communities]
    inclined -= np.median(inclined, axis=0)
    if classes == 2:
        second = 1 / (1 + np.exp(-inclined[:, 1]))
        return (generator.random(len(region)) < second).astype(np.int64), np.column_stack([1 - second, second])
    odds = np.exp(1.3 * (inclined - inclined.max(axis=1, keepdims=True)))
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    return _drawn(probabilities, generator), probabilities


def _drawn(probabilities: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw one value for each row, by the row's probabilities."""
    passed = generator.random((len(probabilities), 1)) > probabilities.cumsum(axis=1)
    drawn: NDArray[np.int64] = np.minimum(passed.sum(axis=1), probabilities.shape[1] - 1)
    return drawn
