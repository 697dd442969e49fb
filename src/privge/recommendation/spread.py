"""Who is recommended at all, and how much popular people are favoured."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge.graph import Graph
from privge.graph.pairs import NodePairs
from privge.recommendation.recommendations import Recommendations
from privge.structure.pair_features import neighbours_of_neighbours


@dataclass(frozen=True, slots=True)
class Spread:
    """How recommendations are spread over people.

    Parameters
    ----------
    people
        Who was recommended somebody, or should have been; somebody who was asked for twice counts twice.
    served
        Share of them with at least one recommendation.
    reached
        Share of all nodes that were recommended to somebody.
    degree
        Mean number of friends of those who were recommended.
    friends_degree
        Mean number of friends of the friends that these people have, or of the held-out ones.
    gini
        Of how often each node was recommended: 0 if all alike, 1 if always the same one.
    """

    people: int
    served: float
    reached: float
    degree: float
    friends_degree: float
    gini: float

    @classmethod
    def of(cls, shown: NDArray[np.integer], friends: NodePairs, degrees: NDArray[np.int64]) -> Self:
        """Count what was shown.

        Parameters
        ----------
        shown
            A line for each person: rows that were recommended, -1 where there are fewer.
        friends
            Pairs of a person and a true friend.
        degrees
            Of all nodes.
        """
        there = shown >= 0
        often = np.bincount(shown[there], minlength=len(degrees))
        return cls(
            people=len(shown),
            served=float(there.any(axis=1).mean()) if len(shown) else 0.0,
            reached=float((often > 0).mean()),
            degree=_mean(degrees[shown[there]]),
            friends_degree=_mean(degrees[friends[:, 1]]),
            gini=gini(often),
        )

    def to_dict(self) -> dict[str, float]:
        """Return everything by name."""
        return asdict(self)

    def __str__(self) -> str:
        return self.of_asked("people")

    def of_asked(self, asked: str) -> str:
        """Return a sentence; what was asked for each recommendation is called ``asked``."""
        return (
            f"{self.served:.1%} of {self.people:,} {asked} get a recommendation; {self.reached:.1%} of all nodes are "
            f"recommended to somebody; those recommended have {self.degree:.1f} friends on average, true friends "
            f"{self.friends_degree:.1f}; Gini {self.gini:.2f} (0: all equally often, 1: always the same one)"
        )


@dataclass(slots=True)
class Watch:
    """Counts recommendations as they pass by, so that all of them need not be kept.

    Parameters
    ----------
    graph
        Whose nodes are recommended.
    """

    graph: Graph
    people: int = field(default=0, init=False)
    lines: int = field(default=0, init=False)
    served: int = field(default=0, init=False)
    _often: NDArray[np.int64] = field(init=False)
    _friends: int = field(default=0, init=False)
    _friends_degrees: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._often = np.zeros(self.graph.nodes, dtype=np.int64)

    def over(self, parts: Iterable[Recommendations]) -> Iterator[Recommendations]:
        """Pass parts on, and count them."""
        beyond = neighbours_of_neighbours(self.graph)
        for part in parts:
            rows, people = (self.graph.rows_of(ids) for ids in (part.recommended, part.people))
            self._often += np.bincount(rows, minlength=self.graph.nodes)
            self.people, self.lines = self.people + len(people), self.lines + len(rows)
            self.served += int((part.ranks == 1).sum())
            self._friends += int(self.graph.degrees[people].sum())
            self._friends_degrees += float(beyond[people].sum())
            yield part

    @property
    def spread(self) -> Spread:
        """How recommendations were spread over people."""
        return Spread(
            people=self.people,
            served=self.served / max(1, self.people),
            reached=float((self._often > 0).mean()),
            degree=float(self._often @ self.graph.degrees) / max(1, self.lines),
            friends_degree=self._friends_degrees / max(1, self._friends),
            gini=gini(self._often),
        )

    def __str__(self) -> str:
        return f"{self.lines:,} recommendations for {self.people:,} people"


def gini(counts: NDArray[np.integer]) -> float:
    """Return the Gini coefficient of counts: 0 if all are alike, near 1 if one has everything."""
    total = int(counts.sum())
    if not total:
        return 0.0
    ordered = np.sort(counts).astype(np.float64)
    places = np.arange(1, len(ordered) + 1)
    return float((2 * places - len(ordered) - 1) @ ordered / (len(ordered) * total))


def _mean(values: NDArray[np.integer]) -> float:
    return float(values.mean()) if len(values) else 0.0
