"""A graph in the form that people have it: `as_graph`, and every entry that takes a graph."""

import types

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

import privge as pg
from privge.errors import BadData

PAIRS = [("b", "a"), ("a", "c"), ("c", "d"), ("d", "b"), ("e", "a")]
NAMES = ["b", "a", "c", "d", "e"]
NUMBERS = [[NAMES.index(name) for name in pair] for pair in PAIRS]


class ArrowOnly:
    """What polars, DuckDB and others are to us: something that hands out Arrow columns."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def frame(**columns):
    return pd.DataFrame(PAIRS, columns=["source", "target"]).assign(**columns)


def matrix(kind=scipy.sparse.csr_array):
    rows, columns = np.array(NUMBERS).T
    upper = scipy.sparse.coo_array((np.ones(len(PAIRS)), (rows, columns)), shape=(5, 5))
    return kind(upper + upper.T)


def pyg(**fields):
    """A ``Data`` of PyTorch Geometric, of which we ask no more than this."""
    import torch

    index = torch.tensor(NUMBERS).T
    return types.SimpleNamespace(edge_index=torch.cat([index, index.flip(0)], dim=1), num_nodes=5, **fields)


BY_NAME = {
    "networkx": lambda: networkx.Graph(PAIRS),
    "networkx, directed": lambda: networkx.DiGraph(PAIRS),
    "networkx, several edges": lambda: networkx.MultiGraph([*PAIRS, PAIRS[0]]),
    "pandas": frame,
    "pandas, without names": lambda: pd.DataFrame(PAIRS),
    "pandas, categories": lambda: frame().astype("category"),
    "arrow": lambda: pa.table(frame()),
    "any Arrow stream": lambda: ArrowOnly(pa.table(frame())),
    "list of pairs": lambda: PAIRS,
    "list of lists": lambda: [list(pair) for pair in PAIRS],
    "generator": lambda: (pair for pair in PAIRS),
    "array of strings": lambda: np.array(PAIRS),
    "array of objects": lambda: np.array(PAIRS, dtype=object),
    "graph": lambda: pg.Graph.from_edges(PAIRS),
}
BY_NUMBER = {
    "scipy csr": matrix,
    "scipy coo": lambda: matrix(scipy.sparse.coo_array),
    "scipy lil": lambda: matrix(scipy.sparse.lil_array),
    "scipy matrix": lambda: matrix(scipy.sparse.csr_matrix),
    "PyG": pyg,
    "array of integers": lambda: np.array(NUMBERS),
}


@pytest.mark.parametrize("form", BY_NAME)
def test_every_form_with_names_is_the_same_graph(form):
    assert pg.as_graph(BY_NAME[form]()).fingerprint == pg.Graph.from_edges(PAIRS, nodes=NAMES).fingerprint


@pytest.mark.parametrize("form", BY_NUMBER)
def test_every_form_with_numbers_is_the_same_graph(form):
    assert pg.as_graph(BY_NUMBER[form]()).fingerprint == pg.Graph.from_edges(NUMBERS, nodes=range(5)).fingerprint


def test_a_data_of_pytorch_geometric_is_a_graph():
    pytest.importorskip("torch_geometric")
    from torch_geometric.data import Data

    data = Data(edge_index=pyg().edge_index, num_nodes=7)
    assert (pg.as_graph(data).nodes, pg.as_graph(data).edges) == (7, 5)


def test_a_path_and_a_stored_graph_are_graphs(tmp_path):
    from privge.graph import save_graph

    frame().to_csv(tmp_path / "edges.csv", index=False)
    graph = pg.as_graph(tmp_path / "edges.csv")
    assert pg.as_graph(str(tmp_path / "edges.csv")).fingerprint == graph.fingerprint
    assert pg.as_graph(save_graph(graph, tmp_path / "g.graph")).fingerprint == graph.fingerprint
    assert pg.as_graph(tmp_path / "g.graph").fingerprint == graph.fingerprint


def test_names_in_a_file_without_a_header_are_edges_if_this_is_said(tmp_path):
    path = tmp_path / "friends.txt"
    path.write_text("ann bob\nbob cid\n")
    with pytest.raises(BadData, match="if this line is not a header, say header=False"):
        pg.as_graph(path)
    assert pg.as_graph(path, header=False).ids.tolist() == ["ann", "bob", "cid"]
    with pytest.raises(ValueError, match="header= cannot go with"):
        pg.as_graph([("ann", "bob")], header=False)


def test_the_columns_of_a_table_may_have_any_names(caplog):
    caplog.set_level("INFO")
    table = frame(since=2020).rename(columns={"source": "Follower", "target": "followed"})
    for form in (table, pa.table(table)):
        assert pg.as_graph(form, source="Follower", target="followed").edges == 5
    assert "column 'since' is not used" in caplog.text
    assert pg.as_graph(frame().rename(columns={"source": "From", "target": "To"})).edges == 5


def test_nodes_name_isolated_ones_and_decide_the_order():
    everybody = ["f", *sorted(NAMES)]
    for form in ("pandas", "arrow", "list of pairs", "array of strings", "array of objects"):
        assert pg.as_graph(BY_NAME[form](), nodes=everybody).ids.tolist() == everybody
    assert pg.as_graph(networkx.Graph(PAIRS), nodes=sorted(NAMES)).ids.tolist() == sorted(NAMES)
    for form in (matrix(), pyg()):
        assert pg.as_graph(form, nodes=NAMES).fingerprint == pg.Graph.from_edges(PAIRS, nodes=NAMES).fingerprint
    with pytest.raises(BadData, match="every node of the networkx graph once"):
        pg.as_graph(networkx.Graph(PAIRS), nodes=NAMES[:4])


def test_a_directed_graph_counts_both_ways_and_this_is_said(caplog):
    directed = networkx.DiGraph(PAIRS)
    pg.as_graph(directed)
    pg.as_graph(directed, nodes=sorted(NAMES))
    pg.as_graph(networkx.to_scipy_sparse_array(directed))
    assert caplog.text.count("now counts both ways") == 3


WEIGHTS = np.arange(1.0, 6.0)
HEAVY = pg.Graph.from_edges(PAIRS, nodes=NAMES, weights=WEIGHTS)


def networkx_with_weights():
    return networkx.Graph([(*pair, {"weight": weight}) for pair, weight in zip(PAIRS, WEIGHTS, strict=True)])


WEIGHTED = {
    "networkx": (networkx_with_weights, {}),
    "networkx, in another order": (networkx_with_weights, {"nodes": NAMES}),
    "scipy": (HEAVY.to_scipy, {"nodes": NAMES}),
    "pandas": (lambda: frame(weight=WEIGHTS), {}),
    "arrow": (lambda: pa.table(frame(Weight=WEIGHTS)), {}),
    "PyG": (lambda: pyg(edge_weight=np.tile(WEIGHTS, 2)), {"nodes": NAMES}),
    "PyG, as attributes": (lambda: pyg(edge_attr=np.tile(WEIGHTS, 2)[:, None]), {"nodes": NAMES}),
    "triples": (lambda: [(*pair, w) for pair, w in zip(PAIRS, WEIGHTS, strict=True)], {}),
}


@pytest.mark.parametrize("form", WEIGHTED)
def test_weights_that_are_asked_for_are_honoured(form, caplog):
    data, options = WEIGHTED[form]
    graph = pg.as_graph(data(), weight=True, **options)
    assert graph.weighted
    assert graph.fingerprint == HEAVY.fingerprint
    assert caplog.records == []


def test_weights_may_have_any_name(tmp_path):
    named = networkx.Graph([(*pair, {"strength": w}) for pair, w in zip(PAIRS, WEIGHTS, strict=True)])
    table = frame(strength=WEIGHTS)
    table.to_csv(tmp_path / "edges.csv", index=False)
    for data in (named, table, pa.table(table), tmp_path / "edges.csv"):
        assert pg.as_graph(data, weight="strength").fingerprint == HEAVY.fingerprint
    data = pyg(strength=np.tile(WEIGHTS, 2))
    assert pg.as_graph(data, weight="strength", nodes=NAMES).fingerprint == HEAVY.fingerprint


@pytest.mark.parametrize("form", WEIGHTED)
def test_weights_that_were_not_asked_for_are_named_in_one_line(form, caplog):
    data, options = WEIGHTED[form]
    graph = pg.as_graph(data(), **options)
    assert graph.fingerprint == pg.Graph.from_edges(PAIRS, nodes=NAMES).fingerprint
    assert len(caplog.records) == 1
    assert "not used; weight=" in caplog.text


WRONG = {
    "a table of features": pd.DataFrame({"age": [1, 2], "likes": [3, 4]}),
    "a table of features in Arrow": pa.table({"age": [1.0], "likes": [2.0]}),
    "an array of features": np.random.default_rng(0).random((5, 3)),
    "an array of two features": np.random.default_rng(0).random((5, 2)),
    "a dense adjacency": np.eye(5),
    "a number": 7,
    "nothing": None,
    "a dictionary": {"a": ["b"]},
    "a set": {("a", "b")},
    "bytes": b"ab",
    "words of two letters": ["ab", "cd"],
    "numbers": [1, 2],
    "edges of four": [(1, 2, 3, 4)],
    "pairs and triples": [(1, 2), (1, 2, 3)],
    "ids of two kinds": [("a", 1)],
    "ids of two kinds in an array": np.array([["a", 1]], dtype=object),
    "ids of two kinds in a table": pd.DataFrame({"source": ["a", 1], "target": ["b", "c"]}),
    "ids that are fractions": [(0.5, 1.5)],
    "a matrix that is not square": scipy.sparse.csr_array(np.ones((2, 3))),
    "nodes that are tuples": networkx.grid_2d_graph(2, 2),
    "a column of a table": pd.Series([1, 2]),
    "a column of Arrow": pa.chunked_array([[1, 2]]),
    "an edge_index of three rows": types.SimpleNamespace(edge_index=np.zeros((3, 2), int), num_nodes=1),
    "an edge_index beyond the nodes": types.SimpleNamespace(edge_index=np.array([[0], [5]]), num_nodes=2),
    "an edge without an end": pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}),
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_whatever_is_not_a_graph_is_bad_data_and_not_a_crash(data):
    with pytest.raises(BadData):
        pg.as_graph(data)


def test_the_refusal_names_what_came_and_what_is_accepted():
    with pytest.raises(BadData, match=r"^datetime\.date is not a graph; give a Graph .* networkx, .* path of a file$"):
        pg.as_graph(pd.Timestamp("2020-01-01").date())
    with pytest.raises(BadData, match=r"unknown columns.*source=, target=.*the table has age, likes"):
        pg.as_graph(WRONG["a table of features"])


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("graph", {"nodes": ["a"]}),
        ("graph", {"weight": True}),
        ("list of pairs", {"source": "a"}),
        ("networkx", {"target": "b"}),
    ],
)
def test_options_that_do_not_go_with_a_form_are_refused(form, options):
    with pytest.raises(ValueError, match="="):
        pg.as_graph(BY_NAME[form](), **options)


def test_weights_that_are_asked_for_must_be_there():
    half = networkx.Graph([("a", "b", {"weight": 1.0}), ("b", "c")])
    for data, options in (
        (half, {"weight": True}),
        (frame(), {"weight": True}),
        (frame(), {"weight": "strength"}),
        (PAIRS, {"weight": True}),
        (np.array(PAIRS), {"weight": True}),
        (pyg(), {"weight": True}),
        (pyg(edge_attr=np.ones((10, 3))), {"weight": True}),
        (frame(strength="much"), {"weight": "strength"}),
    ):
        with pytest.raises(BadData, match=r"weight|strength"):
            pg.as_graph(data, **options)


@pytest.mark.parametrize("form", [*BY_NAME, *BY_NUMBER])
def test_every_entry_takes_every_form(form):
    data = {**BY_NAME, **BY_NUMBER}[form]
    graph = pg.as_graph(data())
    campaign = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=1)
    reports = campaign.simulate(np.zeros((5, 3)), ids=graph.ids, seed=1)
    z = pg.embed(data(), reports)
    assert (z.matrix == pg.embed(graph, reports).matrix).all()
    assert (pg.update(z, reports, graph=data(), reports=reports).matrix == z.matrix).all()
    features = scipy.sparse.csr_array(np.eye(5))
    assert (pg.propagate(data(), features)[0] == pg.propagate(graph, features)[0]).all()
