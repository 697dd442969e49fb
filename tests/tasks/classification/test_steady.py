import io
import json
import pickle
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from privge import Campaign, embed
from privge.datasets import social_network
from privge.errors import BadData
from privge.tasks import NodeClassifier, SteadyClassifier, VectorModel
from privge.tasks.classification import Share
from privge.tasks.classification import inputs as inputs_module
from privge.tasks.classification.candidates import CANDIDATES, Logistic, Perceptron, fitted
from privge.tasks.classification.fused import Fused
from privge.tasks.classification.inputs import WIDEST, Block, Inputs
from privge.tasks.fusion import Fusion

PLAIN = (Logistic(1.0), Logistic(10.0))


def people(signal=1.0, nodes=240, classes=3, seed=0):
    generator = np.random.default_rng(seed)
    labels = generator.integers(classes, size=nodes)
    means = signal * generator.normal(size=(classes, 20))
    return (means[labels] + generator.normal(size=(nodes, 20))).astype(np.float32), labels


@pytest.fixture(scope="module")
def told():
    vectors, labels = people()
    return vectors, labels, SteadyClassifier(seed=1).fit(vectors, labels, train=np.arange(120))


def test_classes_are_found(told):
    vectors, labels, head = told
    assert head.learnt_
    assert head.score(vectors[120:], labels[120:]) > 0.9
    probabilities = head.predict_proba(vectors)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(head.predict(vectors), head.classes_[probabilities.argmax(axis=1)])


def test_the_default_tries_two_learning_rates_several_strengths_and_the_shares_of_the_classes(told):
    assert {each.family for each in CANDIDATES} == set(told[2].chosen_) == {"logistic regression", "perceptron"}
    assert [each.rate for each in CANDIDATES if isinstance(each, Perceptron)] == [1.0, 0.1]
    assert {each.scaling for each in CANDIDATES if isinstance(each, Logistic)} == {"rows", "columns"}


def test_from_vectors_that_know_nothing_nothing_is_learnt_and_the_answer_is_the_largest_class(caplog):
    vectors, labels = people(signal=0.0)
    labels[:90] = 1
    head = SteadyClassifier(candidates=PLAIN).fit(vectors, np.random.default_rng(5).permutation(labels))
    assert not head.learnt_
    assert "nothing was learnt" in caplog.text
    assert (head.predict(vectors) == 1).all()
    spread = head.predict_proba(vectors).std(axis=0)
    assert spread.max() < 1e-9  # everybody gets the same


def test_labels_outside_the_training_nodes_are_never_read():
    vectors, labels = people()
    changed = labels.copy()
    changed[120:] = np.random.default_rng(0).permutation(changed[120:])
    first, second = (
        SteadyClassifier(candidates=PLAIN).fit(vectors, each, train=np.arange(120)) for each in (labels, changed)
    )
    assert np.array_equal(first.predict_proba(vectors), second.predict_proba(vectors))


def test_what_is_said_of_a_labelled_node_does_not_depend_on_its_own_label():
    vectors, labels = people()
    changed = labels.copy()
    changed[7] = (changed[7] + 1) % 3
    own, other = (SteadyClassifier(candidates=PLAIN[:1]).fit(vectors, each) for each in (labels, changed))
    said, again = (head.held_out_["logistic regression"] for head in (own, other))
    assert np.array_equal(said[7], again[7])
    assert not np.array_equal(said, again)  # that of others does


def test_another_seed_changes_next_to_nothing(told):
    vectors, labels, head = told
    again = SteadyClassifier(seed=2).fit(vectors, labels, train=np.arange(120))
    assert (head.predict(vectors) == again.predict(vectors)).mean() > 0.97
    alone = [
        NodeClassifier(seed=seed, threads=1)
        .fit(vectors, np.where(np.arange(240) < 120, labels, -1))
        .predict_proba(vectors)
        for seed in (1, 2)
    ]
    difference = np.abs(head.predict_proba(vectors) - again.predict_proba(vectors)).mean()
    assert difference < np.abs(alone[0] - alone[1]).mean()


def test_a_class_of_one_label_is_a_class_all_the_same():
    vectors, labels = people()
    labels[3] = 9
    head = SteadyClassifier(candidates=PLAIN).fit(vectors, labels)
    assert head.classes_.tolist() == [0, 1, 2, 9]
    assert (head.predict_proba(vectors) > 0).all()


