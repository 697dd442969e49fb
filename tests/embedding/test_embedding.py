import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privge.embedding.files
from privge.embedding.embedding import Embedding
from privge.embedding.provenance import Computation, Provenance, PublicGraph, Source
from privge.errors import BadData

PROVENANCE = Provenance(
    sources=(Source(campaign="c" * 64, mechanism="hds", epsilon=1.1, k=3, decoding="raw", participation=0.5),),
    graph=PublicGraph(fingerprint="f" * 64, nodes=6, edges=9),
    run=Computation(
        alpha=0.1,
        r=0.5,
        tolerance=1e-4,
        engine="sor",
        certificate=1 / 3 * 1e-4,
        sweeps=17.0,
        precision="float32",
        seconds=0.25,
    ),
    version="0.1.0",
)
TEXT_IDS = np.array(["ä", "b\nc", "007", "true", '"', "🜁"], dtype=object)
INTEGER_IDS = np.array([5, -1, 2**62, 0, 7, 8])


def embedding(ids=INTEGER_IDS, kind=np.float32, columns=4, seed=0):
    matrix = np.random.default_rng(seed).normal(size=(len(ids), columns)).astype(kind)
    return Embedding(ids, matrix, PROVENANCE)


def brute_force(made, node, metric):
    """Score of every other node, in float64, one pair at a time."""
    vectors = made.matrix.astype(np.float64)
    row = made.ids.tolist().index(node)
    scores = {}
    for i, other in enumerate(made.ids.tolist()):
        product = float(vectors[i] @ vectors[row])
        lengths = float(np.linalg.norm(vectors[i]) * np.linalg.norm(vectors[row]))
        scores[other] = product if metric == "dot" else product / lengths
    del scores[node]
    return scores


