"""Names and ids decide which column and whose row it is, wherever a table has any."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

import privge as pg
from privge.errors import BadData
from privge.perturbation import Features, features_of

NAMES = ["age", "likes", "visits"]
VALUES = np.array([[0.0, 0.25, 0.5], [0.5, 0.75, 1.0], [1.0, 0.0, 0.25], [0.25, 0.5, 0.75]])
PEOPLE = ["ann", "bob", "cid", "dan"]


def campaign(**changes):
    """Without noise and with k = d, a report is the person's own levels: 0, 8, ..., 32 for 0, 1/4, ..., 1."""
    fields = {"dimensions": 3, "low": 0, "high": 1, "mechanism": "none", "k": 3, "levels": 33, "names": NAMES}
    return pg.Campaign(**{**fields, **changes})


def frame(columns=NAMES, index=PEOPLE):
    return pd.DataFrame(VALUES, columns=NAMES, index=PEOPLE).loc[list(index), list(columns)]


def arrow(columns=NAMES, index=PEOPLE):
    return pa.Table.from_pandas(frame(columns, index).rename_axis("id").reset_index(), preserve_index=False)


def rows(reports):
    """Return everybody's levels as values, by id."""
    return dict(zip(reports.ids.tolist(), (reports.codes / 32).tolist(), strict=True))


EVERYBODY = dict(zip(PEOPLE, VALUES.tolist(), strict=True))
SHUFFLED = {"columns": ["visits", "age", "likes"], "index": ["cid", "ann", "dan", "bob"]}
TABLES = {
    "pandas, ids in the index": frame(**SHUFFLED),
    "pandas, ids in a column": frame(**SHUFFLED).rename_axis("id").reset_index(),
    "pandas, nullable numbers": frame(**SHUFFLED).astype("Float64"),
    "pandas, sparse": frame(**SHUFFLED).astype(pd.SparseDtype(float, 0.0)),
    "pyarrow": arrow(**SHUFFLED),
    "read from a file": Features(
        np.array(SHUFFLED["index"], dtype=object), frame(**SHUFFLED).to_numpy(), ("visits", "age", "likes")
    ),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_a_table_goes_by_names_and_ids(table):
    assert rows(campaign().simulate(table)) == EVERYBODY


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_an_estimator_joins_a_table_with_the_graph(table):
    graph = pg.Graph.from_edges([("dan", "bob"), ("bob", "ann"), ("ann", "cid")])
    estimator = pg.PrivGE(graph=graph, mechanism="none", epsilon=None, k=3, levels=33).fit(table)
    reported = rows(estimator.reports_)
    names = estimator.campaign_.names
    assert {node: {name: reported[node][names.index(name)] for name in NAMES} for node in PEOPLE} == {
        node: dict(zip(NAMES, EVERYBODY[node], strict=True)) for node in PEOPLE
    }
    assert estimator.reports_.ids.tolist() == estimator.embedding_.ids.tolist() == graph.ids.tolist()


def test_a_matrix_goes_by_position():
    graph = pg.Graph.from_edges([("dan", "bob"), ("bob", "ann"), ("ann", "cid")])
    estimator = pg.PrivGE(graph=graph, mechanism="none", epsilon=None, k=3, levels=33)
    assert rows(estimator.fit(VALUES).reports_) == dict(zip(graph.ids.tolist(), VALUES.tolist(), strict=True))
    assert rows(campaign().simulate(VALUES)) == dict(enumerate(VALUES.tolist()))
    numbered = pd.DataFrame(VALUES)  # columns and rows that pandas numbered have no names either
    assert rows(campaign().simulate(numbered)) == dict(enumerate(VALUES.tolist()))


def test_an_index_keeps_the_numbers_of_rows():
    assert rows(campaign().simulate(pd.DataFrame(VALUES, columns=NAMES)[2:])) == {
        2: VALUES[2].tolist(),
        3: VALUES[3].tolist(),
    }


def test_given_ids_stand_above_those_of_a_table():
    for table in (frame(), arrow(), arrow().drop(["id"]), frame().set_axis(pd.date_range("2027-01-01", periods=4))):
        assert rows(campaign().simulate(table, ids=[7, 8, 9, 10])) == dict(
            zip([7, 8, 9, 10], VALUES.tolist(), strict=True)
        )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"age": "Age"}, r"no column for 1 of 3 features: 'age' \(is it 'Age'\?\)"),
        ({"age": " age"}, r"'age' \(is it ' age'\?\)"),
        ({"visits": "visit"}, r"'visits' \(is it 'visit'\?\)"),
        ({"likes": "zzz"}, r"no column for 1 of 3 features: 'likes'$"),
        ({"likes": "u", "age": "v", "visits": "w"}, r"no column for 3 of 3 features: 'age', 'likes', 'visits'$"),
    ],
)
def test_a_feature_without_a_column_is_refused_by_name(columns, message):
    for table in (frame().rename(columns=columns), pa.table(frame().rename(columns=columns))):
        with pytest.raises(BadData, match=message):
            campaign().simulate(table, ids=PEOPLE)