def test_classes_may_be_text_and_nodes_go_by_id():
    made = social_network(people=80, communities=2, interests=8, seed=1)
    campaign = Campaign(dimensions=8, low=0, high=1, mechanism="none")
    z = embed(made.graph, campaign.simulate(made.features, ids=made.graph.ids, seed=0))
    names = {node: "ab"[label] for node, label in zip(made.graph.ids.tolist(), made.labels.tolist(), strict=True)}
    head = SteadyClassifier(candidates=PLAIN).fit(z, names)
    assert set(head.predict(z).values()) <= {"a", "b"}
    assert list(head.predict(z, ["person-0003", "person-0001"])) == ["person-0003", "person-0001"]


@pytest.mark.parametrize("rows", [np.arange(9), np.flatnonzero(people()[1] == 0)])
def test_too_few_labels_are_refused_with_what_is_needed(rows):
    vectors, labels = people()
    with pytest.raises(BadData, match="at least 10 labelled nodes of two classes"):
        SteadyClassifier(candidates=PLAIN).fit(vectors, labels, train=rows)


def test_it_has_the_shape_of_scikit_learn(told):
    copied = clone(told[2])
    assert copied.get_params() == told[2].get_params()
    with pytest.raises(ValueError, match="not fitted yet"):
        copied.predict(told[0])


def test_a_fitted_network_as_plain_arrays_says_what_torch_says():
    vectors, labels = people()
    inputs = Block.fit(vectors, "rows").rows(vectors, np.arange(240))
    inputs[:, 3:9] = 0  # columns that the network leaves out
    layers = fitted(Perceptron(1.0), inputs, labels, 3, 0)
    head = NodeClassifier(scaling="none", batch=30, seed=0, threads=1).fit(inputs, labels)
    assert np.allclose(np.exp(layers.log_probabilities(inputs)), head.predict_proba(inputs), atol=2e-4)


def test_what_the_gate_of_the_fusion_leaves_out_has_no_weight():
    vectors, labels = people(signal=0.3)
    head = SteadyClassifier(candidates=PLAIN).fit(vectors, labels)
    prior = np.tile(np.log(head.known_.shares), (240, 1))
    noise = np.log(np.random.default_rng(1).dirichlet(np.ones(3), size=240))
    heads = {**head.held_out_, "noise": noise}
    fused = Fused.fit(prior, heads, labels)
    gate = Fusion.fit(prior, heads, labels, np.arange(240)).contributions
    assert (fused.weights["logistic regression"] > 0, fused.weights["noise"]) == (True, 0.0)
    assert {name: one.kept for name, one in gate.items()} == {"logistic regression": True, "noise": False}
    assert np.allclose(
        fused.probabilities(prior, heads), Fused.fit(prior, head.held_out_, labels).probabilities(prior, head.held_out_)
    )


def test_wide_vectors_are_projected_and_inner_products_are_kept():
    generator = np.random.default_rng(0)
    wide = generator.normal(size=(60, 20_000)).astype(np.float32)
    wide[1] = wide[0] + 0.5 * wide[1]
    inputs = Block.fit(wide, "rows")
    made = inputs.rows(wide, np.arange(60))
    plain = inputs.scaling.rows(wide, np.arange(60))
    assert made.shape == (60, WIDEST + 1)
    assert np.array_equal(made[:, -1], plain[:, -1])  # the common column stays one
    cosines = (plain[:, :-1] @ plain[:, :-1].T / 20_000, made[:, :-1] @ made[:, :-1].T / WIDEST)
    assert np.abs(cosines[0] - cosines[1]).max() < 5 * np.sqrt(2 / WIDEST)
    narrow = wide[:, :WIDEST]
    assert Block.fit(narrow, "rows").places is None


def test_a_wide_matrix_is_never_copied_whole(monkeypatch):
    wide = np.random.default_rng(0).normal(size=(600, 20_000)).astype(np.float32)
    for module in (inputs_module, inputs_module.Scaling.fit.__func__.__globals__["__name__"]):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.rows_at_once", lambda _: 20)
    tracemalloc.start()
    inputs = Inputs.fit(wide, ("rows", "columns"))
    inputs.rows(wide, np.arange(600))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < wide.nbytes / 3


