import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import Graph, StoredGraph, read_graph, save_graph
from privge.graph import _fingerprint as fingerprints

ARRAYS = ["indptr.npy", "indices.npy", "ids.npy"]
INTEGERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nobody pulls the plug here."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@st.composite
def graphs(draw):
    nodes = draw(st.lists(draw(st.sampled_from([INTEGERS, TEXTS])), min_size=1, max_size=9, unique=True))
    node = st.sampled_from(nodes)
    return Graph.from_edges(draw(st.lists(st.tuples(node, node), max_size=20)), nodes=nodes)


def small():
    return Graph.from_edges([(10, 20), (20, 30), (30, 50)], nodes=[10, 20, 30, 40, 50])


def assert_same(one, other):
    assert one.ids.tolist() == other.ids.tolist()
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)


@settings(max_examples=50, deadline=None)
@given(graph=graphs())
def test_a_saved_graph_is_opened_as_the_same_graph(graph):
    with TemporaryDirectory() as folder:
        stored = save_graph(graph, Path(folder) / "a.graph")
        opened = StoredGraph.open(Path(folder) / "a.graph")
        assert opened == stored
        assert_same(opened.graph(), graph)
        assert opened.graph().fingerprint == opened.fingerprint == graph.fingerprint
        assert opened.largest_degree == graph.degrees.max()
        ids = graph.ids.tolist()
        assert opened.sorted_ids == (ids == sorted(ids))


@settings(max_examples=50, deadline=None)
@given(graph=graphs(), asked=st.lists(INTEGERS) | st.lists(TEXTS))
def test_rows_are_found_as_in_the_graph(graph, asked):
    asked = [*asked, *(node for node in graph.ids.tolist()[::2] if not asked or type(node) is type(asked[0]))]
    with TemporaryDirectory() as folder:
        stored = save_graph(graph, Path(folder) / "a.graph")
        np.testing.assert_array_equal(stored.rows_of(asked), graph.rows_of(asked))


@settings(max_examples=50, deadline=None)
@given(graph=graphs(), piece=st.integers(1, 5))
def test_the_fingerprint_in_pieces_is_that_of_the_whole(graph, piece):
    digest = hashlib.sha256(json.dumps(graph.ids.tolist()).encode())
    digest.update(graph.indptr.tobytes())
    digest.update(graph.indices.tobytes())
    parts = [fingerprints.pieces(array, piece) for array in (graph.ids, graph.indptr, graph.indices)]
    pieced = fingerprints.fingerprint_of((ids.tolist() for ids in parts[0]), *parts[1:])
    assert pieced == graph.fingerprint == digest.hexdigest()


def test_a_mapped_graph_copies_nothing_and_does_all_that_a_graph_does(tmp_path):
    graph = save_graph(small(), tmp_path / "a.graph").graph()
    for array in (graph.ids, graph.indptr, graph.indices):
        base = array
        while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)
    assert (graph.to_scipy() != small().to_scipy()).nnz == 0
    assert graph.degrees.tolist() == [1, 2, 2, 0, 1]
    assert graph.to_edges() == small().to_edges()


def test_entries_are_followed_by_padding_and_can_be_had_in_part(tmp_path):
    stored = save_graph(small(), tmp_path / "a.graph")
    assert stored.indices().tolist() == [*small().indices, *[0] * 24]
    assert stored.indptr(1, 3).tolist() == small().indptr[1:4].tolist()
    first, last = stored.indptr(1, 2)
    assert stored.indices(first, last).tolist() == [0, 2]


@pytest.mark.parametrize("graph", [small(), Graph.from_edges([("a", "b"), ("b", "ß")])])
def test_a_graph_at_an_address_is_the_same(graph):
    address = "memory://test-stored/a.graph"
    stored = save_graph(graph, address)
    assert_same(StoredGraph.open(address).graph(), graph)
    assert_same(read_graph(address), graph)
    assert stored.rows_of(graph.ids[::-1]).tolist() == list(range(graph.nodes))[::-1]
    assert stored.indices(1, 3).tolist() == graph.indices[1:3].tolist()


