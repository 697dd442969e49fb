"""Weights of edges: one number an edge, the same both ways, however the edges are written and wherever they lie."""

import json
import logging
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import Graph, StoredGraph, convert_graph, save_graph

WEIGHTS = st.floats(1e-6, 1e6)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nobody pulls the plug here."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@st.composite
def weighted_edges(draw, texts=False):
    """Few ids, so that repetitions, both directions and self-loops are common."""
    names = draw(st.lists(st.integers(0, 50), min_size=1, max_size=8, unique=True))
    nodes = [f"n{name}" for name in names] if texts else names
    node = st.sampled_from(nodes)
    edges = draw(st.lists(st.tuples(node, node, WEIGHTS), max_size=30))
    return nodes, [edge[:2] for edge in edges], [edge[2] for edge in edges]


def naive(edges, weights):
    """The exact sum of the weights between each two nodes."""
    found = {}
    for (one, other), weight in zip(edges, weights, strict=True):
        if one != other:
            pair = frozenset((one, other))
            found[pair] = found.get(pair, 0) + Fraction(weight)
    return found


def weights_of(graph):
    """Both entries of every edge, read from the arrays."""
    ids = graph.ids.tolist()
    rows = np.repeat(np.arange(graph.nodes), graph.degrees)
    found = {}
    for row, column, weight in zip(rows.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True):
        found.setdefault(frozenset((ids[row], ids[column])), []).append(weight)
    return found


@settings(deadline=None)
@given(weighted_edges())
def test_the_weights_between_two_nodes_are_added_and_the_same_both_ways(case):
    nodes, edges, weights = case
    graph = Graph.from_edges(edges, nodes=nodes, weights=weights)
    expected, found = naive(edges, weights), weights_of(graph)
    assert graph.weighted
    assert set(found) == set(expected)
    for pair, both in found.items():
        assert both[0] == both[1]
        assert both[0] == pytest.approx(float(expected[pair]), rel=30 * 2**-53)  # at most 29 additions
    assert graph.to_scipy().toarray() == pytest.approx(graph.to_scipy().toarray().T, abs=0)


@settings(deadline=None)
@given(weighted_edges(), st.randoms(use_true_random=False))
def test_the_fingerprint_does_not_depend_on_the_order_or_direction_of_edges(case, random):
    nodes, edges, weights = case
    written = [
        (edge[::-1] if random.random() < 0.5 else edge, weight) for edge, weight in zip(edges, weights, strict=True)
    ]
    random.shuffle(written)
    other = Graph.from_edges([e for e, _ in written], nodes=nodes, weights=[w for _, w in written])
    assert other.fingerprint == Graph.from_edges(edges, nodes=nodes, weights=weights).fingerprint


def test_the_fingerprint_covers_weights_and_leaves_a_graph_without_them_as_it_was():
    edges = [("a", "b"), ("b", "c")]
    plain = Graph.from_edges(edges)
    # Written down from the version before there were weights: embeddings are compared by it.
    assert plain.fingerprint == "f38b37a27b3751811f332bb1df0fa554d16aff188f1b0b5482ce392404c8e392"
    assert plain.weights is None
    assert not plain.weighted
    ones, others = (Graph.from_edges(edges, weights=w).fingerprint for w in ([1, 1], [1, 2]))
    assert len({plain.fingerprint, ones, others}) == 3


@settings(deadline=None)
@given(weighted_edges())
def test_strengths_are_the_sums_of_weights_to_three_units_of_roundoff(case):
    nodes, edges, weights = case
    graph = Graph.from_edges(edges, nodes=nodes, weights=weights)
    for row in range(graph.nodes):
        exact = sum(map(Fraction, graph.weights[graph.indptr[row] : graph.indptr[row + 1]].tolist()), Fraction(0))
        assert abs(Fraction(float(graph.strengths[row])) - exact) <= 3 * Fraction(1, 2**53) * exact


def test_a_strength_of_many_weights_is_as_exact_as_one_of_few():
    leaves = 200_000
    weights = np.full(leaves, 0.1)
    weights[0] = 1e6
    hub = Graph.from_edges(np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)]), weights=weights)
    exact = Fraction(1e6) + (leaves - 1) * Fraction(0.1)
    assert abs(Fraction(float(hub.strengths[0])) - exact) <= 3 * Fraction(1, 2**53) * exact


