import numpy as np
import pytest

from privge import Graph, embed
from privge.graph.pairs import are_edges, distinct_negatives, draw_negatives, edge_pairs
from privge.tasks import EdgeSplit, split_edges, split_nodes


def keys(pairs, nodes):
    return set((pairs[:, 0] * nodes + pairs[:, 1]).tolist())


def test_nodes_are_split_half_quarter_quarter_without_the_unlabelled():
    labels = np.array([-1, 0, 1] * 400)
    split = split_nodes(labels, seed=3)
    assert [len(part) for part in (split.train, split.validation, split.test)] == [400, 200, 200]
    together = np.concatenate([split.train, split.validation, split.test])
    assert sorted(together.tolist()) == np.flatnonzero(labels >= 0).tolist()


def test_split_of_nodes_does_not_depend_on_what_the_labels_are():
    labels = np.arange(100) % 5
    first, second = split_nodes(labels, seed=1), split_nodes(labels[::-1], seed=1)
    assert np.array_equal(first.train, second.train)
    assert not np.array_equal(first.train, split_nodes(labels, seed=2).train)


def test_edges_are_split_85_5_10_and_together_are_all_edges(network):
    split, edges = network.edges, network.graph.edges
    sizes = [len(split.train), len(split.validation), len(split.test)]
    assert sizes == [round(0.85 * edges), round(0.9 * edges) - round(0.85 * edges), edges - round(0.9 * edges)]
    together = np.concatenate([split.train, split.validation, split.test])
    assert keys(together, network.graph.nodes) == keys(edge_pairs(network.graph), network.graph.nodes)
    assert len(keys(together, network.graph.nodes)) == edges


def test_training_graph_has_every_node_and_exactly_the_training_edges(network):
    train_graph = network.edges.train_graph
    assert np.array_equal(train_graph.ids, network.graph.ids)
    assert keys(edge_pairs(train_graph), train_graph.nodes) == keys(network.edges.train, train_graph.nodes)


def test_training_edges_keep_their_weights(network):
    ends, weights = edge_pairs(network.graph), np.arange(1.0, network.graph.edges + 1)
    weighted = Graph.from_edges(ends, nodes=np.arange(network.graph.nodes), weights=weights)
    split = split_edges(weighted, seed=0)
    kept = split.train_graph.to_scipy().toarray()
    assert split.train_graph.edges == len(split.train)
    assert np.array_equal(kept[*split.train.T], weighted.to_scipy().toarray()[*split.train.T])
    assert np.array_equal(kept, kept.T)


def test_negatives_are_as_many_distinct_true_and_never_an_edge_of_the_full_graph(network):
    split = network.edges
    assert len(split.validation_negatives) == len(split.validation)
    assert len(split.test_negatives) == len(split.test)
    negatives = np.concatenate([split.validation_negatives, split.test_negatives])
    assert (negatives[:, 0] < negatives[:, 1]).all()
    assert len(keys(negatives, network.graph.nodes)) == len(negatives)
    dense = network.graph.to_scipy().toarray()
    assert dense[negatives[:, 0], negatives[:, 1]].sum() == 0


def test_fresh_negatives_avoid_the_edges_of_a_dense_graph():
    nodes = 12
    joined = np.array([(u, v) for u in range(nodes) for v in range(u + 1, nodes) if v - u != 5])
    graph = Graph.from_edges(joined, nodes=np.arange(nodes))
    negatives = draw_negatives(graph, 500, np.random.default_rng(0))
    assert len(negatives) == 500
    assert set((negatives[:, 1] - negatives[:, 0]).tolist()) == {5}
    assert set(negatives[:, 0].tolist()) == set(range(7))


def test_edges_are_told_from_other_pairs(network):
    dense = network.graph.to_scipy().toarray()
    pairs = np.random.default_rng(0).integers(0, network.graph.nodes, size=(5000, 2))
    assert np.array_equal(are_edges(network.graph, pairs), dense[pairs[:, 0], pairs[:, 1]] > 0)


def test_more_negatives_than_there_are_is_refused():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="too few to draw"):
        distinct_negatives(graph, 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="no negative pair"):
        draw_negatives(Graph.from_edges([(0, 1)]), 1, np.random.default_rng(0))


@pytest.mark.parametrize("shares", [(0.5, 0.5, 0.0), (0.5, 0.5, 0.5), (1.0,)])
def test_shares_that_do_not_sum_to_one_are_refused(shares):
    with pytest.raises(ValueError, match="shares"):
        split_nodes(np.zeros(100, dtype=int), seed=0, shares=shares)


def test_removing_the_test_edges_leaves_the_embedding_unchanged(network):
    """Validation and test edges do not reach the propagation: a graph that never had them gives the same bits."""
    held_out = keys(np.concatenate([network.edges.validation, network.edges.test]), network.graph.nodes)
    pairs = edge_pairs(network.graph)
    rest = np.array([key not in held_out for key in (pairs[:, 0] * network.graph.nodes + pairs[:, 1]).tolist()])
    names = network.graph.ids
    without = Graph.from_edges([(names[u], names[v]) for u, v in pairs[rest]], nodes=names)
    assert without.fingerprint == network.edges.train_graph.fingerprint
    assert np.array_equal(embed(without, network.reports, alpha=0.1, r=0.5).matrix, network.train_matrix)
    assert not np.array_equal(network.matrix, network.train_matrix)


def test_the_same_seed_gives_the_same_edge_split(network):
    again, other = (split_edges(network.graph, seed=seed) for seed in (0, 1))
    fields = [name for name in EdgeSplit.__dataclass_fields__ if name != "train_graph"]
    assert all(np.array_equal(getattr(again, name), getattr(network.edges, name)) for name in fields)
    assert not np.array_equal(other.test, again.test)