def test_a_stored_graph_is_read_like_any_other(tmp_path):
    save_graph(small(), tmp_path / "a.graph")
    assert_same(read_graph(tmp_path / "a.graph"), small())
    with pytest.raises(BadData, match="all its nodes already"):
        read_graph(tmp_path / "a.graph", nodes="nodes.csv")


def test_what_is_absent_or_unfinished_is_refused(tmp_path):
    with pytest.raises(BadData, match="no such graph"):
        StoredGraph.open(tmp_path / "a.graph")
    save_graph(small(), tmp_path / "a.graph")
    (tmp_path / "a.graph" / "graph.json").unlink()
    with pytest.raises(BadData, match="never finished"):
        StoredGraph.open(tmp_path / "a.graph")


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("place", ["path", "address"])
@pytest.mark.parametrize("harm", ["missing", "cut", "shorter", "longer", "other type"])
def test_a_damaged_file_is_refused_by_name(tmp_path, name, place, harm):
    stored = save_graph(small(), tmp_path / "a.graph" if place == "path" else "memory://test-damaged/a.graph")
    array = np.array(stored.folder.read(name))
    if harm == "cut" and place == "path":
        path = tmp_path / "a.graph" / name
        path.write_bytes(path.read_bytes()[:-1])
    elif harm == "cut":
        import fsspec

        system = fsspec.filesystem("memory")
        system.pipe_file(f"/test-damaged/a.graph/{name}", system.cat_file(f"/test-damaged/a.graph/{name}")[:-1])
    elif harm == "missing":
        stored.folder.remove([name])
    else:
        changed = {"shorter": array[:-1], "longer": np.append(array, array[-1:]), "other type": array.astype(float)}
        stored.folder.write(name, changed[harm])
    with pytest.raises(BadData, match=name):
        StoredGraph.open(stored.folder)


@pytest.mark.parametrize(
    ("change", "message"), [({"format": "other/1"}, "format"), ({"entries": 4}, "indices"), ({"nodes": 4}, "indptr")]
)
def test_a_document_that_does_not_fit_is_refused(tmp_path, change, message):
    stored = save_graph(small(), tmp_path / "a.graph")
    stored.folder.write_document("graph.json", {**stored.folder.document("graph.json"), **change})
    with pytest.raises(BadData, match=message):
        StoredGraph.open(tmp_path / "a.graph")


def change_entry(stored, name, position, value):
    """Write another number into an array of a stored graph, whose size stays."""
    array = np.array(stored.folder.read(name))
    array[position] = value
    stored.folder.write(name, array)


@pytest.mark.parametrize("place", ["path", "address"])
@pytest.mark.parametrize(
    ("name", "position", "value", "problem"),
    [
        ("indices.npy", 0, 2_000_000_000, "not among the nodes"),
        ("indices.npy", 0, 5, "not among the nodes"),
        ("indices.npy", 2, -1, "not among the nodes"),
        ("indices.npy", 1, 2, "do not ascend"),
        ("indices.npy", 0, 0, "its own neighbour"),
        ("indices.npy", 5, 1, "is not its neighbour"),
        ("indptr.npy", 0, 1, "begin at 0"),
        ("indptr.npy", 1, 10**12, "do not ascend"),
        ("indptr.npy", 2, -(10**12), "do not ascend"),
        ("indptr.npy", 3, 6, "do not ascend"),
        ("indptr.npy", 3, 4, "is not its neighbour"),  # a row that takes the neighbour of another
        ("ids.npy", 1, 10, "do not ascend"),
        ("ids.npy", 1, 35, "do not ascend"),
    ],
)
def test_one_wrong_number_is_refused_before_compiled_code_sees_it(tmp_path, place, name, position, value, problem):
    stored = save_graph(small(), tmp_path / "a.graph" if place == "path" else "memory://test-entry/a.graph")
    change_entry(stored, name, position, value)
    with pytest.raises(BadData, match=f"npy: damaged, .*{problem}"):
        StoredGraph.open(stored.folder)
    with pytest.raises(BadData, match=problem):
        read_graph(stored.folder.address)


