"""Heads, splits and baselines with what people have: an embedding, and labels by id."""

import numpy as np
import pandas as pd
import pytest

from privge import Embedding, Graph, embed
from privge.errors import BadData
from privge.tasks import (
    LinkPredictor,
    NodeClassifier,
    accuracy,
    best_label_propagation,
    label_mass,
    macro_f1,
    propagate_labels,
    split_edges,
    split_nodes,
)

FAST = {"hidden": 16, "epochs": 15, "batch": 64, "learning_rate": 0.02, "threads": 1}
LEARNT = 0.5
"""Guessing one of four classes finds a quarter; half of 100 nodes is 5.8 standard deviations above that."""

NAMES = np.array(["north", "east", "south", "west"], dtype=object)


@pytest.fixture(scope="module")
def people(network):
    return embed(network.graph, network.reports, alpha=0.1, r=0.5)


@pytest.fixture(scope="module")
def homes(network):
    """The community of each person, by name."""
    return dict(zip(network.graph.ids.tolist(), NAMES[network.labels].tolist(), strict=True))


def shuffled(labels):
    nodes = np.random.default_rng(0).permutation(list(labels)).tolist()
    return {node: labels[node] for node in nodes}


FORMS = {
    "mapping": lambda labels: labels,
    "series": pd.Series,
    "categorical": lambda labels: pd.Series(labels).astype("category"),
    "arrays": lambda labels: (np.array(list(labels)), np.array(list(labels.values()))),
    "lists": lambda labels: (list(labels), list(labels.values())),
}


@pytest.mark.parametrize("form", FORMS)
def test_string_classes_by_id_are_learnt_and_predicted_by_id(people, homes, form):
    known = {node: home for row, (node, home) in enumerate(homes.items()) if row % 2}
    head = NodeClassifier(**FAST).fit(people, FORMS[form](shuffled(known)))
    found = head.predict(people)
    assert set(found) == set(homes)
    assert {type(home) for home in found.values()} == {str}
    assert set(head.classes_) == set(NAMES)
    others = [node for node in homes if node not in known]
    assert np.mean([found[node] == homes[node] for node in others]) > LEARNT


def test_labels_by_id_in_any_order_train_the_same_head_as_labels_by_row(network, people, homes):
    by_id = NodeClassifier(**FAST).fit(people, shuffled(homes))
    by_row = NodeClassifier(**FAST).fit(people.matrix, NAMES[network.labels])
    assert list(by_id.predict(people).values()) == by_row.predict(people.matrix).tolist()
    probabilities = by_id.predict_proba(people, ["person-0007", "person-0003"])
    assert list(probabilities) == ["person-0007", "person-0003"]
    assert np.array_equal(list(probabilities.values()), by_row.predict_proba(people.matrix[[7, 3]]))


def test_the_order_of_the_embedding_does_not_matter_to_a_prediction(people, homes):
    head = NodeClassifier(**FAST).fit(people, homes)
    turned = Embedding(people.ids[::-1], people.matrix[::-1], people.provenance)
    assert head.predict(turned) == head.predict(people)


def test_predictions_are_for_the_ids_that_are_asked_for(people, homes):
    head = NodeClassifier(**FAST).fit(people, homes)
    everybody = head.predict(people)
    asked = ["person-0100", "person-0002"]
    assert list(head.predict(people, asked).items()) == [(node, everybody[node]) for node in asked]


def test_integer_ids_and_their_digits_are_the_same_nodes(people, homes):
    numbered = Embedding(np.arange(len(people)) * 3, people.matrix, people.provenance)
    labels = {str(3 * row): home for row, home in enumerate(homes.values())}
    head = NodeClassifier(**FAST).fit(numbered, labels)
    assert head.predict(numbered, [9]) == {9: head.predict(people, ["person-0003"])["person-0003"]}