@pytest.mark.parametrize("ids", [INTEGER_IDS, TEXT_IDS], ids=["integers", "strings"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("epsilon", [1.1, None])
def test_parquet_gives_back_the_same_embedding(tmp_path, ids, kind, epsilon):
    made = replace(embedding(ids, kind), provenance=PROVENANCE.with_source(epsilon=epsilon))
    made.to_parquet(tmp_path / "z.parquet")
    again = Embedding.from_parquet(tmp_path / "z.parquet")
    assert again.ids.tolist() == ids.tolist()
    assert again.ids.dtype == ids.dtype
    assert again.matrix.dtype == kind
    assert (again.matrix == made.matrix).all()
    assert again.provenance == made.provenance
    assert [p.name for p in tmp_path.iterdir()] == ["z.parquet"]


def test_an_embedding_of_no_nodes_is_one_too(tmp_path):
    Embedding(np.empty(0, np.int64), np.empty((0, 3), np.float32), PROVENANCE).to_parquet(tmp_path / "z.parquet")
    again = Embedding.from_parquet(tmp_path / "z.parquet")
    assert again.matrix.shape == (0, 3)
    assert len(again) == 0


def test_blocks_make_no_difference(tmp_path, monkeypatch):
    made = embedding()
    whole = made.most_similar(5)
    monkeypatch.setattr(privge.embedding.files, "BLOCK", 40)  # two rows
    parts = embedding()
    assert len(list(privge.embedding.files.blocks(parts.matrix))) == 3
    assert [node for node, _ in parts.most_similar(5)] == [node for node, _ in whole]
    parts.to_parquet(tmp_path / "z.parquet")
    assert (Embedding.from_parquet(tmp_path / "z.parquet").matrix == made.matrix).all()
    assert parts.to_arrow()["vector"].to_pylist() == made.matrix.tolist()


@settings(deadline=None)
@given(
    st.integers(1, 40),
    st.integers(1, 60),
    st.integers(1, 5),
    st.sampled_from(["cosine", "dot"]),
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32 - 1),
)
def test_most_similar_is_what_brute_force_finds(nodes, k, columns, metric, kind, seed):
    made = embedding(np.arange(100, 100 + nodes), kind, columns, seed)
    expected = brute_force(made, 100, metric)
    found = made.most_similar(100, k, metric=metric)
    # Float32 products of `columns` terms: (columns + 2) roundings of at most the product of the lengths.
    largest = np.linalg.norm(made.matrix, axis=1).max() ** 2 if metric == "dot" else 1.0
    bound = 2 * (columns + 4) * float(np.finfo(kind).eps) * float(largest)
    best = sorted(expected.values(), reverse=True)[:k]
    assert len(found) == min(k, nodes - 1)
    assert [score for _, score in found] == pytest.approx(best, rel=0, abs=bound)
    assert [score for _, score in found] == pytest.approx([expected[node] for node, _ in found], rel=0, abs=bound)
    assert len({node for node, _ in found}) == len(found)


@pytest.mark.parametrize("metric", ["cosine", "dot"])
def test_ties_are_listed_in_the_order_of_rows(metric):
    made = Embedding(np.array(list("abcd"), object), np.ones((4, 2), np.float32), PROVENANCE)
    assert [node for node, _ in made.most_similar("c", metric=metric)] == ["a", "b", "d"]


def test_a_vector_of_zeros_is_similar_to_nothing():
    made = Embedding(np.arange(3), np.array([[0, 0], [1, 0], [2, 2]], np.float32), PROVENANCE)
    assert [score for _, score in made.most_similar(0)] == [0, 0]
    assert dict(made.most_similar(1))[0] == 0


def test_short_vectors_have_directions_too():
    made = Embedding(np.arange(3), np.array([[1e-30, 0], [2e-30, 0], [0, 1e-30]]), PROVENANCE)
    assert dict(made.most_similar(0)) == pytest.approx({1: 1.0, 2: 0.0}, abs=1e-12)


@pytest.mark.parametrize(("ids", "kind"), [(INTEGER_IDS, int), (TEXT_IDS, str)])
def test_found_nodes_are_plain_integers_and_strings(ids, kind):
    found = embedding(ids).most_similar(ids.tolist()[0])
    assert all(type(node) is kind for node, _ in found)
    json.dumps(found)


@pytest.mark.parametrize(("k", "metric", "message"), [(0, "cosine", "k must be"), (1, "euclid", "metric must be")])
def test_wrong_arguments_are_refused(k, metric, message):
    with pytest.raises(ValueError, match=message):
        embedding().most_similar(5, k, metric=metric)


def test_a_node_gives_its_vector():
    made = embedding()
    assert (made[-1] == made.matrix[1]).all()
    assert (made["-1"] == made.matrix[1]).all()
    assert (embedding(TEXT_IDS)["007"] == made.matrix[2]).all()


def test_an_id_with_leading_zeros_is_another_node_than_its_number():
    assert (embedding()["7"] == embedding()[7]).all()
    for node in ("007", "+7", "\N{ARABIC-INDIC DIGIT SEVEN}"):
        with pytest.raises(BadData, match="not in the embedding"):
            embedding()[node]


@pytest.mark.parametrize("node", [6, "6", "x", "", "-", "--1", "²", "5.0"])
def test_an_unknown_node_is_refused(node):
    for ask in (Embedding.__getitem__, Embedding.most_similar):
        with pytest.raises(BadData, match="is not in the embedding"):
            ask(embedding(), node)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_gets_a_contiguous_matrix_of_float32(kind, order):
    made = embedding(kind=kind)
    matrix = Embedding(made.ids, np.array(made.matrix, order=order), PROVENANCE).to_numpy()
    assert matrix.dtype == np.float32
    assert matrix.flags.c_contiguous
    assert (matrix == made.matrix.astype(np.float32)).all()


@pytest.mark.parametrize("ids", [INTEGER_IDS, TEXT_IDS], ids=["integers", "strings"])
def test_pandas_gets_a_frame_indexed_by_id(ids):
    made = embedding(ids)
    frame = made.to_frame()
    assert frame.equals(made.to_pandas())
    assert frame.index.name == "id"
    assert frame.index.tolist() == ids.tolist()
    assert (frame.loc[ids.tolist()[3]].to_numpy() == made.matrix[3]).all()


def test_arrow_gets_ids_and_vectors():
    made = embedding(TEXT_IDS)
    table = made.to_arrow()
    assert table["id"].to_pylist() == TEXT_IDS.tolist()
    assert table["vector"].to_pylist() == made.matrix.tolist()


def test_npy_holds_the_vectors_in_the_order_of_ids(tmp_path):
    made = embedding(kind=np.float64)
    made.to_npy(tmp_path / "z.npy")
    again = np.load(tmp_path / "z.npy")
    assert again.dtype == made.matrix.dtype
    assert (again == made.matrix).all()
    assert json.loads((tmp_path / "z.ids.json").read_text())["ids"] == INTEGER_IDS.tolist()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["z.ids.json", "z.npy"]


@pytest.mark.parametrize("ids", [INTEGER_IDS, TEXT_IDS], ids=["integers", "strings"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["z.npy", "z.parquet", "z"])
def test_what_is_saved_can_be_loaded(tmp_path, ids, kind, name):
    made = embedding(ids, kind)
    made.save(tmp_path / name)
    again = Embedding.load(tmp_path / name)
    assert again.ids.tolist() == ids.tolist()
    assert again.ids.dtype == ids.dtype
    assert again.matrix.dtype == kind
    assert (again.matrix == made.matrix).all()
    assert again.provenance == made.provenance


def test_a_name_that_stands_for_no_format_is_refused(tmp_path):
    endings = r"\.npy, \.txt, \.vec, \.w2v, \.sql, \.csv, \.parquet"
    with pytest.raises(ValueError, match=rf"z\.xlsx: the name must end in {endings}, or in nothing"):
        embedding().save(tmp_path / "z.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_npy_is_not_read_without_its_ids(tmp_path):
    embedding().to_npy(tmp_path / "z.npy")
    (tmp_path / "z.ids.json").unlink()
    with pytest.raises(BadData, match=r"z\.npy: its ids are missing: there is no z\.ids\.json beside it"):
        Embedding.from_npy(tmp_path / "z.npy")
    with pytest.raises(FileNotFoundError):
        Embedding.from_npy(tmp_path / "other.npy")


def test_a_crash_between_the_two_names_leaves_no_ids_of_other_vectors(tmp_path, monkeypatch):
    embedding(seed=1).to_npy(tmp_path / "z.npy")
    replace_file = Path.replace

    def crash(self, target):
        if target.name == "z.ids.json":
            raise KeyboardInterrupt
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        embedding(INTEGER_IDS[::-1], seed=2).to_npy(tmp_path / "z.npy")
    assert [p.name for p in tmp_path.iterdir()] == ["z.npy"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("z.npy", b""),
        ("z.npy", b"\x93NUMPY"),
        ("z.npy", b"PK\x03\x04"),
        ("z.ids.json", b""),
        ("z.ids.json", b"[]"),
        ("z.ids.json", b"{}"),
        ("z.ids.json", b'{"ids": [1, 2], "provenance": {}}'),
        ("z.ids.json", b'{"ids": [1, 1, 2, 3, 4, 5], "provenance": {}}'),
        ("z.ids.json", b'{"ids": [1, 6, 2, 3, 4, 5], "provenance": {}}'),
        ("z.ids.json", b"\xff"),
    ],
)
def test_a_damaged_npy_or_its_ids_are_refused_by_name(tmp_path, name, content):
    embedding().to_npy(tmp_path / "z.npy")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadData, match=re.escape(str(tmp_path / "z."))):
        Embedding.from_npy(tmp_path / "z.npy")


def test_a_npy_of_something_else_is_refused(tmp_path):
    embedding().to_npy(tmp_path / "z.npy")
    for other in (np.zeros(6), np.zeros((6, 4), dtype=int)):
        np.save(tmp_path / "z.npy", other)
        with pytest.raises(BadData, match="a matrix of floats"):
            Embedding.from_npy(tmp_path / "z.npy")


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["z.txt", "z.vec"])
def test_word2vec_text_gives_back_the_same_numbers(tmp_path, kind, name):
    made = embedding(np.array(["ä", "b%s", "007", "true", '"', "🜁"], dtype=object), kind)
    made.save(tmp_path / name)
    header, *lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
    assert header == "6 4"
    assert [line.split(" ")[0] for line in lines] == made.ids.tolist()
    assert (np.array([line.split(" ")[1:] for line in lines], dtype=kind) == made.matrix).all()


