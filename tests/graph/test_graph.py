import logging

import networkx
import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from privge.errors import BadData
from privge.graph import Graph

INTEGERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)


@st.composite
def edge_lists(draw):
    """Pairs over few ids, so that repetitions, both directions and self-loops are common."""
    ids = draw(st.lists(draw(st.sampled_from([INTEGERS, TEXTS])), min_size=1, max_size=8, unique=True))
    node = st.sampled_from(ids)
    return ids, draw(st.lists(st.tuples(node, node), max_size=30))


def neighbours(graph):
    """The graph as a plain dictionary of sets, read from its arrays."""
    ids = graph.ids.tolist()
    rows = [graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist() for i in range(graph.nodes)]
    assert all(len(set(row)) == len(row) for row in rows)
    return {ids[i]: {ids[j] for j in row} for i, row in enumerate(rows)}


def naive(nodes, edges):
    found = {node: set() for node in nodes}
    for a, b in edges:
        if a != b:
            found[a].add(b)
            found[b].add(a)
    return found


@settings(deadline=None)
@given(edge_lists())
def test_the_edges_are_those_of_a_naive_construction(case):
    _, edges = case
    graph = Graph.from_edges(edges)
    expected = naive([node for pair in edges for node in pair], edges)
    assert neighbours(graph) == expected
    assert graph.nodes == len(expected)
    assert graph.edges == sum(map(len, expected.values())) // 2


@settings(deadline=None)
@given(edge_lists())
def test_given_nodes_keep_their_order_and_may_be_isolated(case):
    ids, edges = case
    graph = Graph.from_edges(edges, nodes=ids)
    assert graph.ids.tolist() == ids
    assert neighbours(graph) == naive(ids, edges)


@settings(deadline=None)
@given(edge_lists())
def test_rows_are_sorted_and_symmetric(case):
    ids, edges = case
    graph = Graph.from_edges(edges, nodes=ids)
    adjacency = graph.to_scipy().toarray()
    assert (adjacency == adjacency.T).all()
    assert not adjacency.diagonal().any()
    assert (graph.degrees == adjacency.sum(axis=1)).all()
    for i in range(graph.nodes):
        assert (np.diff(graph.indices[graph.indptr[i] : graph.indptr[i + 1]]) > 0).all()


@settings(deadline=None)
@given(edge_lists(), st.randoms(use_true_random=False))
def test_the_fingerprint_does_not_depend_on_how_edges_are_written(case, random):
    ids, edges = case
    rewritten = [pair[::-1] for pair in edges] + edges + [(node, node) for node in ids]
    random.shuffle(rewritten)
    assert Graph.from_edges(edges, nodes=ids).fingerprint == Graph.from_edges(rewritten, nodes=ids).fingerprint


@settings(deadline=None)
@given(edge_lists(), edge_lists())
def test_graphs_that_differ_have_fingerprints_that_differ(one, other):
    graphs = [Graph.from_edges(edges, nodes=ids) for ids, edges in (one, other)]
    parts = [(g.ids.tolist(), g.indptr.tolist(), g.indices.tolist()) for g in graphs]
    assert (graphs[0].fingerprint == graphs[1].fingerprint) == (parts[0] == parts[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a\nb", "c"], ["a", "b\nc"]),
        (["1", "2"], [1, 2]),
        (["a", "b"], ["b", "a"]),
        (["a"], ["a", "b"]),
        (['a","b', "c"], ["a", 'b","c']),
    ],
)
def test_the_fingerprint_tells_ids_apart(one, other):
    assert Graph.from_edges([], nodes=one).fingerprint != Graph.from_edges([], nodes=other).fingerprint


