"""An edge never explains itself; where it does, as in the negative control here, supervision is worthless."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from privge import Graph
from privge.datasets import social_network
from privge.graph.pairs import edge_pairs, with_edges
from privge.structure import PairViews, pair_channel, pair_features, pairs
from privge.structure.degrees import triangles
from privge.structure.pair_features import PairFeatures, short_paths
from privge.tasks import auc, split_edges

FEW = PairViews(vectors=(8,), alphas=(0.2,))


@pytest.fixture(scope="module")
def split():
    network = social_network(people=600, communities=5, degree=16, homophily=0.95, seed=4)
    return split_edges(network.graph, seed=0)


def channel(split, **options):
    options = {"heads": ("logistic",), "views": FEW, **options}
    return pair_channel(split.train_graph, split.validation, split.validation_negatives, **options)


def quality(channel, split):
    return auc(*(channel.scores(group) for group in (split.test, split.test_negatives)))


@pytest.mark.parametrize("heads", [("logistic",), ("network",), ("logistic", "network")])
def test_it_finds_pairs_that_are_joined(split, heads):
    assert quality(channel(split, heads=heads), split) > 0.8


def test_validation_pairs_may_be_left_out(split):
    assert quality(pair_channel(split.train_graph, heads=("logistic",), views=FEW), split) > 0.8


def test_features_of_supervision_do_not_know_the_edges_that_are_held_out(split, monkeypatch):
    """What is learnt from is looked at on a graph without exactly these edges."""
    looked, original = [], PairFeatures.of_pairs

    def watch(self, asked):
        looked.append((self.graph, asked))
        return original(self, asked)

    monkeypatch.setattr(PairFeatures, "of_pairs", watch)
    channel(split)
    (rest, supervised), (whole, _) = looked
    held = whole.edges // 10
    assert rest.edges == whole.edges - held
    assert not pairs.are_edges(rest, supervised).any()
    assert pairs.are_edges(whole, supervised).sum() == held == len(supervised) / 2


def learnt_and_met(split, monkeypatch):
    """Return the AUC on a half of the supervision after learning from the other half, and on test pairs."""
    seen, original = [], pairs._supervision

    def keep(*arguments):
        seen.append(original(*arguments))
        return seen[0]

    monkeypatch.setattr(pairs, "_supervision", keep)
    made = channel(split)
    features, targets = seen[0].features, seen[0].targets
    scaled = made._scale.of(features)
    half = len(targets) // 2
    model = LogisticRegression(max_iter=1000).fit(scaled[:half], targets[:half])
    scores = model.decision_function(scaled[half:])
    joined = targets[half:] == 1
    return auc(scores[joined], scores[~joined]), quality(made, split)


def test_supervision_is_as_hard_as_what_is_asked_later(split, monkeypatch):
    learnt, met = learnt_and_met(split, monkeypatch)
    assert abs(learnt - met) < 0.06  # two AUC of 160 and 376 pairs a side have a standard error of 0.022 and 0.014


def test_edges_that_explain_themselves_would_be_far_too_easy(split, monkeypatch):
    """The negative control: the same with the held-out edges left in the graph."""
    monkeypatch.setattr(pairs, "with_edges", lambda graph, _: graph)
    learnt, met = learnt_and_met(split, monkeypatch)
    assert learnt > 0.99 > met + 0.06


def test_a_pair_that_is_an_edge_is_refused(split):
    with pytest.raises(ValueError, match="1 of 3 pairs are edges of the graph"):
        channel(split).scores(np.concatenate([split.test[:2], split.train[:1]]))
    with pytest.raises(ValueError, match="validation pairs are edges"):
        pair_channel(split.train_graph, split.train, split.validation_negatives, views=FEW)


def test_ends_may_be_turned_round(split):
    made = channel(split)
    assert np.array_equal(made.scores(split.test), made.scores(split.test[:, ::-1]))


@pytest.mark.parametrize("heads", [("logistic",), ("logistic", "network")])
def test_the_same_seed_gives_the_same_scores_on_any_number_of_threads(split, heads):
    scores = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            scores.append(channel(split, heads=heads, threads=threads).scores(split.test))
    assert np.array_equal(*scores)


def test_the_order_of_rows_does_not_matter_and_pairs_go_by_id(split):
    order = np.random.default_rng(0).permutation(600)
    graph, named = split.train_graph, split.by_id
    turned = Graph.from_edges(graph.to_edges(), nodes=graph.ids[order])
    options = {"heads": ("logistic",), "views": FEW, "by_id": True}
    made = pair_channel(turned, named.validation, named.validation_negatives, **options)
    assert np.array_equal(made.scores(named.test), channel(split).scores(split.test))


def test_pairs_with_an_end_that_has_no_edges_are_known(split):
    graph = Graph.from_edges(split.train_graph.to_edges(), nodes=[*split.train_graph.ids, "nobody"])
    made = pair_channel(graph, heads=("logistic",), views=FEW)
    assert made.isolated([(0, 600)]).tolist() == [True]
    assert np.array_equal(made.isolated(split.test), (split.train_graph.degrees[split.test] == 0).any(axis=1))
    assert np.isfinite(made.scores([(0, 600)])).all()


def test_pagerank_is_left_out_on_large_graphs(split, monkeypatch):
    monkeypatch.setattr(pair_features, "LARGE", 10)
    monkeypatch.setattr(pair_features, "pagerank_of_pairs", None)
    views = PairViews(vectors=(8,))
    assert quality(channel(split, views=views), split) > 0.75


def test_few_edges_are_refused():
    with pytest.raises(ValueError, match="too few"):
        pair_channel([(0, 1), (1, 2)], by_id=True)


@pytest.mark.parametrize(
    ("given", "problem"),
    [([(0, 1, 2)], "m x 2"), ([(0, 600)], "rows from 0 to 599"), ([("a", "b")], "whole numbers")],
)
def test_what_is_not_a_pair_is_refused(split, given, problem):
    with pytest.raises(ValueError, match=problem):
        channel(split).scores(given)


def test_one_kind_of_validation_pairs_is_not_enough(split):
    with pytest.raises(ValueError, match="together"):
        pair_channel(split.train_graph, split.validation, heads=("logistic",), views=FEW)


@pytest.mark.parametrize("threads", [1, 3])
def test_short_paths_are_those_of_the_powers_of_the_adjacency(threads):
    graph = social_network(people=80, communities=2, degree=6, seed=5).graph
    generator = np.random.default_rng(0)
    asked = generator.integers(0, 80, (300, 2))
    asked = asked[asked[:, 0] != asked[:, 1]]
    adjacency = graph.to_scipy().toarray().astype(np.float64)
    degrees = np.maximum(adjacency.sum(axis=1), 1)
    step = adjacency / degrees[:, None]  # from an inner node, which counts 1 / degree
    rare = np.array([1 / math.log(max(degree, 2)) for degree in degrees])
    expected = [adjacency @ adjacency, adjacency @ (adjacency * rare[:, None])]
    expected += [adjacency @ step, adjacency @ step @ step, adjacency @ step @ step @ step]
    found = short_paths(graph, asked, threads)
    for column, power in enumerate(expected):
        assert np.allclose(found[:, column], power[asked[:, 0], asked[:, 1]])


def test_triangles_are_counted_at_each_corner(split):
    adjacency = split.train_graph.to_scipy().toarray().astype(np.int64)
    assert np.array_equal(triangles(split.train_graph), np.diag(adjacency @ adjacency @ adjacency) // 2)


def test_all_features_are_symmetric_and_finite(split):
    features = PairFeatures.of(split.train_graph, FEW, 0, 1)
    both = [features.of_pairs(pairs) for pairs in (split.test, split.test[:, ::-1])]
    assert np.isfinite(both[0]).all()
    assert np.allclose(*both, rtol=1e-3, atol=1e-3)


def test_held_out_edges_leave_the_others(split):
    edges = edge_pairs(split.train_graph)
    assert with_edges(split.train_graph, edges[5:]).edges == len(edges) - 5
