import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from datasets.samples import (
    CLASSES,
    PLANETOID,
    array_pickle,
    describe,
    graph_pickle,
    matrix_pickle,
    musae_files,
    planetoid_files,
    write,
)
from privge.datasets import load
from privge.datasets.contents import Blob
from privge.datasets.musae import read_musae
from privge.datasets.planetoid import read_planetoid
from privge.errors import DatasetCorrupt


def blobs(files):
    return {role: Blob(Path(f"tiny.{role}"), data) for role, data in files.items()}


def loaded(files, folder, **options):
    write(files, folder)
    return load(describe(files, **options), data_dir=folder, download=False)


def test_planetoid_test_nodes_stand_where_the_index_says(tmp_path):
    dataset = loaded(planetoid_files(), tmp_path)
    expected = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0.5]]
    assert dataset.features.toarray().tolist() == expected  # 2.5 was clipped at the public bound
    assert dataset.labels.tolist() == [0, 1, -1, 1, 1, -1, 0]
    assert dataset.labels.dtype == np.int64
    assert dataset.classes == CLASSES


def test_planetoid_edges_are_undirected_and_single(tmp_path):
    dataset = loaded(planetoid_files(), tmp_path)
    assert sorted(map(tuple, np.sort(np.argwhere(dataset.graph.to_scipy().toarray()), axis=1).tolist()))[::2] == [
        (0, 1),
        (0, 2),
        (0, 6),
        (3, 4),
    ]
    assert dataset.graph.ids.tolist() == list(range(7))
    assert dataset.statistics == PLANETOID


def test_musae_rows_are_joined_by_id(tmp_path):
    dataset = loaded(musae_files(), tmp_path)
    assert dataset.features.toarray().tolist() == [
        [0, 1, 0, 0, 0],
        [1, 0, 0, 0, 1],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0],
    ]
    assert [dataset.classes[label] for label in dataset.labels] == ["7", "7", "7", "5", "5", "9"]
    assert (dataset.graph.edges, dataset.self_loops) == (4, 1)


def test_a_feature_that_is_listed_twice_is_still_one():
    assert read_musae(blobs(musae_files())).features.data.tolist() == [1.0] * 5


def test_musae_classes_can_be_named_and_ordered(tmp_path):
    names = {"9": "nine", "7": "seven", "5": "five", "1": "one"}
    dataset = loaded(musae_files(), tmp_path, read=partial(read_musae, classes=names))
    assert dataset.classes == ("nine", "seven", "five", "one")
    assert dataset.labels.tolist() == [1, 1, 1, 2, 2, 0]


def test_only_the_largest_classes_are_kept_with_the_links_between_them(tmp_path):
    dataset = loaded(musae_files(), tmp_path, read=partial(read_musae, largest=2))
    assert dataset.classes == ("5", "7")
    assert dataset.labels.tolist() == [1, 1, 1, 0, 0]
    assert dataset.graph.ids.tolist() == [0, 1, 2, 3, 4]
    assert dataset.graph.edges == 3  # 4-5 is gone with node 5
    assert dataset.features.shape == (5, 5)  # a feature that nobody is left with is still a feature
    everything = load(describe(musae_files()), data_dir=tmp_path, download=False)
    assert (dataset.features != everything.features[:5]).nnz == 0


def test_the_largest_classes_are_those_with_the_most_nodes_not_the_first(tmp_path):
    files = {**musae_files(), "target": b"id,target\n0,1\n1,2\n2,2\n3,2\n4,3\n5,3\n"}
    dataset = loaded(files, tmp_path, read=partial(read_musae, largest=2))
    assert dataset.classes == ("2", "3")
    assert dataset.graph.edges == 3  # 1-2, 3-4, 4-5, renumbered
    assert dataset.features.toarray()[0].tolist() == [1, 0, 0, 0, 1]


def test_every_value_is_within_the_public_bounds(tmp_path, caplog):
    caplog.set_level("INFO", logger="privge")
    dataset = loaded(planetoid_files(), tmp_path)
    assert (dataset.low, dataset.high) == (0.0, 1.0)
    assert dataset.features.data.max() == 1.0
    assert "clipped 1 of 7 values" in caplog.text


def test_the_bounds_do_not_follow_the_data(tmp_path):
    files = planetoid_files()
    write(files, tmp_path)
    dataset = load(replace(describe(files), low=0.0, high=8.0), data_dir=tmp_path, download=False)
    assert dataset.high == 8.0
    assert dataset.features.data.max() == 2.5


def test_features_that_are_no_finite_numbers_are_refused(tmp_path):
    test = scipy.sparse.csr_matrix(np.array([[0, 0, np.nan], [0, 1, 0]], dtype=np.float32))
    with pytest.raises(DatasetCorrupt, match=r"tiny.*finite"):
        loaded({**planetoid_files(), "tx": matrix_pickle(test)}, tmp_path)