@settings(deadline=None)
@given(edge_lists())
def test_lists_arrays_and_tables_give_the_same_graph(case):
    _, edges = case
    sources, targets = [a for a, _ in edges], [b for _, b in edges]
    texts = any(isinstance(node, str) for node in sources)
    array = np.array(edges, dtype=object if texts else np.int64).reshape(-1, 2)
    table = pa.table({"a": sources, "b": targets})
    expected = neighbours(Graph.from_edges(edges))
    assert neighbours(Graph.from_edges(array)) == expected
    assert neighbours(Graph.from_edges(table)) == expected
    assert neighbours(Graph.from_edges(iter(edges))) == expected


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint32(), pa.uint64()])
def test_integers_of_any_width_are_integer_ids(kind):
    graph = Graph.from_edges(pa.table({"a": pa.array([3, 1], kind), "b": pa.array([1, 2], kind)}))
    assert graph.ids.dtype == np.int64
    assert neighbours(graph) == {3: {1}, 1: {3, 2}, 2: {1}}


def test_columns_of_different_widths_are_integer_ids():
    graph = Graph.from_edges(pa.table({"a": pa.array([3, 1], pa.int32()), "b": pa.array([1, 2], pa.int64())}))
    assert neighbours(graph) == {3: {1}, 1: {3, 2}, 2: {1}}


def test_columns_with_and_without_a_sign_are_integer_ids():
    graph = Graph.from_edges(pa.table({"a": pa.array([3, 1], pa.uint32()), "b": pa.array([1, 2], pa.int64())}))
    assert neighbours(graph) == {3: {1}, 1: {3, 2}, 2: {1}}


@pytest.mark.parametrize("ids", [["7", "07", "8"], ["7", "8", "9"], ["+7", "7", "x"], ["-0", "0", "1"]])
def test_strings_of_digits_are_told_apart_by_their_text(ids):
    graph = Graph.from_edges([(ids[0], ids[1]), (ids[1], ids[2])])
    assert graph.ids.tolist() == ids
    assert neighbours(Graph.from_edges([(ids[1], ids[2])], nodes=ids)) == naive(ids, [(ids[1], ids[2])])


def test_a_column_of_integers_beside_one_of_strings_gives_strings():
    assert neighbours(Graph.from_edges(pa.table({"a": [1, 2], "b": ["x", "1"]}))) == {
        "1": {"x", "2"},
        "2": {"1"},
        "x": {"1"},
    }


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_strings_of_any_layout_are_string_ids(kind):
    graph = Graph.from_edges(pa.table({"a": pa.array(["ä", "b"]).cast(kind), "b": pa.array(["b", "🜁"]).cast(kind)}))
    assert neighbours(graph) == {"ä": {"b"}, "b": {"ä", "🜁"}, "🜁": {"b"}}


def test_chunks_of_a_table_are_one_list_of_edges():
    chunks = pa.chunked_array([[1, 2], [3]]), pa.chunked_array([[2], [3, 1]])
    assert Graph.from_edges(pa.table({"a": chunks[0], "b": chunks[1]})).edges == 3


def test_ids_keep_the_order_in_which_they_appear():
    assert Graph.from_edges([(30, -5), (2**62, 7)]).ids.tolist() == [30, 2**62, -5, 7]


def test_a_graph_without_nodes_is_a_graph():
    for edges in ([], np.empty((0, 2)), pa.table({"a": [], "b": []})):
        graph = Graph.from_edges(edges)
        assert (graph.nodes, graph.edges, len(graph.degrees)) == (0, 0, 0)
        assert graph.to_scipy().shape == (0, 0)
        assert graph.to_edges().num_rows == 0
        assert repr(graph) == "Graph(0 nodes, 0 edges)"


def test_a_single_node_has_no_neighbours_not_even_itself():
    for graph in (Graph.from_edges([], nodes=["a"]), Graph.from_edges([("a", "a")])):
        assert neighbours(graph) == {"a": set()}


