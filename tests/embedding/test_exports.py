"""Exports: what other libraries read is what the embedding holds, joined by the ids of nodes."""

import csv

import numpy as np
import pandas as pd
import pytest
import torch

from privge.campaign import Campaign
from privge.embedding import embed
from privge.embedding.embedding import Embedding
from privge.embedding.pgvector import MOST, check_dimensions
from privge.errors import BadData
from privge.graph import Graph
from privge.tasks import NodeSplit

ODD = ["ann", "bob\\n", "c,i\td", 'd"a"n']


def embedding(ids):
    graph = Graph.from_edges([(ids[0], ids[1]), (ids[1], ids[2])], nodes=ids)
    features = np.linspace(0, 1, 12).reshape(4, 3)
    reports = Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=3.0, k=2).simulate(
        features, ids=ids, seed=1
    )
    return graph, embed(graph, reports, alpha=0.2)


@pytest.fixture(params=[["ann", "bob", "cid", "dan"], [7, 3, 12, 5]], ids=["text", "integers"])
def made(request):
    return embedding(request.param)


def test_gensim_reads_the_same_vectors(made, tmp_path):
    models = pytest.importorskip("gensim.models")
    _, z = made
    z.save(tmp_path / "z.w2v")
    words = models.KeyedVectors.load_word2vec_format(str(tmp_path / "z.w2v"), binary=False)
    assert words.index_to_key == [str(node) for node in z]
    assert all(np.array_equal(words[str(node)], z[node].astype(np.float32)) for node in z)
    assert {name for name, _ in words.most_similar(str(z.ids[0]), topn=3)} == {str(node) for node in z.ids[1:]}


def test_pgvector_reads_the_same_vectors_from_csv(made, tmp_path):
    vector = pytest.importorskip("pgvector").Vector
    _, z = made
    z.save(tmp_path / "z.csv")
    with (tmp_path / "z.csv").open(newline="") as file:
        rows = {row["id"]: row["vector"] for row in csv.DictReader(file)}
    assert list(rows) == [str(node) for node in z]
    for node in z:
        assert np.array_equal(vector.from_text(rows[str(node)]).to_numpy(), z[node].astype(np.float32))


def copied(script):
    """The rows of a COPY, as PostgreSQL reads its text format."""
    inside = script.split("FROM stdin;\n")[1].split("\\.\n")[0]
    told = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
    for line in inside.splitlines():
        node, vector = line.split("\t")
        plain, rest = "", node
        while rest:
            taken = 2 if rest[0] == "\\" else 1
            plain, rest = plain + told.get(rest[:taken], rest[:taken]), rest[taken:]
        yield plain, vector


@pytest.mark.parametrize("ids", [ODD, [7, 3, 12, 5]], ids=["odd names", "integers"])
def test_the_script_for_psql_holds_every_id_and_vector(ids, tmp_path):
    vector = pytest.importorskip("pgvector").Vector
    _, z = embedding(ids)
    z.save(tmp_path / "z.sql")
    script = (tmp_path / "z.sql").read_text()
    kind = "text" if isinstance(ids[0], str) else "bigint"
    assert f"CREATE TABLE embedding (id {kind} PRIMARY KEY, vector vector(3) NOT NULL);" in script
    assert script.startswith("-- made by privge: {")
    rows = dict(copied(script))
    assert list(rows) == [str(node) for node in ids]
    for node in ids:
        assert np.array_equal(vector.from_text(rows[str(node)]).to_numpy(), z[node].astype(np.float32))


def test_more_dimensions_than_pgvector_has_are_refused(tmp_path):
    with pytest.raises(BadData, match="pgvector holds at most 16,000 dimensions, these are 16,001"):
        check_dimensions(tmp_path / "z.sql", MOST + 1)


@pytest.mark.parametrize("name", ["z.w2v", "z.sql", "z.csv"])
def test_what_has_no_provenance_is_not_loaded(made, tmp_path, name):
    made[1].save(tmp_path / name)
    with pytest.raises(BadData, match="this format holds no provenance"):
        Embedding.load(tmp_path / name)


def test_a_data_frame_goes_by_id(made):
    _, z = made
    frame = z.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == list(z)
    assert all(np.array_equal(frame.loc[node].to_numpy(), z[node]) for node in z)


def test_pytorch_geometric_gets_vectors_edges_classes_and_masks_by_id(made):
    data_of = pytest.importorskip("torch_geometric.data").Data
    graph, z = made
    ids = list(graph.ids.tolist())
    turned = Embedding(z.ids[::-1].copy(), np.ascontiguousarray(np.asarray(z)[::-1]), z.provenance)
    split = NodeSplit(np.array(ids[:1], dtype=z.ids.dtype), z.ids[1:2], z.ids[2:3])
    data = turned.to_pyg(graph, labels={ids[0]: "red", ids[2]: "blue"}, split=split)
    assert isinstance(data, data_of)
    data.validate()
    assert data.num_nodes == 4
    place = {node: row for row, node in enumerate(data.ids)}
    assert all(np.array_equal(data.x[place[node]].numpy(), z[node].astype(np.float32)) for node in ids)
    edges = {(data.ids[a], data.ids[b]) for a, b in data.edge_index.T.tolist()}
    there = [(ids[0], ids[1]), (ids[1], ids[2])]
    assert edges == {*there, *((b, a) for a, b in there)}
    assert {node: data.classes[data.y[place[node]]] for node in (ids[0], ids[2])} == {ids[0]: "red", ids[2]: "blue"}
    assert data.y[place[ids[1]]] == -1
    for mask, node in zip((data.train_mask, data.val_mask, data.test_mask), ids[:3], strict=True):
        assert torch.nonzero(mask).ravel().tolist() == [place[node]]


def test_a_data_of_pytorch_geometric_gets_the_vector_of_its_own_node():
    data_of = pytest.importorskip("torch_geometric.data").Data
    _, z = embedding([2, 0, 3, 1])
    copy = z.to_pyg(data_of(edge_index=torch.tensor([[0], [1]]), num_nodes=4))
    assert all(np.array_equal(copy.x[node].numpy(), z[node].astype(np.float32)) for node in range(4))