def test_strengths_without_weights_are_degrees():
    graph = Graph.from_edges([(1, 2), (1, 3)], nodes=[1, 2, 3, 4])
    assert graph.strengths.tolist() == [2, 1, 1, 0]
    assert graph.largest_strength == 2


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), -float("inf"), 1e-101, 1e101])
def test_a_weight_that_is_not_a_finite_number_above_0_is_refused_by_its_row(weight):
    with pytest.raises(BadData, match="edge 1: its weight must be a finite number above 0"):
        Graph.from_edges([(1, 2), (2, 3), (3, 4)], weights=[1, weight, 0])


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], [[1.0], [2.0]]])
def test_weights_must_be_as_many_as_edges(weights):
    with pytest.raises(BadData, match="one for each edge"):
        Graph.from_edges([(1, 2), (2, 3)], weights=weights)


@pytest.mark.parametrize("weights", [["a", "b"], [True, False], [None, 1.0]])
def test_weights_must_be_numbers(weights):
    with pytest.raises(BadData, match="weights must be numbers"):
        Graph.from_edges([(1, 2), (2, 3)], weights=weights)


@pytest.mark.parametrize("kind", [pa.int32(), pa.float32(), pa.float64()])
def test_weights_may_be_a_column_of_arrow(kind):
    table = pa.table({"a": [1, 2], "b": [2, 3]})
    for weights in (pa.array([2, 3], kind), pa.chunked_array([pa.array([2], kind), pa.array([3], kind)])):
        assert Graph.from_edges(table, weights=weights).weights.tolist() == [2, 2, 3, 3]


def test_weights_that_add_up_beyond_all_bounds_are_refused():
    with pytest.raises(BadData, match="repeated edge add up to more"):
        Graph.from_edges([(1, 2), (2, 1)], weights=[1e100, 1e100])


def test_repeated_edges_are_counted_in_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="privge"):
        graph = Graph.from_edges([(1, 2), (2, 1), (3, 3)], weights=[2, 3, 4])
    assert graph.weights.tolist() == [5, 5]
    assert "dropped 1 self-loops, added the weights of 1 repeated edges" in caplog.text


@settings(deadline=None)
@given(weighted_edges())
def test_scipy_and_networkx_give_back_the_same_graph(case):
    nodes, edges, weights = case
    graph = Graph.from_edges(edges, nodes=nodes, weights=weights)
    assert Graph.from_scipy(graph.to_scipy(), ids=nodes, weighted=True).fingerprint == graph.fingerprint
    assert Graph.from_networkx(graph.to_networkx(), weight="weight").fingerprint == graph.fingerprint
    table = graph.to_edges()
    again = Graph.from_edges(table.select(["source", "target"]), nodes=nodes, weights=table["weight"])
    assert again.fingerprint == graph.fingerprint


def test_a_matrix_that_is_not_symmetric_is_directed_and_its_directions_are_added(caplog):
    matrix = scipy.sparse.csr_array(np.array([[0, 2.0, 0], [3, 0, 5], [0, 0, 0]]))
    graph = Graph.from_scipy(matrix, weighted=True)
    assert graph.to_scipy().toarray().tolist() == [[0, 5, 0], [5, 0, 5], [0, 5, 0]]
    assert (
        "not symmetric: every entry now counts both ways, and the weights of both directions are added" in caplog.text
    )


def test_a_symmetric_matrix_keeps_its_weights_without_a_word(caplog):
    matrix = scipy.sparse.csr_array(np.array([[0, 2.0], [2.0, 0]]))
    assert Graph.from_scipy(matrix, weighted=True).weights.tolist() == [2, 2]
    assert not caplog.records


def test_without_being_asked_for_the_numbers_of_a_matrix_do_not_matter():
    assert Graph.from_scipy(scipy.sparse.csr_array(np.array([[0, -2.0], [-2.0, 0]]))).weights is None


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_wrong_weight_in_a_matrix_is_refused_by_its_place(weight):
    matrix = scipy.sparse.csr_array(np.array([[0, 2.0, 0], [2, 0, weight], [0, weight, 0]]))
    with pytest.raises(BadData, match=r"entry \(1, 2\)"):
        Graph.from_scipy(matrix, weighted=True)


def test_directed_edges_of_networkx_are_added_loudly(caplog):
    directed = networkx.DiGraph()
    directed.add_weighted_edges_from([("a", "b", 2.0), ("b", "a", 3.0), ("b", "c", 4.0)])
    graph = Graph.from_networkx(directed, weight="weight")
    assert graph.to_edges().to_pylist() == [
        {"source": "a", "target": "b", "weight": 5.0},
        {"source": "b", "target": "c", "weight": 4.0},
    ]
    assert "the weights of both directions are added" in caplog.text