@pytest.mark.parametrize("unknown", [None, float("nan"), pd.NA])
def test_a_missing_class_is_unknown_and_no_class(people, homes, unknown):
    labels = {node: unknown if row % 3 == 0 else home for row, (node, home) in enumerate(homes.items())}
    head = NodeClassifier(**FAST).fit(people, labels)
    assert set(head.classes_) == set(NAMES)
    without = {node: home for node, home in labels.items() if isinstance(home, str)}
    assert head.predict(people) == NodeClassifier(**FAST).fit(people, without).predict(people)
    assert split_nodes(labels, seed=0).train.tolist() == split_nodes(without, seed=0).train.tolist()


def test_whole_numbers_that_a_missing_one_turned_into_floats_are_integers_again(network, people):
    labels = pd.Series(network.labels.astype(float), index=people.ids)
    labels.iloc[::5] = np.nan
    head = NodeClassifier(**FAST).fit(people, labels)
    assert head.classes_.tolist() == [0, 1, 2, 3]
    assert head.classes_.dtype == np.int64


def test_a_split_by_id_is_of_ids_and_trains_a_head(people, homes):
    split = split_nodes(homes, seed=3)
    parts = [set(part) for part in (split.train, split.validation, split.test)]
    assert set.union(*parts) == set(homes)
    assert sum(map(len, parts)) == len(homes)
    head = NodeClassifier(**FAST).fit(people, homes, train=split.train, validation=split.validation)
    held_out = {node: homes[node] for node in split.test}
    found = head.predict(people, split.test)
    assert head.score(people, held_out) == accuracy(list(held_out.values()), list(found.values())) > LEARNT


def test_predictions_by_id_are_judged_by_id(people, homes):
    split = split_nodes(homes, seed=0)
    head = NodeClassifier(**FAST).fit(people, homes, train=split.train, validation=split.validation)
    held_out = {node: homes[node] for node in split.test}
    found = head.predict(people)
    expected = head.score(people, held_out)
    assert accuracy(held_out, found) == expected
    assert accuracy(pd.Series(shuffled(held_out)), found) == expected
    listed = [list(held_out.values()), [found[node] for node in held_out]]
    assert macro_f1(held_out, found) == macro_f1(*listed)
    assert accuracy({**held_out, "person-0001": None}, found) == expected
    with pytest.raises(BadData, match="1 of 101 labelled nodes have no prediction"):
        accuracy({**held_out, "stranger": "north"}, found)
    for labels, predicted in [(held_out, listed[1]), (listed[0], found)]:
        with pytest.raises(ValueError, match="by id need") as refused:
            accuracy(labels, predicted)
        assert "north" not in str(refused.value)


def test_a_split_by_id_does_not_depend_on_the_order_of_the_labels(homes):
    first, second = split_nodes(homes, seed=3), split_nodes(pd.Series(shuffled(homes)), seed=3)
    assert first.test.tolist() == second.test.tolist()
    assert first.test.tolist() != split_nodes(homes, seed=4).test.tolist()


def test_test_labels_by_id_are_never_read(people, homes):
    split = split_nodes(homes, seed=0)
    permuted = {**homes, **dict.fromkeys(split.test.tolist(), "nowhere")}
    parts = {"train": split.train, "validation": split.validation}
    plain, changed = (NodeClassifier(**FAST).fit(people, labels, **parts) for labels in (homes, permuted))
    assert changed.classes_.tolist() == plain.classes_.tolist()
    assert changed.predict(people) == plain.predict(people)


def test_links_by_id_are_links_by_row(network):
    split = split_edges(network.graph, seed=0)
    named = split.by_id
    vectors = embed(split.train_graph, network.reports, alpha=0.1, r=0.5)
    turned = Embedding(vectors.ids[::-1], vectors.matrix[::-1], vectors.provenance)
    by_row = LinkPredictor(epochs=3, threads=1).fit(
        vectors.matrix, split.train_graph, split.train, validation=(split.validation, split.validation_negatives)
    )
    by_id = LinkPredictor(epochs=3, threads=1).fit(
        turned, named.train_graph, named.train, validation=(named.validation, named.validation_negatives)
    )
    expected = by_row.decision_function(vectors.matrix, split.test)
    assert np.array_equal(by_id.decision_function(vectors, named.test), expected)
    assert np.allclose(by_id.decision_function(turned, [tuple(pair) for pair in named.test]), expected, rtol=1e-6)
    assert by_id.score(vectors, named.test, named.test_negatives) > 0.75