def test_a_stored_model_says_the_same_to_the_last_bit(told, tmp_path):
    vectors, _, head = told
    head.model_.save(tmp_path / "model.npz")
    again = VectorModel.load(tmp_path / "model.npz")
    assert np.array_equal(again.probabilities(vectors), head.predict_proba(vectors))
    assert again.classes.tolist() == head.classes_.tolist()
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def test_a_model_says_what_held_out_labels_said_when_it_was_learnt(tmp_path):
    vectors, labels = people(signal=0.3, nodes=60)
    head = SteadyClassifier(candidates=PLAIN[:1]).fit(vectors, labels)
    head.model_.save(tmp_path / "model.npz")
    again = VectorModel.load(tmp_path / "model.npz")
    held, confidence = head.held_out_probabilities_, head.held_out_probabilities_.max(axis=1)
    right = head.classes_[held.argmax(axis=1)] == labels[head.known_.rows]
    for abstain in (0.0, 0.5):
        kept = confidence >= abstain
        assert again.expected(abstain) == Share(int(right[kept].sum()), int(kept.sum()))
    assert again.expected(0.52) == again.expected(0.5)  # between two levels the one that promises less
    assert replace(again, judged=()).expected() is None


def test_a_wide_model_of_named_classes_is_stored_with_its_projection(tmp_path):
    wide = np.random.default_rng(0).normal(size=(40, 3_000)).astype(np.float32)
    names = np.array(["yes", "no"] * 20, dtype=object)
    head = SteadyClassifier(candidates=PLAIN[:1]).fit(wide, names)
    head.model_.save(tmp_path / "model.npz")
    again = VectorModel.load(tmp_path / "model.npz")
    assert np.array_equal(again.probabilities(wide), head.predict_proba(wide))
    assert again.classes.tolist() == ["no", "yes"]


def test_a_model_holds_neither_ids_nor_pickles(told, tmp_path):
    told[2].model_.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as stored:
        assert all(stored[name].dtype.kind in "fiu" for name in stored.files)
        about = json.loads(stored["about"].tobytes())
    assert set(about) == {
        "format", "version", "classes", "heads", "weights", "beliefs", "temperature", "width", "blocks",
        "columns", "judged",
    }  # fmt: skip


@pytest.mark.parametrize("content", [b"", b"nothing", pickle.dumps({"about": 1})])
def test_what_is_not_a_model_is_refused_by_name_and_nothing_of_it_is_run(tmp_path, content):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(BadData, match=r"model\.npz: this is not a model"):
        VectorModel.load(path)
    with pytest.raises(BadData, match="no such file"):
        VectorModel.load(tmp_path / "none.npz")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "model.npz"
    SteadyClassifier(candidates=PLAIN[:1]).fit(*people(nodes=60)).model_.save(path)
    with np.load(path) as archive:
        return dict(archive)