def test_word2vec_text_of_no_nodes_is_a_header(tmp_path):
    Embedding(np.empty(0, np.int64), np.empty((0, 3), np.float32), PROVENANCE).to_word2vec(tmp_path / "z.txt")
    assert (tmp_path / "z.txt").read_text() == "0 3\n"


@pytest.mark.parametrize("node", ["a b", "a\tb", "a\nb", " a", "a\u00a0b"])
def test_word2vec_text_refuses_white_space_in_an_id(tmp_path, node):
    with pytest.raises(BadData, match=r"z\.txt: 1 ids have white space in them, the first is '.*write \.parquet or"):
        embedding(np.array([node, *"bcdef"], dtype=object)).to_word2vec(tmp_path / "z.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_number_of_ids_is_refused():
    with pytest.raises(ValueError, match="2 ids for 3 vectors"):
        Embedding(np.arange(2), np.zeros((3, 1), np.float32), PROVENANCE)


def test_its_name_says_how_large_it_is():
    assert repr(embedding()) == "Embedding(6 nodes, 4 dimensions, hds)"


FLAT = {
    "campaign": "c" * 64, "mechanism": "hds", "epsilon": 1.1, "k": 3, "decoding": "raw", "graph": "f" * 64, "nodes": 6,
    "edges": 9, "participation": 0.5, "alpha": 0.1, "r": 0.5, "engine": "sor", "tolerance": 1e-4,
    "certificate": 1 / 3 * 1e-4, "sweeps": 17.0, "precision": "float32", "seconds": 0.25, "version": "0.1.0",
}  # fmt: skip


def test_the_flat_form_of_version_0_1_is_still_read():
    assert Provenance.from_json(json.dumps(FLAT)) == PROVENANCE
    later = Provenance.from_json(json.dumps({**FLAT, "store_sequence": 7, "clip": 2.0}))
    assert later == PROVENANCE.with_source(store_sequence=7, clip=2.0)


@pytest.mark.parametrize("name", FLAT)
def test_a_flat_form_that_lacks_something_is_refused(name):
    with pytest.raises((TypeError, KeyError)):
        Provenance.from_json(json.dumps({field: value for field, value in FLAT.items() if field != name}))


def test_a_second_source_fits_and_costs_its_own_epsilon():
    source = PROVENANCE.source
    both = replace(PROVENANCE, sources=(source, replace(source, campaign="d" * 64, epsilon=0.4)))
    assert Provenance.from_json(both.to_json()) == both
    assert both.epsilon == 1.5
    assert replace(both, sources=(source, replace(source, epsilon=None))).epsilon is None
    with pytest.raises(BadData, match="made from 2 campaigns"):
        _ = both.source
    assert repr(replace(embedding(), provenance=both)) == "Embedding(6 nodes, 4 dimensions, hds, hds)"


def without_a_field():
    fields = asdict(PROVENANCE)
    del fields["run"]["alpha"]
    return json.dumps(fields)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.drop_columns(["vector"]),
        lambda t: t.drop_columns(["id"]),
        lambda t: t.replace_schema_metadata({}),
        lambda t: t.replace_schema_metadata({"privge.provenance": "{"}),
        lambda t: t.replace_schema_metadata({"privge.provenance": "[]"}),
        lambda t: t.replace_schema_metadata({"privge.provenance": without_a_field()}),
        lambda t: t.set_column(0, "id", pa.array([1, 1, 2, 3, 4, 5])),
        lambda t: t.set_column(0, "id", pa.array([None, 1, 2, 3, 4, 5])),
        lambda t: t.set_column(0, "id", pa.array([0.5, 1, 2, 3, 4, 5])),
        lambda t: t.set_column(1, "vector", pa.array([[1.0]] * 6)),
        lambda t: t.set_column(1, "vector", pa.array([[1.0]] * 5 + [None], pa.list_(pa.float32(), 1))),
        lambda t: t.set_column(1, "vector", pa.array([["a"]] * 6, pa.list_(pa.string(), 1))),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path, change):
    path = tmp_path / "z.parquet"
    embedding().to_parquet(path)
    pq.write_table(change(pq.read_table(path)), path)
    with pytest.raises(BadData, match=re.escape(str(path))):
        Embedding.from_parquet(path)


