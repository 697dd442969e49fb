"""Rows of the propagation matrix, against a dense inverse."""

import numpy as np
import pytest

from privge import Graph
from privge.analysis import row_norms
from privge.errors import BadData

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("c", "g")]
GRAPH = Graph.from_edges(EDGES, nodes=["a", "b", "c", "d", "e", "f", "g", "alone"])


def dense(graph, alpha, r):
    adjacency = graph.to_scipy().toarray().astype(float)
    degrees = np.where(adjacency.sum(axis=1) > 0, adjacency.sum(axis=1), 1.0)
    step = np.diag(degrees ** (r - 1)) @ adjacency @ np.diag(degrees**-r)
    return alpha * np.linalg.inv(np.eye(graph.nodes) - (1 - alpha) * step)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_norms_are_those_of_the_rows_and_never_below_them(alpha, r):
    matrix, found = dense(GRAPH, alpha, r), row_norms(GRAPH, alpha=alpha, r=r)
    for computed, true in (
        (found.sums, matrix.sum(axis=1)),
        (found.lengths, np.linalg.norm(matrix, axis=1)),
        (found.largest, matrix.max(axis=1)),
    ):
        assert np.allclose(computed, true, atol=1e-5)
        assert (computed >= true - 1e-12).all()


def test_rows_are_not_columns():
    """The transposition matters: with r in place of 1 - r the lengths would be those of columns."""
    matrix, found = dense(GRAPH, 0.1, 0.0), row_norms(GRAPH, alpha=0.1, r=0.0)
    assert np.abs(found.lengths - np.linalg.norm(matrix, axis=0)).max() > 0.05


def test_rows_sum_to_one_only_for_r_zero_and_not_for_somebody_alone():
    sums = row_norms(GRAPH, alpha=0.1, r=0.0).sums
    assert np.allclose(sums[:-1], 1, atol=1e-5)
    assert sums[-1] == pytest.approx(0.1, abs=1e-5)
    spread = row_norms(GRAPH, alpha=0.1, r=0.5).sums[:-1]
    assert spread.min() < 0.9
    assert spread.max() > 1.1


def test_some_nodes_are_asked_for_by_id():
    some, everybody = row_norms(GRAPH, nodes=["g", "a"]), row_norms(GRAPH)
    assert some.ids.tolist() == ["g", "a"]
    places = [GRAPH.ids.tolist().index(node) for node in ("g", "a")]
    for name in ("sums", "lengths", "largest"):
        assert np.allclose(getattr(some, name), getattr(everybody, name)[places], atol=1e-5)


def test_a_node_that_is_not_in_the_graph_is_refused():
    with pytest.raises(BadData, match="1 of 2 nodes are not in the graph"):
        row_norms(GRAPH, nodes=["a", "zoe"])