@pytest.mark.parametrize(
    "changed",
    [
        {"classes": []},
        {"classes": [{"a": 1}, 2, 3]},
        {"classes": ["a", "a", "b"]},
        {"heads": []},
        {"heads": {}},
        {"temperature": 0},
        {"temperature": float("nan")},
        {"temperature": -1},
        {"weights": {}},
        {"width": 10**12},
        {"blocks": {}},
        {"columns": 7},
        {"judged": [[3, 2]] * 20},
        {"shares": np.zeros(3)},
        {"head 0, part 0, layer 0, weights": np.zeros((3, 2), dtype=np.float32)},
        {"head 0, part 0, layer 0, weights": np.full((3, 21), np.nan, dtype=np.float32)},
        {"about": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
    ],
    ids=str,
)
def test_a_damaged_model_is_refused_by_name(stored, tmp_path, changed):
    about = json.loads(stored["about"].tobytes())
    texts = {name: value for name, value in changed.items() if not isinstance(value, np.ndarray)}
    whole = np.frombuffer(json.dumps(about | texts).encode(), dtype=np.uint8)
    arrays = {name: value for name, value in changed.items() if isinstance(value, np.ndarray)}
    np.savez(tmp_path / "model.npz", **{**stored, "about": whole, **arrays})
    with pytest.raises(BadData, match=r"model\.npz: this is not a model"):
        VectorModel.load(tmp_path / "model.npz")


def test_a_model_that_claims_more_memory_than_there_is_is_refused_by_name(tmp_path):
    header = io.BytesIO()
    claim = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    np.lib.format.write_array_header_1_0(header, claim)
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as archive:
        archive.writestr("about.npy", header.getvalue())
    with pytest.raises(BadData, match=r"model\.npz: this is not a model"):
        VectorModel.load(tmp_path / "model.npz")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path, block = tmp_path / "model.npz", bytes(2**20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        header = io.BytesIO()
        claim = {"descr": "|u1", "fortran_order": False, "shape": (600 * 2**20,)}
        np.lib.format.write_array_header_1_0(header, claim)
        with archive.open("about.npy", "w") as file:
            file.write(header.getvalue())
            for _ in range(600):
                file.write(block)
    assert path.stat().st_size < 8 * 2**20
    tracemalloc.start()
    try:
        with pytest.raises(
            BadData, match=r"model\.npz: this is not a model .* 600 MiB unpacked, where 512 are the most"
        ):
            VectorModel.load(path)
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()


def test_a_model_with_more_entries_than_any_is_refused_before_it_is_unpacked(stored, tmp_path):
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(BadData, match="10,001 entries, where 10,000 are the most; it is not unpacked"):
        VectorModel.load(tmp_path / "model.npz")
    np.savez(tmp_path / "model.npz", **stored)
    with zipfile.ZipFile(tmp_path / "model.npz", "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("about.npy", b"")
    with pytest.raises(BadData, match="the same name"):
        VectorModel.load(tmp_path / "model.npz")


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_model_in_which_a_byte_was_changed_or_the_end_is_missing_is_refused(stored, tmp_path, place):
    path = tmp_path / "model.npz"
    np.savez_compressed(path, **stored)
    whole = path.read_bytes()
    cut = int(place * len(whole))
    path.write_bytes(whole[:cut])
    with pytest.raises(BadData, match=r"model\.npz: this is not a model"):
        VectorModel.load(path)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        member = max(archive.infolist(), key=lambda one: one.compress_size)
    middle = member.header_offset + 60 + int(place * member.compress_size)
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
    with pytest.raises(BadData, match=r"model\.npz: this is not a model"):
        VectorModel.load(path)


def test_a_model_of_another_format_is_refused(told, tmp_path, monkeypatch):
    monkeypatch.setattr("privge.tasks.classification.model_files.FORMAT", "privge classifier 2")
    told[2].model_.save(tmp_path / "model.npz")
    monkeypatch.undo()
    with pytest.raises(BadData, match="classifier 2"):
        VectorModel.load(tmp_path / "model.npz")


def embedded(made, alpha=0.1, epsilon=4.0, dimensions=8, seed=0, compact=None):
    campaign = Campaign(dimensions=dimensions, low=0, high=1, mechanism="hds", epsilon=epsilon, k=2)
    reports = campaign.simulate(made.features[:, :dimensions], ids=made.graph.ids, seed=seed)
    return embed(made.graph, reports, alpha=alpha, dimensions=compact)


def test_a_model_is_used_for_embeddings_of_the_same_columns_and_no_others():
    made, elsewhere = (social_network(people=count, communities=2, interests=8, seed=count) for count in (60, 70))
    labels = dict(zip(made.graph.ids.tolist(), made.labels.tolist(), strict=True))
    model = SteadyClassifier(candidates=PLAIN[:1]).fit(embedded(made), labels).model_
    assert model.probabilities(embedded(elsewhere)).shape == (70, 2)
    refused = {
        "campaign": embedded(elsewhere, epsilon=5.0),
        "alpha 0.1, r 0.5, not alpha 0.3": embedded(elsewhere, alpha=0.3),
        "8 columns, the embedding has 7": embedded(elsewhere, dimensions=7),
    }
    for words, other in refused.items():
        with pytest.raises(BadData, match=words):
            model.probabilities(other)


def test_a_model_of_compact_vectors_is_used_along_the_same_directions_alone():
    made = social_network(people=60, communities=2, interests=8, seed=60)
    labels = dict(zip(made.graph.ids.tolist(), made.labels.tolist(), strict=True))
    model = SteadyClassifier(candidates=PLAIN[:1]).fit(embedded(made, compact=4), labels).model_
    assert model.probabilities(embedded(made, compact=4)).shape == (60, 2)
    with pytest.raises(BadData, match="other directions"):
        model.probabilities(embedded(made, compact=4, seed=1))


def test_a_regression_that_does_not_settle_is_judged_as_it_is_without_a_warning():
    generator = np.random.default_rng(1)
    rows = (generator.normal(size=(200, 30)) * 10.0 ** np.linspace(-3, 3, 30)).astype(np.float32)
    head = Logistic(1e6).fit(rows, np.arange(200) % 3, seed=0)  # warnings are errors in these tests
    assert np.isfinite(head.log_probabilities(rows)).all()
