import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score

from privge.tasks import LinkPredictor, NodeClassifier, accuracy
from privge.tasks import nodes as module
from privge.tasks.network import Perceptron, Training

FAST = {"hidden": 16, "epochs": 15, "batch": 64, "learning_rate": 0.02, "threads": 1}


def fitted(network, labels=None, **parameters):
    labels = network.labels if labels is None else labels
    classifier = NodeClassifier(**FAST | parameters)
    return classifier.fit(network.matrix, labels, train=network.nodes.train, validation=network.nodes.validation)


def weights(head):
    return [value.clone() for value in head.network_.state_dict().values()]


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(weights(first), weights(second), strict=True))


def test_communities_are_found(network):
    test = network.nodes.test
    assert fitted(network).score(network.matrix[test], network.labels[test]) > 0.8


def test_same_seed_repeats_bit_by_bit_and_another_differs(network):
    assert same(fitted(network, seed=1), fitted(network, seed=1))
    assert not same(fitted(network, seed=1), fitted(network, seed=2))


def test_global_random_state_is_neither_read_nor_changed(network):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first = fitted(network)
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(6)
    assert same(first, fitted(network))


def test_number_of_threads_is_restored(network):
    before = torch.get_num_threads()
    fitted(network, threads=before + 1)
    assert torch.get_num_threads() == before


def test_permuted_test_labels_leave_every_bit_of_the_classifier(network):
    labels = network.labels.copy()
    labels[network.nodes.test] = np.random.default_rng(0).permutation(labels[network.nodes.test])
    assert not np.array_equal(labels, network.labels)
    plain, permuted = fitted(network), fitted(network, labels=labels)
    assert same(plain, permuted)
    assert plain.validation_scores_ == permuted.validation_scores_


def test_validation_labels_choose_the_epoch_and_never_enter_a_gradient(network, monkeypatch):
    """With permuted validation labels the weights after every epoch are the same; only the choice may differ."""
    paths = []

    def run(self, perceptron, losses, validate):
        path, scores = [], []
        original = Training.run

        def watch():
            path.append([parameter.detach().clone() for parameter in perceptron.parameters()])
            scores.append(validate())
            return float(len(scores))  # always better: no early stop, so that the paths have one length

        result = original(self, perceptron, losses, watch)
        paths.append((path, scores))
        return result

    wrapped = type("Watched", (Training,), {"run": run, "__slots__": ()})
    monkeypatch.setattr("privge.tasks.network.Training", wrapped)
    labels = network.labels.copy()
    labels[network.nodes.validation] = np.random.default_rng(0).permutation(labels[network.nodes.validation])
    fitted(network)
    fitted(network, labels=labels)
    (first, first_scores), (second, second_scores) = paths
    assert len(first) == FAST["epochs"] + 1
    assert all(torch.equal(a, b) for one, two in zip(first, second, strict=True) for a, b in zip(one, two, strict=True))
    assert first_scores != second_scores


def test_permuted_training_labels_do_change_the_classifier(network):
    labels = network.labels.copy()
    labels[network.nodes.train] = np.random.default_rng(0).permutation(labels[network.nodes.train])
    assert not same(fitted(network), fitted(network, labels=labels))


def test_early_stopping_restores_the_best_weights():
    training = Training(learning_rate=0.1, weight_decay=0, epochs=50, patience=3, seed=0, threads=1, device="cpu")
    perceptron = Perceptron(inputs=2, outputs=1, hidden=4, layers=2, dropout=0)
    values, seen = torch.ones(3, 2), []
    script = iter([0.0, 1.0, 5.0, 2.0, 5.0, 4.0, 9.0])

    def validate():
        seen.append([parameter.detach().clone() for parameter in perceptron.parameters()])
        return next(script)

    scores = training.run(perceptron, lambda: iter([perceptron(values).square().mean()]), validate)
    assert scores == [0.0, 1.0, 5.0, 2.0, 5.0, 4.0]
    assert all(torch.equal(a, b) for a, b in zip(perceptron.parameters(), seen[2], strict=True))
    assert not torch.equal(next(perceptron.parameters()), seen[-1][0])


def test_scaling_inside_the_head_is_scaling_before_it(network):
    inside = fitted(network, scaling="rows")
    scaled = inside.scaling_.rows(network.matrix, np.arange(len(network.matrix)))
    outside = NodeClassifier(**FAST, scaling="none")
    outside.fit(scaled, network.labels, train=network.nodes.train, validation=network.nodes.validation)
    assert same(inside, outside)
    assert np.allclose(inside.predict_proba(network.matrix), outside.predict_proba(scaled), atol=1e-6)


def test_unscaled_form_sees_the_scale_of_the_mechanism_and_the_default_does_not(network):
    large = network.matrix * 1024
    rows = {"train": network.nodes.train, "validation": network.nodes.validation}
    for scaling, equal in (("rows", True), ("none", False)):
        heads = [
            NodeClassifier(**FAST, scaling=scaling).fit(m, network.labels, **rows) for m in (network.matrix, large)
        ]
        first, second = (head.predict_proba(m) for head, m in zip(heads, (network.matrix, large), strict=True))
        assert np.allclose(first, second, atol=1e-3) == equal


def test_probabilities_sum_to_one_and_predictions_are_the_largest(network):
    classifier = fitted(network, labels=network.labels * 10 + 7)
    probabilities = classifier.predict_proba(network.matrix)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(classifier.predict(network.matrix), np.array([7, 17, 27, 37])[probabilities.argmax(axis=1)])