def test_arrays_cannot_be_changed():
    graph = Graph.from_edges([(1, 2)])
    for array in (graph.ids, graph.indptr, graph.indices, graph.degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_graph_does_not_follow_later_changes_of_the_ids_it_was_made_from():
    ids = np.array([1, 2])
    graph = Graph.from_edges([(1, 2)], nodes=ids)
    ids[0] = 9
    assert graph.ids.tolist() == [1, 2]


def test_what_is_dropped_is_counted_in_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="privge"):
        Graph.from_edges([(1, 2), (2, 1), (1, 2), (3, 3), (2, 3)])
    assert [record.getMessage() for record in caplog.records] == [
        "dropped 1 self-loops and 2 repeated edges; an edge written both ways counts as repeated"
    ]


def test_the_log_is_silent_when_nothing_is_dropped(caplog):
    with caplog.at_level(logging.DEBUG, logger="privge"):
        Graph.from_edges([(1, 2), (2, 3)])
    assert not caplog.records


@settings(deadline=None)
@given(edge_lists())
def test_rows_of_gives_back_the_row_of_each_id(case):
    ids, edges = case
    graph = Graph.from_edges(edges, nodes=ids)
    assert graph.rows_of(ids[::-1]).tolist() == list(range(len(ids)))[::-1]


def test_unknown_ids_have_row_minus_one():
    assert Graph.from_edges([("a", "b")]).rows_of(["b", "z", "a", "a"]).tolist() == [1, -1, 0, 0]
    assert Graph.from_edges([(4, 5)]).rows_of([5, 6]).tolist() == [1, -1]
    assert Graph.from_edges([("a", "b")]).rows_of([]).tolist() == []


def test_an_integer_and_its_digits_are_the_same_id_but_leading_zeros_are_not():
    assert Graph.from_edges([(7, -8)]).rows_of(["-8", "7", "007", "x"]).tolist() == [1, 0, -1, -1]
    assert Graph.from_edges([("7", "007")]).rows_of([7]).tolist() == [0]


def test_nodes_may_be_integers_where_edges_hold_their_digits():
    graph = Graph.from_edges([("1", "2")], nodes=[2, 1, 3])
    assert neighbours(graph) == {2: {1}, 1: {2}, 3: set()}


@settings(deadline=None)
@given(edge_lists())
def test_scipy_gives_back_the_same_graph(case):
    ids, edges = case
    graph = Graph.from_edges(edges, nodes=ids)
    for adjacency in (graph.to_scipy(), scipy.sparse.triu(graph.to_scipy()), graph.to_scipy().tocoo()):
        assert Graph.from_scipy(adjacency, ids=ids).fingerprint == graph.fingerprint


def test_stored_zeros_are_no_edges_and_ids_count_from_0():
    adjacency = scipy.sparse.coo_array(([0.0, -2.0, 1.0], ([0, 1, 2], [1, 2, 2])), shape=(3, 3))
    assert neighbours(Graph.from_scipy(adjacency)) == {0: set(), 1: {2}, 2: {1}}


@settings(deadline=None)
@given(edge_lists())
def test_networkx_gives_back_the_same_graph(case):
    ids, edges = case
    graph = Graph.from_edges(edges, nodes=ids)
    assert Graph.from_networkx(graph.to_networkx()).fingerprint == graph.fingerprint


def test_directed_and_multiple_edges_of_networkx_become_one_edge():
    directed = networkx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b"), ("b", "c")])
    assert neighbours(Graph.from_networkx(directed)) == {"a": {"b"}, "b": {"a", "c"}, "c": {"b"}}


