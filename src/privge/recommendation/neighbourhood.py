"""Who is near a person in a graph: whom they could be recommended, in bounded time and memory a person.

Two walks find candidates. *Two steps*: friends of friends, by resource allocation, the sum over common friends of
``1 / degree``. *Personalized PageRank*, pushed until residues are small, in its symmetric form: people at any distance.
The best of each become candidates. Friends, the person, barred pairs and whoever is gone never do: they are left out
before the best are taken.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._machine import processors
from privge._typing import Floats
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs

Places = NDArray[np.int32]
Marks = NDArray[np.bool_]

_CHUNK = 256  # people a thread looks at before it takes others


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far it is looked.

    Parameters
    ----------
    most, alpha
        Candidates by each of the two walks, and the alpha of personalized PageRank.
    threshold
        A residue is pushed on while it is above this times the degree of its node: at most
        ``1 / (alpha threshold)`` edges are walked for a person.
    edges
        That the two steps walk at most for a person; friends with few friends first, as they say most.
    """

    most: int = 100
    alpha: float = 0.2
    threshold: float = 1e-4
    edges: int = 50_000


NEAR_BY = Reach()
"""As far as it is looked by default."""


@dataclass(frozen=True, eq=False, slots=True)
class Excluded:
    """Who is recommended to nobody, and pairs who are not recommended to each other: compressed rows, both ways."""

    gone: Marks
    indptr: NDArray[np.int64]
    indices: Places

    @classmethod
    def of(cls, nodes: int, pairs: NodePairs | None = None, gone: Rows | None = None) -> Self:
        """Take pairs of rows, in any order and as often as they come, and rows of people."""
        marks = np.zeros(nodes, dtype=np.bool_)
        marks[[] if gone is None else gone] = True
        given = np.empty((0, 2), dtype=np.int64) if pairs is None else pairs
        both = np.unique(np.concatenate([given, given[:, ::-1]]), axis=0)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=nodes))])
        return cls(marks, indptr.astype(np.int64), both[:, 1].astype(np.int32))


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """Whom some people could be recommended.

    Parameters
    ----------
    people
        Rows of those who are recommended somebody.
    others
        A line for each of them: rows of candidates, -1 where there are no more.
    nearness
        For each candidate resource allocation and personalized PageRank; 0 where a walk did not come.
    """

    people: Rows
    others: Places
    nearness: NDArray[np.float32]

    @property
    def there(self) -> Marks:
        """Where there is a candidate."""
        return self.others >= 0

    @property
    def pairs(self) -> NodePairs:
        """Each person with each candidate, line by line."""
        return self.pairs_at(self.there)

    def pairs_at(self, wanted: Marks) -> NodePairs:
        """Return persons with some of their candidates, line by line."""
        return np.column_stack([np.repeat(self.people, wanted.sum(axis=1)), self.others[wanted].astype(np.int64)])

    def replaced(self, lines: Rows, others: "Candidates") -> "Candidates":
        """Return these with other candidates for the people of some lines."""
        width = max(self.others.shape[1], others.others.shape[1])
        rows, nearness = self._widened(width), np.zeros((len(self.people), width, 2), dtype=np.float32)
        nearness[:, : self.others.shape[1]] = self.nearness
        rows[lines] = others._widened(width)  # noqa: SLF001 (its own)
        nearness[lines] = 0
        nearness[lines, : others.others.shape[1]] = others.nearness
        return Candidates(self.people, rows, nearness)

    def _widened(self, width: int) -> Places:
        rows = np.full((len(self.people), width), -1, dtype=np.int32)
        rows[:, : self.others.shape[1]] = self.others
        return rows

    def spread(self, values: Floats, missing: float = -np.inf) -> Floats:
        """Return what was computed for `pairs` in the shape of ``others``."""
        spread = np.full(self.others.shape, missing)
        spread[self.there] = values
        return spread


@dataclass(frozen=True, eq=False, slots=True)
class Neighbourhood:
    """A graph, ready to be asked who is near; its weights are honoured.

    ``threads`` is None for one for each processor; the answer does not depend on it.
    """

    graph: Graph
    excluded: Excluded
    reach: Reach
    threads: int | None = None

    def candidates(
        self, people: Rows, given: Places | None = None, most: int | None = None, *, anybody: bool = False
    ) -> Candidates:
        """Find whom people could be recommended.

        Parameters
        ----------
        people
            Rows of the graph.
        given
            A line for each: rows that are candidates in any case, unless they may not be recommended; -1 for none.
        most
            Candidates by each walk, if other than `Reach.most`.
        anybody
            Whether those given are looked at even if they may not be recommended.
        """
        from privge.recommendation._kernels import gather

        lines = np.empty((len(people), 0), dtype=np.int32) if given is None else given
        most = self.reach.most if most is None else most
        found = np.full((len(people), lines.shape[1] + 2 * most), -1, dtype=np.int32)
        nearness = np.zeros((*found.shape, 2), dtype=np.float32)
        graph, barred = self._rows(), (self.excluded.indptr, self.excluded.indices)
        settings = (most, self.reach.alpha, self.reach.threshold, self.reach.edges, anybody)

        def look(span: tuple[int, int]) -> None:
            gather(graph, barred, self.excluded.gone, people, span, lines, settings, found, nearness)

        with ThreadPoolExecutor(self.threads or processors()) as pool:
            list(pool.map(look, _spans(len(people), self.threads or processors())))
        return Candidates(people, found, nearness)

    def _rows(self) -> tuple[NDArray[np.int64], Places, Floats | None, Floats, Floats]:
        graph = self.graph
        strengths = graph.strengths
        roots = np.divide(1.0, np.sqrt(strengths), out=np.zeros(graph.nodes), where=strengths > 0)
        return graph.indptr, graph.indices, graph.weights, strengths, roots


def _spans(count: int, threads: int) -> Iterator[tuple[int, int]]:
    """Cut a number of people into ranges; each costs working memory once, so there are few."""
    step = max(_CHUNK, -(-count // (4 * threads)))
    for first in range(0, count, step):
        yield first, min(first + step, count)