def test_other_columns_are_left_out_and_named(caplog):
    for table in (frame(), arrow()):
        wider = (
            table.assign(town="x", b=1)
            if isinstance(table, pd.DataFrame)
            else table.append_column("town", pa.array(["x"] * 4)).append_column("b", pa.array([1] * 4))
        )
        caplog.clear()
        assert rows(campaign().simulate(wider)) == EVERYBODY
        assert caplog.messages == ["left out 2 columns that are not features of the campaign: 'town', 'b'"]
    many = frame().assign(**{f"c{i}": 0 for i in range(9)})
    campaign().simulate(many)
    assert caplog.messages[-1].endswith("'c3', 'c4' and 4 more")


def test_a_campaign_without_names_says_that_the_order_decides(caplog):
    reports = campaign(names=None).simulate(frame(["visits", "age", "likes"]))
    assert rows(reports)["ann"] == [0.5, 0.0, 0.25]
    assert caplog.messages == [
        "the campaign names no features, so the columns go in their own order: visits, age, likes"
    ]


def test_a_column_that_appears_twice_is_refused():
    twice = pd.concat([frame(), frame(["age"])], axis=1)
    with pytest.raises(BadData, match="the column 'age' appears twice"):
        campaign().simulate(twice)


@pytest.mark.parametrize("column", [["7.31", "x", "y", "z"], pd.Categorical(["7.31", "x", "y", "z"]), [b"7.31"] * 4])
def test_a_column_of_anything_but_numbers_is_refused_without_a_value(column):
    for table in (frame().assign(likes=column), pa.table(frame().assign(likes=column))):
        with pytest.raises(BadData, match=r"feature 'likes' holds .*, not numbers") as caught:
            campaign().simulate(table, ids=PEOPLE)
        assert "7.31" not in str(caught.value)


def test_missing_values_are_missing_in_every_table():
    from privge.perturbation.features import features_of

    gap = frame()
    gap.loc["bob", "likes"] = np.nan
    for table in (gap, gap.astype("Float64"), pa.table(gap)):
        assert np.argwhere(np.isnan(features_of(table, NAMES, ids=PEOPLE).matrix)).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({name: [0.5] for name in NAMES}), "no column 'id'"),
        (frame().set_axis([0.5, 1.5, 2.5, 3.5]), "a node id must be a string or an integer"),
        (frame().set_axis(["ann", "ann", "cid", "dan"]), "appears twice"),
    ],
)
def test_a_table_without_good_ids_is_refused(table, message):
    with pytest.raises(BadData, match=message):
        campaign().simulate(table)