def test_prediction_in_blocks_is_prediction_at_once(network, monkeypatch):
    classifier = fitted(network)
    whole = classifier.predict_proba(network.matrix)
    monkeypatch.setattr(module, "rows_at_once", lambda _: 13)
    assert np.allclose(classifier.predict_proba(network.matrix), whole, atol=1e-6)


def test_scikit_learn_can_clone_and_cross_validate(network):
    classifier = NodeClassifier(**FAST, dropout=0.1)
    copied = clone(classifier)
    assert copied is not classifier
    assert is_classifier(classifier)
    assert copied.get_params() == classifier.get_params()
    assert cross_val_score(classifier, network.matrix, network.labels, cv=2).min() > 0.6


@pytest.mark.parametrize("head", [NodeClassifier, LinkPredictor])
def test_parameters_are_set_and_read_by_name_and_by_no_other(head):
    one = head(seed=3).set_params(hidden=7, device="cuda")
    parameters = one.get_params()
    assert (parameters["hidden"], parameters["device"], parameters["seed"]) == (7, "cuda", 3)
    assert not any(name.endswith("_") for name in parameters)
    assert repr(one) == repr(head(**parameters))
    with pytest.raises(TypeError, match="depth"):
        head(depth=3)


def test_plain_fit_keeps_rows_for_validation_and_ignores_unlabelled_ones(network):
    labels = network.labels.copy()
    labels[::3] = -1
    classifier = NodeClassifier(**FAST).fit(network.matrix, labels)
    assert -1 not in classifier.classes_
    assert accuracy(network.labels[::3], classifier.predict(network.matrix[::3])) > 0.7


def test_a_label_that_only_validation_has_is_no_class(network):
    labels = network.labels.copy()
    labels[network.nodes.validation[:3]] = 9
    assert fitted(network, labels=labels).classes_.tolist() == [0, 1, 2, 3]


def test_one_layer_is_a_linear_model(network):
    assert len(weights(fitted(network, layers=1))) == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"layers": 0}, "layers"),
        ({"dropout": 1.0}, "dropout"),
        ({"batch": 0}, "batch"),
        ({"epochs": 0}, "epochs"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"weight_decay": -1.0}, "weight_decay"),
        ({"scaling": "cubes"}, "scaling"),
    ],
)
def test_bad_parameters_are_refused_by_name(network, parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(network, **parameters)


def test_bad_rows_and_labels_are_refused(network):
    matrix, labels, split = network.matrix, network.labels, network.nodes
    with pytest.raises(ValueError, match="disjoint"):
        NodeClassifier().fit(matrix, labels, train=split.train, validation=split.train)
    with pytest.raises(ValueError, match="together"):
        NodeClassifier().fit(matrix, labels, train=split.train)
    with pytest.raises(ValueError, match="399 labels for 400 rows"):
        NodeClassifier().fit(matrix, labels[1:])
    with pytest.raises(ValueError, match="two classes"):
        NodeClassifier().fit(matrix, np.zeros(400, dtype=int))
    with pytest.raises(ValueError, match="not fitted"):
        NodeClassifier().predict(matrix)
    with pytest.raises(ValueError, match="16 columns"):
        fitted(network).predict(matrix[:, :5])
    with pytest.raises(ValueError, match="not a parameter"):
        NodeClassifier().set_params(depth=3)


def test_importing_privge_and_its_tasks_imports_no_torch():
    code = "import sys, privge, privge.tasks; sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def hopeless(nodes=60):
    """Vectors that know nothing of the classes, and a step so large that every epoch is worse than none."""
    generator = np.random.default_rng(3)
    return generator.normal(size=(nodes, 8)).astype(np.float32), generator.integers(2, size=nodes)


def test_the_network_before_training_is_never_the_answer_for_nodes():
    matrix, labels = hopeless()
    head = NodeClassifier(**FAST | {"learning_rate": 3.0, "epochs": 3}).fit(matrix, labels)
    assert int(np.argmax(head.validation_scores_)) == 0  # it would have been, and half of all runs were so
    untrained = Perceptron(inputs=9, outputs=2, hidden=16, layers=2, dropout=0.5)
    with Training(learning_rate=1, weight_decay=0, epochs=1, patience=1, seed=0, threads=1, device="cpu").scope():
        untrained = Perceptron(inputs=9, outputs=2, hidden=16, layers=2, dropout=0.5)
    assert not torch.equal(weights(head)[0], untrained.state_dict()["linear.0.weight"])


def test_the_untrained_network_may_be_the_answer_where_it_is_a_good_score():
    """The negative control: links start from the inner product, and epoch 0 takes part."""
    assert (LinkPredictor.earliest, NodeClassifier.earliest) == (0, 1)
    scores = [9.0, 1.0, 2.0]
    parameters = {"learning_rate": 0.1, "weight_decay": 0, "epochs": 5, "patience": 3, "seed": 0, "threads": 1}
    assert [Training(**parameters, device="cpu", earliest=first).best(scores) for first in (0, 1)] == [0, 2]


def test_a_head_that_learnt_nothing_says_so(network, caplog):
    matrix, labels = hopeless()
    assert not NodeClassifier(**FAST | {"learning_rate": 3.0, "epochs": 3}).fit(matrix, labels).learnt_
    assert "learnt nothing" in caplog.text
    caplog.clear()
    assert fitted(network).learnt_
    assert caplog.text == ""


def test_rows_that_are_not_kept_are_scaled_again_and_give_the_same_head(network, monkeypatch):
    kept = fitted(network, epochs=4)
    monkeypatch.setattr("privge.tasks.scaling.KEPT_BYTES", 1000)
    streamed = fitted(network, epochs=4)
    assert np.allclose(kept.predict_proba(network.matrix), streamed.predict_proba(network.matrix), atol=1e-4)
