"""What a graph says of pairs of nodes: degrees, short paths, the spectrum, and personalized PageRank.

Only the pairs that are asked for are looked at; no matrix of all pairs is ever made. Every column is the same whichever
way round a pair is written.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._machine import processors
from privge._typing import Floats
from privge.graph import Graph
from privge.graph.pairs import NodePairs
from privge.structure.heads import Features
from privge.structure.order import in_this_order
from privge.structure.pagerank import pagerank_of_pairs, part_of_degrees
from privge.structure.spectrum import Vectors, leading

LARGE = 100_000
"""Nodes beyond which personalized PageRank of pairs is left out by default: a column a pair is too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairViews:
    """What is looked at, of each pair.

    Parameters
    ----------
    vectors
        Numbers of leading eigenvectors whose inner products are taken, one product for each.
    alphas
        With which personalized PageRank from one end to the other is computed. By default 0.1 and 0.3; none on graphs
        of more than 100,000 nodes, where a column for each pair takes too long.
    """

    vectors: tuple[int, ...] = (16, 64)
    alphas: tuple[float, ...] | None = None

    def pageranks(self, nodes: int) -> tuple[float, ...]:
        """Return the values of alpha on a graph of so many nodes."""
        if self.alphas is not None:
            return self.alphas
        return (0.1, 0.3) if nodes <= LARGE else ()


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """A graph, ready to be asked about pairs.

    Parameters
    ----------
    graph
        The graph, in the order of `privge.structure.order`.
    values, vectors
        The leading part of its spectrum.
    views
        What is looked at.
    threads
        None for one for each processor.
    """

    graph: Graph
    values: Floats
    vectors: Vectors
    views: PairViews
    threads: int | None

    @classmethod
    def of(cls, graph: Graph, views: PairViews, seed: int, threads: int | None) -> Self:
        """Compute what all pairs share."""
        wanted = max(views.vectors, default=0)
        values, vectors = leading(graph, wanted, seed, threads=threads or processors())
        return cls(graph, np.maximum(values, 0), vectors, views, threads)

    def of_pairs(self, pairs: NodePairs) -> Features:
        """Return a row of features for each pair."""
        columns = [*self._degrees(pairs), *self._paths(pairs), *self._spectrum(pairs), *self._pageranks(pairs)]
        return np.column_stack(columns).astype(np.float32)

    def _degrees(self, pairs: NodePairs) -> list[Floats]:
        """Return how large both ends and their neighbours are, and whether ends have no neighbours."""
        own, near = (np.log1p(of)[pairs] for of in (self.graph.degrees.astype(np.float64), mean_degree(self.graph)))
        alone = self.graph.degrees[pairs] == 0
        crossed = own[:, 0] * near[:, 1] + own[:, 1] * near[:, 0]
        both = [column for ends in (own, near) for column in (ends.sum(axis=1), np.ptp(ends, axis=1))]
        return [*both, own.min(axis=1), crossed, alone.any(axis=1).astype(float), alone.all(axis=1).astype(float)]

    def _paths(self, pairs: NodePairs) -> list[Floats]:
        """Return common neighbours (plain, by Adamic and Adar, as a share) and paths of length 2, 3 and 4."""
        paths = short_paths(self.graph, pairs, self.threads or processors())
        common, rare = paths[:, 0], paths[:, 1]
        degrees = self.graph.degrees[pairs].astype(np.float64)
        united = np.maximum(degrees.sum(axis=1) - common, 1)
        spread = np.sqrt(np.maximum(degrees, 1).prod(axis=1))
        walked = [np.log(paths[:, length] / spread + 1e-6) for length in (2, 3, 4)]
        weighed = [np.log(paths[:, length] + 1e-4) for length in (2, 3, 4)]
        return [np.log1p(common), np.log1p(rare), common / united, *walked, *weighed]

    def _spectrum(self, pairs: NodePairs) -> list[Floats]:
        """Return inner products over the leading eigenvectors: by angle, by size, and as walks of any length have."""
        columns = []
        for width in self.views.vectors:
            values = self.values[:width].astype(np.float32)
            rooted = self.vectors[:, :width] * np.sqrt(values)
            lengths = np.sqrt(np.einsum("ij,ij->i", rooted, rooted))[pairs]
            products, resolvent = (
                np.einsum("ij,ij,j->i", *(self.vectors[pairs[:, end], :width] for end in (0, 1)), weights)
                for weights in (values, values / (np.float32(1.05) - values))
            )
            angles = products / np.maximum(lengths.prod(axis=1), 1e-9)
            sizes = np.log(lengths + 1e-6).sum(axis=1)
            columns += [angles, sizes, *(np.arcsinh(each * self.graph.nodes) for each in (products, resolvent))]
        return columns

    def _pageranks(self, pairs: NodePairs) -> list[Floats]:
        """Return personalized PageRank, and what of it degrees do not explain."""
        columns = []
        for alpha in self.views.pageranks(self.graph.nodes):
            rank = pagerank_of_pairs(self.graph, pairs, alpha=alpha, on=in_this_order(self.threads))
            beyond = rank - part_of_degrees(self.graph, pairs)
            columns += [np.log(np.maximum(rank, 0) + 1e-6), np.arcsinh(beyond * 1e4)]
        return columns


def mean_degree(graph: Graph) -> Floats:
    """Return the mean degree of each node's neighbours; 0 where there are none."""
    return neighbours_of_neighbours(graph) / np.maximum(graph.degrees, 1)


def neighbours_of_neighbours(graph: Graph) -> Floats:
    """Return the sum of the degrees of each node's neighbours."""
    sums = np.concatenate([[0], np.cumsum(graph.degrees[graph.indices])])
    return np.diff(sums[graph.indptr]).astype(np.float64)


def short_paths(graph: Graph, pairs: NodePairs, threads: int) -> Floats:
    """Return what `privge.structure._kernels.score_paths` says of each pair; edges count alike, whatever their weight.

    The end from which more two-step walks lead becomes the first: they are gathered once for all pairs of it, and those
    of the second end once a pair. Threads take ranges of first ends.
    """
    from privge.structure._kernels import score_paths

    reach = neighbours_of_neighbours(graph)[pairs]
    turned = np.where((reach[:, 0] < reach[:, 1])[:, None], pairs[:, ::-1], pairs)
    order = np.argsort(turned[:, 0], kind="stable")
    out = np.zeros((len(pairs), 5))

    def score(part: NDArray[np.int64]) -> None:
        score_paths(graph.indptr, graph.indices, turned, part, out)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(score, np.array_split(order, threads)))
    return out
