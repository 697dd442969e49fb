"""A pair channel shows what it sees, and looks at other graphs by what it learnt."""

import numpy as np

from privge.graph.pairs import draw_negatives
from privge.structure import PairViews, pair_channel
from privge.tasks import split_edges


def test_what_the_heads_see_is_told_with_the_scores(network, generator):
    channel = pair_channel(network.graph, heads=("logistic",), views=PairViews(alphas=()), seed=0, threads=1)
    pairs = draw_negatives(network.graph, 50, generator)
    seen, odds = channel.described(pairs)
    assert seen.shape == (50, channel.width)
    assert np.array_equal(odds, channel.scores(pairs))
    assert np.array_equal(channel.described(pairs[:, ::-1])[0], seen)


def test_on_another_graph_it_sees_that_graph_with_the_same_heads(network):
    split = split_edges(network.graph, seed=0)
    channel = pair_channel(split.train_graph, heads=("logistic",), views=PairViews(alphas=()), seed=0, threads=1)
    same, whole = channel.on(split.train_graph), channel.on(network.graph)
    assert np.array_equal(same.scores(split.test_negatives), channel.scores(split.test_negatives))
    assert not np.array_equal(whole.scores(split.test_negatives), channel.scores(split.test_negatives))
