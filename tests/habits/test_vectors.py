"""What people do with vectors and reports: by id as with a dictionary, as an array, as a data frame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.model_selection import train_test_split

import privge as pg
from privge.errors import BadData

NAMES = ["ann", "bob", "cleo", "dan", "eve"]
GRAPH = [("ann", "bob"), ("bob", "cleo"), ("cleo", "dan"), ("dan", "eve")]


def reports(ids=tuple(NAMES), names=None):
    campaign = pg.Campaign(dimensions=4, low=0, high=1, mechanism="hds", epsilon=2.0, k=2, levels=33, names=names)
    return campaign.simulate(np.eye(5, 4), ids=list(ids), seed=1)


@pytest.fixture(scope="module")
def z():
    return pg.embed(GRAPH, reports())


def test_a_dictionary_of_nodes(z):
    assert "ann" in z
    assert "zoe" not in z
    assert list(z) == NAMES
    assert len(z) == 5
    assert {node: z[node].tolist() for node in z} == dict(zip(NAMES, z.matrix.tolist(), strict=True))


@pytest.mark.parametrize("nodes", [["eve", "ann"], np.array(["eve", "ann"]), pd.Series(["eve", "ann"])])
def test_several_nodes_give_a_matrix(z, nodes):
    assert (z[nodes] == z.matrix[[4, 0]]).all()
    assert (z[pd.Index(nodes)] == z.matrix[[4, 0]]).all()
    assert z[[]].shape == (0, 4)


def test_several_nodes_with_an_unknown_one_are_refused(z):
    with pytest.raises(BadData, match="2 of 3 nodes are not in the embedding, the first is 'zoe'"):
        z[["ann", "zoe", "joe"]]


def test_numpy_takes_it_for_a_matrix(z):
    matrix = np.asarray(z)
    assert type(matrix) is np.ndarray
    assert matrix.shape == z.shape == (5, 4)
    assert np.shares_memory(matrix, z.matrix)
    assert not np.shares_memory(np.array(z), z.matrix)
    assert np.asarray(z, dtype=np.float64).dtype == np.float64
    assert np.asarray(z, copy=False) is not None
    with pytest.raises(ValueError, match="copy"):
        np.asarray(z, dtype=np.float64, copy=False)
    assert np.linalg.norm(z, axis=1).shape == (5,)
    assert KMeans(2, n_init=1, random_state=0).fit_predict(z).shape == (5,)


def test_positions_are_refused_where_ids_are_meant():
    z = pg.embed([(4, 3), (3, 2), (2, 1), (1, 0)], reports(range(5)))
    assert (z[0] == z.matrix[4]).all()
    for positions in (slice(2), (0, 1), (slice(2), 0), None, 1.5):
        with pytest.raises(BadData, match="goes by the ids of nodes"):
            z[positions]
    with pytest.raises(BadData, match="goes by the ids of nodes"):
        train_test_split(z)
    with pytest.raises(BadData, match="not in the embedding"):
        z[np.array([True, False, True, False, True])]
    with pytest.raises(BadData, match="not in the embedding"):
        z[True]
    assert 0.0 not in z


def test_a_truth_value_is_not_the_node_of_that_name():
    z = pg.embed([("True", "a"), ("a", "b"), ("b", "c"), ("c", "d")], reports(["True", "a", "b", "c", "d"]))
    assert "True" in z
    assert True not in z


def test_17_and_its_digits_are_one_node():
    z = pg.embed([(17, 4), (4, 5), (5, 6), (6, 7)], reports([17, 4, 5, 6, 7]))
    assert "17" in z
    assert np.int64(17) in z
    assert "017" not in z
    assert (z[["17", "4"]] == z[[17, 4]]).all()


def test_a_data_frame_is_indexed_by_id(z):
    frame = z.to_frame()
    assert frame.index.tolist() == NAMES
    assert (frame.loc[["dan", "bob"]].to_numpy() == z[["dan", "bob"]]).all()
    labels = pd.Series({"bob": 1, "ann": 0})
    assert frame.join(labels.rename("label"), how="inner")["label"].tolist() == [0, 1]


def test_features_in_place_of_reports_are_refused_with_what_makes_reports():
    with pytest.raises(TypeError, match=r"embed takes reports, got DataFrame; campaign\.simulate"):
        pg.embed([("ann", "bob")], pd.DataFrame({"age": [0.5, 0.6]}, index=["ann", "bob"]))


def test_vectors_as_text_say_who_reads_them(z, tmp_path):
    z.save(tmp_path / "z.vec")
    with pytest.raises(BadData, match=r"holds no provenance; give the \.parquet.*gensim"):
        pg.Embedding.load(tmp_path / "z.vec")


def test_reports_go_by_node_too():
    sent = reports()
    assert "bob" in sent
    assert "zoe" not in sent
    assert len(sent) == 5
    assert sent["bob"].node == "bob"
    assert sent["bob"].codes == tuple(sent.codes[1].tolist())
    some = sent[["eve", "bob"]]
    assert isinstance(some, pg.Reports)
    assert some.ids.tolist() == ["eve", "bob"]
    assert (some.codes == sent.codes[[4, 1]]).all()
    assert some.seeded
    assert [report.node for report in sent] == NAMES
    assert (np.asarray(sent) == sent.codes).all()
    for nodes in ("zoe", ["ann", "zoe"]):
        with pytest.raises(BadData, match="reported"):
            sent[nodes]
    with pytest.raises(BadData, match="twice"):
        sent[["ann", "ann"]]


@pytest.mark.parametrize("names", [None, ["a", "b", "c", "d"]])
def test_reports_become_a_data_frame_of_what_was_said_of_which_feature(names):
    sent = reports(names=names)
    frame = sent.to_frame()
    assert frame.index.tolist() == np.repeat(NAMES, 2).tolist()
    assert frame["code"].tolist() == sent.codes.ravel().tolist()
    told = frame["feature"].tolist()
    assert told == [index if names is None else names[index] for index in sent.indices.ravel()]