one_column = scipy.sparse.csr_matrix(np.ones((2, 1), dtype=np.float32))
BROKEN_PLANETOID = {
    "features are no matrix": ("allx", array_pickle(np.zeros((4, 3), dtype=np.int32))),
    "other features": ("tx", matrix_pickle(one_column)),
    "labels are no table": ("ally", graph_pickle({})),
    "labels of other nodes": ("ty", array_pickle(np.zeros((3, 2), dtype=np.int32))),
    "two labels": ("ty", array_pickle(np.ones((2, 2), dtype=np.int32))),
    "index is no list": ("test.index", b"six\nfour\n"),
    "index repeats": ("test.index", b"4\n4\n"),
    "index is short": ("test.index", b"4\n"),
    "index is inside": ("test.index", b"3\n4\n"),
    "index is far": ("test.index", b"4\n99999999\n"),
    "index is huge": ("test.index", b"4\n99999999999999999999999\n"),
    "graph is a list": ("graph", b"\x80\x02]."),
    "graph of numbers": ("graph", b"\x80\x02}(K\x01K\x02u."),
    "neighbour is a list": ("graph", b"\x80\x02}(K\x01](]K\x02eu."),
    "neighbour is unknown": ("graph", graph_pickle({0: [7]})),
    "node is unknown": ("graph", graph_pickle({7: [0]})),
    "node is negative": ("graph", graph_pickle({0: [-1]})),
}


@pytest.mark.parametrize("name", BROKEN_PLANETOID)
def test_a_broken_planetoid_file_is_refused_and_named(name):
    role, data = BROKEN_PLANETOID[name]
    with pytest.raises(DatasetCorrupt, match=rf"^tiny\.{role}: "):
        read_planetoid(blobs({**planetoid_files(), role: data}), CLASSES)


BROKEN_MUSAE = {
    "edges are words": ("edges", b"id_1,id_2\na,b\n"),
    "edges are triples": ("edges", b"a,b,c\n0,1,2\n"),
    "edges are ragged": ("edges", b"a,b\n0,1\n2\n"),
    "an edge lacks an end": ("edges", b"a,b\n0,1\n2,\n"),
    "an edge leaves the graph": ("edges", b"a,b\n0,6\n"),
    "an edge is negative": ("edges", b"a,b\n0,-1\n"),
    "edges are empty": ("edges", b""),
    "features are no json": ("features", b'{"0": [1'),
    "features are nested without end": ("features", b"[" * 100_000),
    "features are a list": ("features", b"[[1]]"),
    "features are numbers": ("features", b'{"0": 1}'),
    "a feature is a word": ("features", b'{"0": ["a"]}'),
    "a feature is a fraction": ("features", b'{"0": [1.5]}'),
    "a feature is a truth value": ("features", b'{"0": [true]}'),
    "a feature is negative": ("features", b'{"0": [-1]}'),
    "a feature is out of reach": ("features", b'{"0": [999999999999]}'),
    "a feature is huge": ("features", b'{"0": [99999999999999999999999]}'),
    "a node is a word": ("features", b'{"zero": [1]}'),
    "a node is unknown": ("features", b'{"6": [1]}'),
    "a node is written twice": ("features", b'{"1": [1], "01": [2]}'),
    "features are no text": ("features", b'{"0": "\xff\xfe"}'),
    "no column of labels": ("target", b"id,label\n0,1\n"),
    "ids begin at one": ("target", b"id,target\n1,1\n2,1\n"),
    "an id repeats": ("target", b"id,target\n0,1\n0,1\n"),
    "a label is missing": ("target", b"id,target\n0,\n"),
    "an id is a word": ("target", b"id,target\nx,1\n"),
    "an unknown class": ("target", b"id,target\n0,1\n1,8\n2,1\n3,1\n4,1\n5,1\n"),
}


@pytest.mark.parametrize("name", BROKEN_MUSAE)
def test_a_broken_musae_file_is_refused_and_named(name):
    role, data = BROKEN_MUSAE[name]
    with pytest.raises(DatasetCorrupt, match=rf"^tiny\.{role}: "):
        read_musae(blobs({**musae_files(), role: data}), classes=dict.fromkeys("1579", ""))


def test_lastfm_is_read_from_files_of_its_format(tmp_path):
    """Twelve countries with 12, 11, ..., 1 listeners: the ten largest stay."""
    countries = [country for country in range(12) for _ in range(12 - country)]
    nodes = len(countries)
    files = {
        "edges": ("node_1,node_2\n" + "".join(f"{i},{i + 1}\n" for i in range(nodes - 1))).encode(),
        "features": json.dumps({str(i): [i % 50, 49] for i in range(nodes)}).encode(),
        "target": ("id,target\n" + "".join(f"{i},{country}\n" for i, country in enumerate(countries))).encode(),
    }
    from privge.datasets import DATASETS

    dataset = loaded(files, tmp_path, read=DATASETS["lastfm"].read)
    assert dataset.classes == tuple(f"country {i}" for i in range(10))
    assert dataset.graph.nodes == dataset.features.shape[0] == sum(range(3, 13))
    assert dataset.graph.edges == dataset.graph.nodes - 1
    assert np.bincount(dataset.labels).tolist() == list(range(12, 2, -1))
    assert dataset.features.shape[1] == 50