def test_an_edge_of_networkx_without_a_weight_is_refused():
    graph = networkx.Graph([("a", "b")])
    graph.add_edge("b", "c", cost=2.0)
    with pytest.raises(BadData, match="1 of 2 edges of the networkx graph have no attribute 'cost'"):
        Graph.from_networkx(graph, weight="cost")


def test_weights_of_pytorch_geometric_are_taken_by_name():
    torch = pytest.importorskip("torch")
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = SimpleNamespace(edge_index=edges, num_nodes=3, edge_weight=torch.tensor([2.0, 2.0, 0.5, 0.5]))
    assert Graph.from_pyg(data, weight="edge_weight").weights.tolist() == [2, 2, 0.5, 0.5]
    assert Graph.from_pyg(data).weights is None


ROWS = (np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32))


@pytest.mark.parametrize(
    "weights", [[1, 1, 2], [1, 1, 2, 3], [1, 1, 2, np.nan], [1, 1, 0, 0], [1, 1, -2, -2], [2, 1, 1, 2]]
)
def test_the_constructor_refuses_weights_that_are_not_those_of_edges(weights):
    assert Graph(np.arange(3), *ROWS, np.array([1.0, 1, 2, 2])).weighted
    with pytest.raises(BadData, match="weights"):
        Graph(np.arange(3), *ROWS, np.array(weights, dtype=float))
    with pytest.raises(BadData, match="float64"):
        Graph(np.arange(3), *ROWS, np.ones(4, dtype=np.float32))


# ---------------------------------------------------------------- on disk


def small():
    return Graph.from_edges([(10, 20), (20, 30), (30, 50)], nodes=[10, 20, 30, 40, 50], weights=[0.5, 2, 1e5])


@settings(max_examples=30, deadline=None)
@given(weighted_edges())
def test_a_saved_graph_is_opened_with_its_weights(case):
    nodes, edges, weights = case
    graph = Graph.from_edges(edges, nodes=nodes, weights=weights)
    with TemporaryDirectory() as folder:
        stored = save_graph(graph, Path(folder) / "a.graph")
        opened = StoredGraph.open(Path(folder) / "a.graph")
        assert opened == stored
        assert opened.weighted
        assert opened.largest_strength == graph.largest_strength
        np.testing.assert_array_equal(opened.strengths(), graph.strengths)
        np.testing.assert_array_equal(opened.graph().weights, graph.weights)
        assert opened.graph().fingerprint == opened.fingerprint == graph.fingerprint


def test_a_graph_without_weights_is_stored_as_before(tmp_path):
    save_graph(small(), tmp_path / "a.graph")
    plain = Graph.from_edges([(10, 20), (20, 30)])
    save_graph(plain, tmp_path / "a.graph")
    document = json.loads((tmp_path / "a.graph" / "graph.json").read_text())
    names = "format nodes entries ids sorted_ids padding largest_degree fingerprint loops repeated"
    assert set(document) == set(names.split())
    assert document["format"] == "privge.graph/1"
    assert not (tmp_path / "a.graph" / "weights.npy").exists()
    assert not StoredGraph.open(tmp_path / "a.graph").weighted


def test_a_version_without_weights_could_not_mistake_one_for_the_other(tmp_path):
    save_graph(small(), tmp_path / "a.graph")
    assert json.loads((tmp_path / "a.graph" / "graph.json").read_text())["format"] == "privge.graph/2"


@pytest.mark.parametrize(
    ("name", "position", "value", "problem"),
    [
        ("weights.npy", 0, 0.7, "another weight from one end"),
        ("weights.npy", 2, np.nan, "finite number above 0"),
        ("weights.npy", 2, 0.0, "finite number above 0"),
        ("strengths.npy", 1, 2.6, "not the sum of the weights"),
    ],
)
def test_one_wrong_weight_is_refused_by_its_file(tmp_path, name, position, value, problem):
    stored = save_graph(small(), tmp_path / "a.graph")
    array = np.array(stored.folder.read(name))
    array[position] = value
    stored.folder.write(name, array)
    with pytest.raises(BadData, match=f"{name}: damaged, .*{problem}"):
        StoredGraph.open(stored.folder)


@pytest.mark.parametrize("name", ["weights.npy", "strengths.npy"])
def test_weights_that_are_missing_or_cut_are_refused_by_name(tmp_path, name):
    stored = save_graph(small(), tmp_path / "a.graph")
    array = np.array(stored.folder.read(name))
    stored.folder.write(name, array[:-1])
    with pytest.raises(BadData, match=name):
        StoredGraph.open(stored.folder)
    stored.folder.remove([name])
    with pytest.raises(BadData, match=f"{name}: the file is missing"):
        StoredGraph.open(stored.folder)