@pytest.mark.parametrize("kept", [0, 3, 100, -200, -1])
def test_a_truncated_file_is_refused_by_name(tmp_path, kept):
    path = tmp_path / "z.parquet"
    embedding().to_parquet(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(BadData, match=re.escape(str(path))):
        Embedding.from_parquet(path)


def test_a_file_that_is_not_there_is_not_called_damaged(tmp_path):
    with pytest.raises(FileNotFoundError):
        Embedding.from_parquet(tmp_path / "z.parquet")


@pytest.mark.parametrize(
    ("write", "names"),
    [
        (Embedding.to_parquet, ["z.parquet"]),
        (Embedding.to_npy, ["z.npy", "z.ids.json"]),
        (Embedding.to_word2vec, ["z.txt"]),
    ],
)
def test_a_failed_write_leaves_nothing_and_spares_the_old_file(tmp_path, monkeypatch, write, names):
    for name in names:
        (tmp_path / name).write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(privge.embedding.files, "blocks", fail)
    with pytest.raises(OSError, match="disk full"):
        write(embedding(), tmp_path / names[0])
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == dict.fromkeys(names, "old")


class Lazy:
    """Rows that are no array: only what an embedding may ask of them."""

    def __init__(self, rows):
        self._rows, self.shape, self.dtype = rows, rows.shape, rows.dtype

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, key):
        assert isinstance(key, int | slice)
        return np.array(self._rows[key])

    def __array__(self, dtype=None, copy=None):
        return np.array(self._rows, dtype=dtype, copy=copy)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_that_are_no_array_serve_as_well(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(privge.embedding.files, "BLOCK", 40)
    made = embedding(TEXT_IDS, kind)
    lazy = replace(made, matrix=Lazy(made.matrix))
    assert lazy.most_similar("007") == made.most_similar("007")
    assert (lazy["007"] == made["007"]).all()
    assert (lazy.to_numpy() == made.to_numpy()).all()
    assert lazy.to_frame().equals(made.to_frame())
    assert (lazy[["🜁", "ä"]] == made.matrix[[5, 0]]).all()
    assert (np.asarray(lazy) == made.matrix).all()
    assert lazy.to_arrow() == made.to_arrow()
    for write, name in (
        (Embedding.to_npy, "z.npy"),
        (Embedding.to_parquet, "z.parquet"),
    ):
        write(made, tmp_path / f"made-{name}")
        write(lazy, tmp_path / f"lazy-{name}")
        assert (tmp_path / f"lazy-{name}").read_bytes() == (tmp_path / f"made-{name}").read_bytes()
    lazy.to_parquet(tmp_path / "z")
    assert (Embedding.from_parquet(tmp_path / "z").matrix == made.matrix).all()


def test_npy_takes_an_embedding_of_no_nodes(tmp_path):
    Embedding(np.empty(0, np.int64), np.empty((0, 3), np.float32), PROVENANCE).to_npy(tmp_path / "z.npy")
    assert np.load(tmp_path / "z.npy").shape == (0, 3)


def test_a_provenance_must_say_how_reports_were_decoded():
    told = json.loads(PROVENANCE.to_json())
    assert Provenance.from_json(json.dumps(told)) == PROVENANCE
    del told["sources"][0]["decoding"]
    with pytest.raises(TypeError, match="decoding"):
        Provenance.from_json(json.dumps(told))
