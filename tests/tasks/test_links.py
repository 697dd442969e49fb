import tracemalloc

import numpy as np
import pytest
import torch
from sklearn.base import clone

from privge.tasks import LinkPredictor, auc, scaling
from privge.tasks import links as module
from privge.tasks.links import pairwise_loss

FAST = {"epochs": 4, "batch": 128, "threads": 1}


def fitted(network, matrix=None, graph=None, **parameters):
    split = network.edges
    return LinkPredictor(**FAST | parameters).fit(
        network.train_matrix if matrix is None else matrix,
        split.train_graph if graph is None else graph,
        split.train,
        validation=(split.validation, split.validation_negatives),
    )


def same(first, second):
    pairs = zip(first.network_.state_dict().values(), second.network_.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_links_are_found(network):
    split = network.edges
    assert fitted(network).score(network.train_matrix, split.test, split.test_negatives) > 0.75


@pytest.mark.parametrize("parameters", [{}, {"layers": 2, "hidden": 8, "dropout": 0.2}, {"start": "random"}])
def test_same_seed_repeats_bit_by_bit_and_another_differs(network, parameters):
    parameters = {"patience": 4, "start": "inner product"} | parameters
    first, again, other = (fitted(network, seed=seed, **parameters) for seed in (1, 1, 2))
    assert same(first, again)
    assert not same(first, other)


def test_loss_is_the_mean_over_all_pairs_of_a_positive_and_a_negative():
    positives, negatives = torch.tensor([0.5, 2.0, -1.0]), torch.tensor([0.1, -0.4])
    expected = np.mean([(1 - (p - n)) ** 2 for p in positives.tolist() for n in negatives.tolist()])
    assert float(pairwise_loss(positives, negatives)) == pytest.approx(expected, rel=1e-6)


def test_negatives_are_fresh_in_every_epoch_and_never_training_edges(network, monkeypatch):
    drawn, original = [], module.draw_negatives

    def watch(graph, count, generator):
        assert graph is network.edges.train_graph
        drawn.append(original(graph, count, generator))
        return drawn[-1]

    monkeypatch.setattr(module, "draw_negatives", watch)
    fitted(network, patience=4)
    epochs = drawn[1:]  # the first draw only sets the gain
    assert len(epochs) == 4
    assert not np.array_equal(epochs[0], epochs[1])
    dense = network.edges.train_graph.to_scipy().toarray()
    assert all(dense[pairs[:, 0], pairs[:, 1]].sum() == 0 for pairs in epochs)


def test_an_epoch_takes_no_more_positives_than_its_budget(network, monkeypatch):
    counts, original = [], module.pairwise_loss

    def watch(positives, negatives):
        counts.append((len(positives), len(negatives)))
        return original(positives, negatives)

    monkeypatch.setattr(module, "pairwise_loss", watch)
    fitted(network, budget=300, epochs=1)
    assert np.sum(counts, axis=0).tolist() == [300, 300]
    assert max(max(pair) for pair in counts) <= 128


def test_products_of_all_pairs_never_exist_at_once(network, monkeypatch):
    """The peak is a copy of the matrix and some blocks; the products of all training pairs would be 3.3 copies."""
    width = 800
    monkeypatch.setattr(scaling, "BLOCK_BYTES", 4 * width * 32)
    matrix = np.random.default_rng(0).normal(size=(400, width)).astype(np.float32)
    split = network.edges
    assert 4 * width * len(split.train) > 3.3 * matrix.nbytes
    fitted(network, matrix=matrix, batch=32, epochs=1)  # compiles
    tracemalloc.start()
    try:
        predictor = fitted(network, matrix=matrix, batch=32, epochs=1)
        predictor.decision_function(matrix, split.train)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * matrix.nbytes


def test_training_starts_from_the_inner_product_of_the_scaled_vectors(network):
    split = network.edges
    predictor = fitted(network, scaling="columns", epochs=1)
    scaled = predictor.scaling_.rows(network.train_matrix, np.arange(400))
    inner = [(scaled[p[:, 0]] * scaled[p[:, 1]]).sum(axis=1) for p in (split.validation, split.validation_negatives)]
    assert predictor.validation_scores_[0] == pytest.approx(auc(*inner), abs=1e-3)


def test_the_best_validation_score_is_that_of_the_predictor_returned(network):
    split = network.edges
    predictor = fitted(network, learning_rate=0.5, epochs=6, patience=6)
    score = predictor.score(network.train_matrix, split.validation, split.validation_negatives)
    assert score == pytest.approx(max(predictor.validation_scores_), abs=1e-6)
    assert max(predictor.validation_scores_) > predictor.validation_scores_[-1]


def test_test_pairs_do_not_reach_the_predictor(network):
    """The predictor sees training edges and validation pairs: the full graph in its place is refused."""
    with pytest.raises(ValueError, match="training edges only"):
        fitted(network, graph=network.graph)


def test_order_of_a_pair_does_not_matter(network):
    split = network.edges
    predictor = fitted(network)
    there, back = (predictor.decision_function(network.train_matrix, p) for p in (split.test, split.test[:, ::-1]))
    assert np.array_equal(there, back)


def test_scores_in_blocks_are_scores_at_once(network, monkeypatch):
    predictor = fitted(network)
    whole = predictor.decision_function(network.train_matrix, network.edges.test)
    monkeypatch.setattr(module, "rows_at_once", lambda _: 7)
    assert np.allclose(predictor.decision_function(network.train_matrix, network.edges.test), whole, rtol=1e-4)


def test_unscaled_form_of_the_paper_sees_the_scale_and_the_default_does_not(network):
    for parameters, equal in (({}, True), ({"scaling": "none", "start": "random"}, False)):
        small, large = (fitted(network, matrix=network.train_matrix * scale, **parameters) for scale in (1, 1024))
        assert (np.allclose(small.validation_scores_, large.validation_scores_, atol=2e-3)) == equal


def test_scikit_learn_can_clone():
    predictor = LinkPredictor(layers=3, scaling="none")
    assert clone(predictor).get_params() == predictor.get_params()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"budget": 0}, "budget"), ({"start": "cold"}, "start"), ({"layers": 0, "start": "random"}, "layers")],
)
def test_bad_parameters_are_refused_by_name(network, parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(network, **parameters)


def test_bad_pairs_are_refused(network):
    predictor = fitted(network, epochs=1)
    for pairs, message in (
        (np.empty((0, 2), dtype=np.int64), "m at least 1"),
        (np.array([0, 1]), "m x 2"),
        (np.array([[0, 400]]), "from 0 to 399"),
    ):
        with pytest.raises(ValueError, match=message):
            predictor.decision_function(network.train_matrix, pairs)
    with pytest.raises(ValueError, match="not fitted"):
        LinkPredictor().decision_function(network.train_matrix, network.edges.test)
    with pytest.raises(ValueError, match="399 rows"):
        fitted(network, matrix=network.train_matrix[1:])
