"""A made-up platform: many people, uneven communities, a mixed table of attributes, and few known labels.

Who knows whom follows communities. What people are like follows their community, two personal factors that go through
all attributes, and chance. A label follows the attributes more than the community, so the graph says little about it
and the private table says much: the opposite of a citation network.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge.datasets._platform_draws import (
    NUMBERS,
    REGIONS,
    YES_NO,
    People,
    draw_attributes,
    draw_friendships,
    draw_labels,
)
from privge.graph import Graph

CHOICE: Final = "region"
_LABELLED: Final = 20  # one person in so many is labelled


@dataclass(frozen=True, slots=True)
class Attribute:
    """What is public about one column of the table.

    Parameters
    ----------
    kind
        ``yes-no`` (true or false), ``number`` from ``low`` to ``high``, or ``choice`` of one of ``values``.
    low, high
        Public bounds of a number.
    values
        Public list of values of a choice.
    """

    name: str
    kind: Literal["yes-no", "number", "choice"]
    low: float = 0.0
    high: float = 1.0
    values: tuple[str, ...] = ()


ATTRIBUTES: Final = (
    *(Attribute(name, "yes-no") for name in YES_NO),
    *(Attribute(name, "number") for name in NUMBERS),
    Attribute(CHOICE, "choice", values=REGIONS),
)


@dataclass(frozen=True, eq=False, repr=False)
class PlatformNetwork:
    """People of a platform: who knows whom, what they are like, and the class of each.

    Parameters
    ----------
    graph
        Who knows whom; public. Its ids are the integers 0, 1, ....
    table
        The private attributes of each person by name, and their ``id``, in the graph's order.
    attributes
        What is public about the table's columns.
    labels
        The class of each person. Only those of ``train`` and ``validation`` are known to anybody.
    probabilities
        How likely each class was for each person, before chance decided; for measuring the best that is possible.
    communities
        The community of each person, which nobody is told.
    train, validation
        Rows of the labelled, which is public: four in five to learn from, the others to choose by.
    """

    graph: Graph
    table: pa.Table
    attributes: tuple[Attribute, ...]
    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    communities: NDArray[np.int64]
    train: NDArray[np.int64]
    validation: NDArray[np.int64]

    def __repr__(self) -> str:
        network = f"{self.graph.nodes:,} people, {self.graph.edges:,} friendships"
        return f"PlatformNetwork({network}, {len(self.attributes)} attributes, {self.classes} classes)"

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def test(self) -> NDArray[np.int64]:
        """Rows of those who are not labelled."""
        return np.setdiff1d(np.arange(self.graph.nodes), np.concatenate([self.train, self.validation]))

    def known_labels(self) -> NDArray[np.int64]:
        """Return the labels of the labelled, and -1 for everybody else."""
        known = np.full(self.graph.nodes, -1)
        for rows in (self.train, self.validation):
            known[rows] = self.labels[rows]
        return known

    def numbers(self) -> NDArray[np.float64]:
        """Return the table as numbers from 0 to 1: a yes is 1, and a choice has one column for each value."""
        columns = [self.table[name].to_numpy().astype(np.float64) for name in (*YES_NO, *NUMBERS)]
        chosen = np.asarray(self.table[CHOICE].to_pylist(), dtype=np.object_)
        return np.column_stack([*columns, *(chosen == value for value in REGIONS)]).astype(np.float64)


def platform_network(people: int = 50_000, *, classes: int = 2, seed: int = 0) -> PlatformNetwork:
    """Make a platform: 16 uneven communities, 16 attributes of a person, one person in 20 labelled.

    Parameters
    ----------
    people
        Number of people, at least 200, so that some are labelled.
    classes
        Number of classes of the labels.
    seed
        The platform is the same for the same seed. (It is made up; nobody's privacy depends on it.)
    """
    if people < 10 * _LABELLED:
        raise ValueError(f"people must be at least {10 * _LABELLED}, got {people!r}")
    if classes < 2:
        raise ValueError(f"classes must be at least 2, got {classes!r}")
    generator = np.random.default_rng([seed, 2024])
    communities, graph = draw_friendships(people, generator)
    table = draw_attributes(communities, generator)
    labels, probabilities = draw_labels(table, communities, classes, np.random.default_rng([seed, 7]))
    labelled = np.random.default_rng([seed, 3]).choice(people, people // _LABELLED, replace=False)
    learning = len(labelled) - len(labelled) // 5
    return PlatformNetwork(
        graph=graph,
        table=_named(table),
        attributes=ATTRIBUTES,
        labels=labels,
        probabilities=probabilities,
        communities=communities,
        train=np.sort(labelled[:learning]),
        validation=np.sort(labelled[learning:]),
    )


def _named(table: People) -> pa.Table:
    yes, numbers, region = table
    return pa.table(
        {
            "id": np.arange(len(region)),
            **{name: yes[:, column] for column, name in enumerate(YES_NO)},
            **{name: numbers[:, column] for column, name in enumerate(NUMBERS)},
            CHOICE: pa.array(np.asarray(REGIONS, dtype=np.object_)[region], type=pa.string()),
        }
    )