def test_rows_that_would_be_taken_for_ids_are_refused(network):
    """Integer ids in another order than the rows: a pair of rows is then a pair of other nodes."""
    split, train_graph = network.edges, network.edges.train_graph
    numbers = np.arange(train_graph.nodes)[::-1]
    numbered = Graph(numbers, train_graph.indptr, train_graph.indices)
    vectors = Embedding(numbers, network.train_matrix, embed(train_graph, network.reports).provenance)
    with pytest.raises(ValueError, match=r"training pairs are not edges of the graph; .*split\.by_id"):
        LinkPredictor(epochs=1, threads=1).fit(
            vectors, numbered, split.train, validation=(split.validation, split.validation_negatives)
        )


def test_the_graph_alone_takes_labels_by_id_and_answers_by_id(network, homes):
    split, rows = split_nodes(homes, seed=0), network.graph.rows_of
    found = propagate_labels(network.graph, homes, split.train)
    assert list(found.values()) == propagate_labels(network.graph, NAMES[network.labels], rows(split.train)).tolist()
    known = {node: homes[node] for node in split.train}
    assert propagate_labels(network.graph, known) == found
    best = best_label_propagation(network.graph, pd.Series(homes), split)
    assert np.mean([best[node] == homes[node] for node in split.test]) > LEARNT
    assert label_mass(network.graph, known)[0].tolist() == sorted(NAMES)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"person-0001": "a", "nobody": "b"}, "1 of 2 labelled nodes are not in the embedding"),
        (pd.Series(["a", "b"], index=["person-0001", "person-0001"]), "appears twice"),
        ((["person-0001", "person-0002"], ["a"]), "1 labels for 2 ids"),
        ({"person-0001": "a", "person-0002": 3}, "all whole numbers or all text"),
        ({"person-0001": 0.5, "person-0002": 1.0}, "all whole numbers or all text"),
        ({"person-0001": "a", "person-0002": "b"}, "rows are needed"),
        (["a"] * 400, "go by id"),
    ],
)
def test_labels_that_do_not_fit_an_embedding_are_refused(people, labels, message):
    with pytest.raises(ValueError, match=message):
        NodeClassifier(**FAST).fit(people, labels)


def test_ids_are_refused_where_there_are_only_rows(network, people, homes):
    head = NodeClassifier(**FAST)
    with pytest.raises(ValueError, match="need an Embedding"):
        head.fit(people.matrix, homes)
    with pytest.raises(ValueError, match="rows must be whole numbers"):
        head.fit(people.matrix, network.labels, train=["person-0001"], validation=["person-0002"])
    with pytest.raises(ValueError, match="a matrix have none"):
        head.fit(people, homes).predict(people.matrix, ["person-0001"])
    with pytest.raises(ValueError, match="rows must be whole numbers"):
        propagate_labels(network.graph, network.labels, ["person-0001"])


def test_training_nodes_without_a_label_are_counted(network, people):
    labels = dict(zip(network.graph.ids.tolist(), network.labels.tolist(), strict=True))
    labels["person-0002"] = -1
    nodes = list(labels)
    with pytest.raises(ValueError, match="1 of 200 training rows have no label"):
        NodeClassifier(**FAST).fit(people, labels, train=nodes[:200], validation=nodes[200:])
    with pytest.raises(ValueError, match="every training node needs a label"):
        propagate_labels(network.graph, labels, nodes[:200])


def test_nodes_that_are_not_in_the_embedding_are_refused_and_counted(people, homes, network):
    head = NodeClassifier(**FAST).fit(people, homes)
    with pytest.raises(BadData, match="1 of 2 nodes that are asked for are not in the embedding"):
        head.predict(people, ["person-0001", "stranger"])
    with pytest.raises(BadData, match="1 of 1 labelled nodes are not in the graph"):
        propagate_labels(network.graph, {"stranger": "north"})


def test_something_else_than_a_graph_is_refused_by_its_name():
    with pytest.raises(BadData, match=r"shape \(m, 2\), got \(3, 3\)"):
        split_edges(np.zeros((3, 3)), seed=0)