@settings(deadline=None)
@given(edge_lists())
def test_each_edge_is_listed_once(case):
    ids, edges = case
    table = Graph.from_edges(edges, nodes=ids).to_edges()
    pairs = [frozenset(pair) for pair in zip(*(table[c].to_pylist() for c in ("source", "target")), strict=True)]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == {frozenset(pair) for pair in edges if pair[0] != pair[1]}


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(1, 2), (1, 2, 3)], "pairs"),
        ([(1,)], "pairs"),
        (np.zeros((2, 3), int), r"shape \(2, 3\)"),
        (np.zeros(4, int), r"shape \(4,\)"),
        (np.zeros((2, 2)), "integers or strings, got double"),
        (np.zeros((2, 2), bool), "integers or strings, got bool"),
        (pa.table({"a": [1]}), "1 columns"),
        (pa.table({"a": [1], "b": [2], "weight": [3]}), "3 columns"),
        (pa.table({"a": [1, None], "b": [2, 3]}), "lacks an id"),
        (pa.table({"a": pa.nulls(1), "b": [2]}), "lacks an id"),
        (pa.table({"a": [[1]], "b": [[2]]}), "integers or strings"),
        ([(1, None)], "position 1: a node id"),
        ([(1, "a")], "all strings or all integers"),
        ([("", "a")], "must not be empty"),
        ([(True, False)], "position 0: a node id"),
        ([(2**63, 1)], "64 bits"),
        (np.array([[2**63, 1]], dtype=np.uint64), "64 bits"),
    ],
)
def test_edges_that_are_no_pairs_of_ids_are_refused(edges, message):
    with pytest.raises(BadData, match=message):
        Graph.from_edges(edges)


@pytest.mark.parametrize("edges", [[(1, 2), (2, 1), (2, 9)], [(1, 2), (2, 1), (9, 2)]])
def test_an_edge_to_an_unknown_node_is_refused_with_its_number(edges):
    with pytest.raises(BadData, match="edge 2 has an end that is not among the nodes"):
        Graph.from_edges(edges, nodes=[1, 2])


def test_a_node_given_twice_is_refused():
    with pytest.raises(BadData, match="position 2 appears twice"):
        Graph.from_edges([], nodes=["a", "b", "a"])


def test_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(BadData, match=r"square, got shape \(2, 3\)"):
        Graph.from_scipy(scipy.sparse.csr_array((2, 3)))
    with pytest.raises(BadData, match="square"):
        Graph.from_scipy(scipy.sparse.coo_array(np.ones(3)))


def test_a_wrong_number_of_ids_is_refused():
    with pytest.raises(BadData, match="ids has 2 entries for 3 nodes"):
        Graph.from_scipy(scipy.sparse.csr_array((3, 3)), ids=["a", "b"])


ROWS = (np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], dtype=np.int32))


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        (ROWS[0], np.array([1, 0, 3, 1], dtype=np.int32)),
        (ROWS[0], np.array([1, 0, 2, -1], dtype=np.int32)),
        (ROWS[0], np.array([1, 2, 0, 1], dtype=np.int32)),
        (ROWS[0], np.array([1, 0, 2, 0], dtype=np.int32)),
        (ROWS[0], np.array([1, 0, 1, 1], dtype=np.int32)),
        (np.array([0, 10**9, 3, 4]), ROWS[1]),
        (np.array([0, 1, 3, 3]), ROWS[1]),
        (np.array([0, 1, 3, 5]), ROWS[1]),
        (np.array([1, 1, 3, 4]), ROWS[1]),
        (ROWS[0][:-1], ROWS[1]),
        (ROWS[0].astype(np.int32), ROWS[1]),
        (ROWS[0], ROWS[1].astype(np.int64)),
    ],
)
def test_arrays_that_are_no_graph_are_refused_by_the_constructor(indptr, indices):
    assert Graph(np.arange(3), *ROWS).edges == 2
    with pytest.raises(BadData, match=r"indptr|indices"):
        Graph(np.arange(3), indptr, indices)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "bsr_array"])
@pytest.mark.parametrize(
    ("name", "position", "value"), [("indices", 0, 10**9), ("indptr", 1, 10**9), ("indptr", 1, -5)]
)
def test_a_sparse_matrix_with_wrong_indices_is_refused(kind, name, position, value):
    adjacency = getattr(scipy.sparse, kind)(Graph(np.arange(3), *ROWS).to_scipy())
    array = getattr(adjacency, name).copy()
    array[position] = value
    setattr(adjacency, name, array)
    with pytest.raises(BadData, match="damaged"):
        Graph.from_scipy(adjacency)
