"""Splits, heads and baselines with a graph in the form that people have it."""

import networkx
import numpy as np
import pandas as pd
import pytest

import privge as pg
from privge.errors import BadData
from privge.tasks import LinkPredictor, propagate_labels, split_edges
from privge.tasks.baselines import ppr_scores

GRAPH = networkx.relabel_nodes(networkx.karate_club_graph(), lambda node: f"member {node}")
GRAPH = networkx.Graph(list(GRAPH.edges()))  # without its weights and clubs
EDGES = pd.DataFrame(list(GRAPH.edges()), columns=["source", "target"])


def embedding(graph):
    ids = pg.as_graph(graph).ids
    campaign = pg.Campaign(dimensions=4, low=0, high=1, mechanism="hds", epsilon=5.0, k=2, levels=33)
    return pg.embed(graph, campaign.simulate(np.random.default_rng(0).random((len(ids), 4)), ids=ids, seed=0))


def test_edges_are_divided_whatever_holds_them():
    expected = split_edges(pg.as_graph(EDGES), seed=1)
    found = split_edges(EDGES, seed=1)
    assert (found.test == expected.test).all()
    assert found.train_graph.fingerprint == expected.train_graph.fingerprint


def test_a_link_head_learns_from_a_table_of_edges_by_id():
    split = split_edges(EDGES, seed=1)
    graph, z = split.train_graph, embedding(split.train_graph)
    train, *validation = (graph.ids[pairs] for pairs in (split.train, split.validation, split.validation_negatives))
    everybody = pg.as_graph(graph.to_edges(), nodes=graph.ids)
    heads = [LinkPredictor(epochs=1, seed=0).fit(z, form, train, validation=validation) for form in (graph, everybody)]
    scores = [head.decision_function(z, train) for head in heads]
    assert np.isfinite(scores).all()
    assert (scores[0] == scores[1]).all()


def test_labels_by_id_walk_over_a_table_of_edges():
    labels = {"member 0": "a", "member 33": "b"}
    assert propagate_labels(EDGES, labels) == propagate_labels(GRAPH, labels)


def test_rows_do_not_go_with_a_list_of_edges_whose_order_nobody_knows():
    labels = np.arange(GRAPH.number_of_nodes()) % 2
    for attempt in (
        lambda: propagate_labels(EDGES, labels),
        lambda: ppr_scores(EDGES, np.array([[0, 1]])),
    ):
        with pytest.raises(BadData, match=r"a list of edges has none: go by ids, or .*as_graph\(edges, nodes=ids\)"):
            attempt()
    assert len(propagate_labels(GRAPH, labels)) == len(labels)
    assert ppr_scores([(0, 1), (1, 2)], np.array([[0, 1], [0, 2]])).argmax() == 0