def test_a_largest_strength_that_is_not_so_is_refused(tmp_path):
    stored = save_graph(small(), tmp_path / "a.graph")
    document = stored.folder.document("graph.json")
    stored.folder.write_document("graph.json", {**document, "largest_strength": 7.0})
    with pytest.raises(BadData, match="largest strength"):
        StoredGraph.open(stored.folder)


def test_weights_beyond_one_piece_are_all_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("privge.graph._soundness._ROWS", 3)
    monkeypatch.setattr("privge.graph._soundness._ENTRIES", 2)
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 20, (60, 2)), weights=generator.uniform(0.1, 9, 60))
    stored = save_graph(graph, tmp_path / "a.graph")
    StoredGraph.open(tmp_path / "a.graph")
    weights = np.array(stored.folder.read("weights.npy"))
    for position in range(stored.entries):
        changed = weights.copy()
        changed[position] *= 1 + 2**-50
        stored.folder.write("weights.npy", changed)
        with pytest.raises(BadData, match=r"weights\.npy"):
            StoredGraph.open(tmp_path / "a.graph")


# ---------------------------------------------------------------- from files larger than memory


def write_edges(folder, edges, weights, parts=3):
    for number in range(parts):
        place = folder / f"part-{number}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        rows = range(number, len(edges), parts)
        kind = pa.string() if edges and isinstance(edges[0][0], str) else pa.int64()
        columns = [pa.array([edges[row][side] for row in rows], kind) for side in (0, 1)]
        pq.write_table(pa.table([*columns, pa.array([weights[row] for row in rows])], ["source", "target", "w"]), place)
    return folder


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("memory", [64, 4096, 2_000_000_000])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_a_converted_graph_has_the_weights_of_its_edges(texts, memory, data):
    _, edges, weights = data.draw(weighted_edges(texts).filter(lambda case: case[1]))
    with TemporaryDirectory() as folder:
        written = write_edges(Path(folder) / "edges", edges, weights)
        stored = convert_graph(written, Path(folder) / "a.graph", weight="w", memory=memory)
        nodes = sorted({end for edge in edges for end in edge})
        expected = Graph.from_edges(edges, nodes=nodes, weights=weights)
        assert stored.fingerprint == expected.fingerprint
        np.testing.assert_array_equal(stored.graph().weights, expected.weights)
        np.testing.assert_array_equal(stored.strengths(), expected.strengths)
        plain = convert_graph(written, Path(folder) / "b.graph", memory=memory)
        assert plain.fingerprint == Graph.from_edges(edges, nodes=nodes).fingerprint


@pytest.mark.parametrize("weight", [0.0, -1.0, None, float("nan")])
@pytest.mark.parametrize("texts", [False, True])
def test_a_wrong_weight_in_a_file_is_refused_by_file_and_row(tmp_path, weight, texts):
    edges = [("a", "b"), ("b", "c")] if texts else [(1, 2), (2, 3)]
    write_edges(tmp_path / "edges", edges, [1.0, weight], parts=1)
    with pytest.raises(BadData, match=r"part-0.parquet, row 2: a weight must be a finite number above 0"):
        convert_graph(tmp_path / "edges", tmp_path / "a.graph", weight="w")
    assert not (tmp_path / "a.graph").exists()


def test_a_column_of_weights_that_is_not_there_or_not_of_numbers_is_refused(tmp_path):
    write_edges(tmp_path / "edges", [(1, 2)], [1.0], parts=1)
    with pytest.raises(BadData, match="there is no column 'cost' among its 3; the columns are source, target, w"):
        convert_graph(tmp_path / "edges", tmp_path / "a.graph", weight="cost")
    write_edges(tmp_path / "texts", [(1, 2)], ["heavy"], parts=1)
    with pytest.raises(BadData, match="the column 'w' holds string"):
        convert_graph(tmp_path / "texts", tmp_path / "a.graph", weight="w")


def test_a_run_without_weights_is_not_taken_up_with_them(tmp_path, monkeypatch):
    write_edges(tmp_path / "edges", [(1, 2), (2, 3)], [2.0, 5.0])
    with monkeypatch.context() as patch:
        patch.setattr("privge.graph.conversion.stages.fingerprint_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            convert_graph(tmp_path / "edges", tmp_path / "a.graph")
    assert convert_graph(tmp_path / "edges", tmp_path / "a.graph", weight="w").graph().weights.tolist() == [2, 2, 5, 5]