@settings(max_examples=100, deadline=None)
@given(graph=graphs(), data=st.data())
def test_a_changed_entry_never_opens_as_another_graph(graph, data):
    with TemporaryDirectory() as folder:
        stored = save_graph(graph, Path(folder) / "a.graph")
        name = data.draw(st.sampled_from(["indptr.npy", *(["indices.npy"] if stored.entries else [])]))
        array = stored.folder.read(name)
        position = data.draw(st.integers(0, len(array) - 1 if name == "indptr.npy" else stored.entries - 1))
        kind = np.iinfo(array.dtype)
        near = st.integers(-1, graph.nodes + 1)
        value = data.draw((near | st.integers(int(kind.min), int(kind.max))).filter(lambda v: v != array[position]))
        change_entry(stored, name, position, value)
        with pytest.raises(BadData, match="damaged"):
            StoredGraph.open(Path(folder) / "a.graph")


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("ids-offsets.npy", np.array([0, 4, 2, 6, 8])),
        ("ids-offsets.npy", np.array([-2, 2, 4, 6, 8])),
        ("ids-offsets.npy", np.array([0, 0, 4, 6, 8])),
        ("ids-offsets.npy", np.array([0, 2, 4, 6, -8])),
        ("ids-text.npy", np.frombuffer(b"QAQ\xffQCQD", dtype=np.uint8)),
        ("ids-text.npy", np.frombuffer(b"QAQCQCQD", dtype=np.uint8)),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_damaged_texts_are_refused_without_quoting_them(tmp_path, name, damaged, order):
    nodes = ["QA", "QB", "QC", "QD"][::order]
    stored = save_graph(Graph.from_edges([("QA", "QB")], nodes=nodes), tmp_path / "a.graph")
    stored.folder.write(name, damaged)
    with pytest.raises(BadData, match=r"ids-(offsets|text)\.npy") as refused:
        StoredGraph.open(tmp_path / "a.graph")
    assert not any(node in str(refused.value) for node in nodes)


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": "5"},
        {"nodes": -1},
        {"entries": 6.0},
        {"ids": "texts"},
        {"padding": 0},
        {"sorted_ids": 1},
        {"largest_degree": 1},
        {"fingerprint": None},
        {"loops": True},
    ],
)
def test_a_field_that_is_not_what_it_must_be_is_refused(tmp_path, change):
    stored = save_graph(small(), tmp_path / "a.graph")
    stored.folder.write_document("graph.json", {**stored.folder.document("graph.json"), **change})
    with pytest.raises(BadData, match=r"graph\.json"):
        StoredGraph.open(tmp_path / "a.graph")


def test_unsorted_ids_that_repeat_are_refused(tmp_path):
    stored = save_graph(Graph.from_edges([(3, 1)], nodes=[3, 1, 2]), tmp_path / "a.graph")
    change_entry(stored, "ids.npy", 2, 3)
    with pytest.raises(BadData, match="twice"):
        StoredGraph.open(tmp_path / "a.graph")


def test_rows_beyond_one_piece_are_all_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("privge.graph._soundness._ROWS", 3)
    monkeypatch.setattr("privge.graph._soundness._ENTRIES", 2)
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 20, (60, 2)))
    stored = save_graph(graph, tmp_path / "a.graph")
    assert_same(StoredGraph.open(tmp_path / "a.graph").graph(), graph)
    indices = np.array(stored.folder.read("indices.npy"))
    for position in range(stored.entries):
        changed = indices.copy()
        changed[position] = (changed[position] + 1) % graph.nodes
        stored.folder.write("indices.npy", changed)
        with pytest.raises(BadData, match="indices"):
            StoredGraph.open(tmp_path / "a.graph")