def test_text_that_is_probably_an_id_is_refused_with_what_to_do():
    with pytest.raises(BadData, match=r"feature 'name' holds .*, not numbers; .* call it 'id' or make it the index"):
        pg.PrivGE(graph=[("ann", "bob")]).fit(frame().rename_axis("name").reset_index())


def test_rows_that_do_not_match_the_graph_are_counted():
    graph = pg.Graph.from_edges([("dan", "bob"), ("bob", "ann"), ("ann", "eve"), ("eve", "fay")])
    with pytest.raises(BadData, match=r"1 of 4 rows .* not in the graph, and 2 of 5 nodes have no row"):
        pg.PrivGE(graph=graph).fit(frame())
    with pytest.raises(BadData, match=r"4 of 4 rows .*, and 5 of 5 nodes have no row; are ids written alike"):
        pg.PrivGE(graph=graph).fit(frame().reset_index(drop=True))
    with pytest.raises(BadData, match="4 rows of features for a graph of 5 nodes"):
        pg.PrivGE(graph=graph).fit(VALUES)


def test_a_wide_sparse_frame_stays_sparse():
    from privge.perturbation.features import features_of

    matrix = scipy.sparse.random_array((50, 2_000), density=0.001, rng=1)
    features = features_of(pd.DataFrame.sparse.from_spmatrix(matrix))
    assert scipy.sparse.issparse(features.matrix)
    assert (features.matrix != scipy.sparse.csr_array(matrix)).nnz == 0


@pytest.mark.parametrize(
    ("name", "position", "value"), [("indices", 0, 10**9), ("indptr", 1, 10**9), ("indptr", 1, -1)]
)
def test_sparse_features_whose_indices_are_out_of_range_are_refused(name, position, value):
    features = scipy.sparse.csr_array(np.eye(3))
    getattr(features, name)[position] = value
    with pytest.raises(BadData, match="damaged"):
        campaign().simulate(features, seed=0)


@pytest.mark.parametrize("label", ["user_id", "ID", "userId", "node", "Customer ID"])
def test_rows_that_are_merely_numbered_are_refused_beside_a_column_of_ids(label):
    table = frame().reset_index(drop=True).assign(**{label: [3, 1, 0, 2]})
    graph = pg.Graph.from_edges(np.array([[0, 1], [1, 2], [2, 3]]))
    for attempt in (
        lambda: campaign().simulate(table),
        lambda: pg.PrivGE(graph=graph, low=0, high=5).fit_transform(table),
    ):
        with pytest.raises(BadData, match=f"column '{label}' looks like their ids"):
            attempt()
    assert campaign().simulate(table.set_index(label)).ids.tolist() == [3, 1, 0, 2]
    assert campaign().simulate(table, ids=[3, 1, 0, 2]).ids.tolist() == [3, 1, 0, 2]


def test_an_even_grid_can_be_used_wherever_it_is_offered():
    graph = pg.Graph.from_edges([("ann", "bob"), ("cid", "dan"), ("ann", "cid")])
    binary = frame().round().loc[graph.ids]
    assert pg.PrivGE(graph=graph, levels=2, missing="low", mechanism="multibit").fit_transform(binary).shape == (4, 3)


def test_a_column_of_distinct_text_beside_numbered_rows_is_taken_for_their_ids():
    """Whatever it is called: rows that go by position would be of other people."""
    frame = pd.DataFrame({"Mitglied": ["m_1", "m_2", "m_3"], "alter": [0.1, 0.2, 0.3]})
    with pytest.raises(BadData, match="column 'Mitglied' looks like their ids: call it 'id', make it the index"):
        features_of(frame, ["alter"])
    assert features_of(frame.set_index("Mitglied"), ["alter"]).ids.tolist() == ["m_1", "m_2", "m_3"]
    cities = frame.assign(Mitglied=["Bonn", "Bonn", "Ulm"])
    assert features_of(cities, ["alter"]).ids.tolist() == [0, 1, 2]
