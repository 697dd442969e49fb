"""Graphs and features on which engines are tested: every shape that has broken one, and random ones."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

from privge.graph import Graph

Edges = list[tuple[int, int]]
Example = tuple[Graph, scipy.sparse.csr_array, float]


def star(n: int) -> Edges:
    """Return the edges of one hub and its leaves."""
    return [(0, i) for i in range(1, n)]


def chain(n: int) -> Edges:
    """Return the edges of a path, on which everything is far away."""
    return [(i, i + 1) for i in range(n - 1)]


def clique(n: int) -> Edges:
    """Return all edges."""
    return [(i, j) for i in range(n) for j in range(i)]


def two_parts(n: int) -> Edges:
    """Return the edges of two cliques with nothing between them."""
    return [(i, j) for i in range(n) for j in range(i) if (i < n // 2) == (j < n // 2)]


SHAPES: Mapping[str, Callable[[int], Edges]] = MappingProxyType(
    {"star": star, "chain": chain, "clique": clique, "disconnected": two_parts, "isolated": lambda _: []}
)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """Draw a small graph, its features, and how large those are."""
    n = draw(st.integers(1, 40))
    if draw(st.booleans()):
        edges = SHAPES[draw(st.sampled_from(sorted(SHAPES)))](n)
    else:
        node = st.integers(0, n - 1)
        edges = draw(st.lists(st.tuples(node, node), max_size=4 * n))
    graph = Graph.from_edges(
        np.array(edges, dtype=np.int64).reshape(-1, 2), nodes=np.arange(n + draw(st.integers(0, 3)))
    )
    columns, seed = draw(st.integers(1, 35)), draw(st.integers(0, 2**32 - 1))
    scale = draw(st.sampled_from([1e-3, 1.0, 1e4]))
    features = scipy.sparse.random_array(
        (graph.nodes, columns), density=0.3, rng=np.random.default_rng(seed), format="csr"
    )
    features.data = scale * (2 * features.data - 1)
    return graph, features, scale


def popular(nodes: int = 3000, columns: int = 70, seed: int = 0) -> tuple[Graph, scipy.sparse.csr_array]:
    """Return a random graph in which a few nodes have most edges, and sparse features."""
    generator = np.random.default_rng(seed)
    popularity = generator.pareto(2, nodes) + 0.1
    edges = generator.choice(nodes, (6 * nodes, 2), p=popularity / popularity.sum())
    graph = Graph.from_edges(edges, nodes=np.arange(nodes))
    return graph, scipy.sparse.random_array((nodes, columns), density=0.05, rng=generator, format="csr")
