from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from datasets.samples import PLANETOID, describe, left_in, planetoid_files, write
from privge.datasets import DATASETS, Statistics, load, social_network
from privge.datasets.cache import DataDirectory, data_directory
from privge.datasets.loading import read_dataset
from privge.datasets.status import inspect
from privge.errors import BadData, DatasetCorrupt, DatasetMissing

FILES = planetoid_files()
DAMAGE = {
    "truncated": (lambda data: data[:-1], "truncated: .* bytes instead of"),
    "longer": (lambda data: data + b"x", "larger than the published file"),
    "changed": (lambda data: bytes([data[0] ^ 1]) + data[1:], "the checksum is not"),
    "empty": (lambda _data: b"", "truncated: 0 bytes"),
    "a hostile pickle": (lambda data: (b"cos\nsystem\n(S'true'\ntR." + data)[: len(data)], "the checksum is not"),
}


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_refused_and_removed_only_from_our_own_cache(name, ours, tmp_path):
    damage, problem = DAMAGE[name]
    write({**FILES, "allx": damage(FILES["allx"])}, tmp_path)
    with pytest.raises(DatasetCorrupt, match=rf"tiny/tiny\.allx: {problem}"):
        read_dataset(describe(FILES), DataDirectory(tmp_path, ours=ours))
    assert ("tiny/tiny.allx" in left_in(tmp_path)) == (not ours)
    assert "tiny/tiny.ally" in left_in(tmp_path)


def test_a_folder_that_somebody_names_is_not_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("PRIVGE_DATA", str(tmp_path / "variable"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_directory(tmp_path) == DataDirectory(tmp_path, ours=False)
    assert data_directory() == DataDirectory(tmp_path / "variable", ours=False)


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_name_this_users_cache_is_used(value, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("PRIVGE_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("PRIVGE_DATA", value)
    assert data_directory() == DataDirectory(tmp_path / ".cache" / "privge", ours=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_directory() == DataDirectory(tmp_path / "cache" / "privge", ours=True)


def test_a_hostile_pickle_with_the_right_checksum_is_refused_too(tmp_path):
    hostile = {**FILES, "graph": b"\x80\x02cos\nsystem\nU\x04true\x85R."}
    write(hostile, tmp_path)
    with pytest.raises(DatasetCorrupt, match=r"tiny/tiny\.graph: refused as a pickle"):
        load(describe(hostile), data_dir=tmp_path, download=False)


def test_the_errors_are_bad_data():
    assert issubclass(DatasetCorrupt, BadData)
    assert issubclass(DatasetMissing, BadData)
    assert DatasetCorrupt.exit_code == DatasetMissing.exit_code == 3


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"no dataset 'corra'; there are cora, pubmed, lastfm"):
        load("corra")


def test_the_synthetic_dataset_is_the_social_network(tmp_path):
    dataset, network = load("synthetic", data_dir=tmp_path), social_network()
    assert isinstance(dataset.features, scipy.sparse.csr_array)
    assert np.array_equal(dataset.features.toarray(), network.features)
    assert np.array_equal(dataset.labels, network.labels)
    assert (dataset.graph.to_scipy() != network.graph.to_scipy()).nnz == 0
    assert dataset.graph.ids.tolist() == list(range(3000))
    assert len(dataset.classes) == 6
    assert left_in(tmp_path) == []


def test_the_state_of_a_dataset_says_what_is_there(tmp_path):
    directory = DataDirectory(tmp_path, ours=False)
    description = describe(FILES, statistics=PLANETOID)
    assert inspect(description, directory).state == "not downloaded"
    write(FILES, tmp_path)
    assert inspect(description, directory).state == "ready"
    assert inspect(description, directory).statistics == PLANETOID
    (tmp_path / "tiny" / "tiny.tx").unlink()
    incomplete = inspect(description, directory)
    assert (incomplete.state, [file.role for file in incomplete.missing]) == ("incomplete", ["tx"])
    assert "put tiny.tx (from https://example.invalid/tiny.tx)" in incomplete.problem
    (tmp_path / "tiny" / "tiny.ty").write_bytes(b"")
    assert inspect(description, directory).state == "damaged"


def test_other_figures_than_those_of_the_catalogue_are_reported(tmp_path):
    write(FILES, tmp_path)
    expected = Statistics(nodes=7, edges=1_005, self_loops=1, features=3, classes=2)
    status = inspect(describe(FILES, statistics=expected), DataDirectory(tmp_path, ours=False))
    assert (status.state, status.problem) == ("mismatch", "tiny: 4 edges instead of 1,005")
    assert status.statistics == PLANETOID


def test_a_reader_that_refuses_makes_a_damaged_dataset_not_a_crash(tmp_path):
    hostile = {**FILES, "graph": b"\x80\x02cos\nsystem\nU\x04true\x85R."}
    write(hostile, tmp_path)
    status = inspect(describe(hostile), DataDirectory(tmp_path, ours=False))
    assert status.state == "damaged"
    assert "tiny.graph" in status.problem


def test_the_catalogue_is_complete():
    assert list(DATASETS) == ["cora", "pubmed", "lastfm", "facebook", "wikipedia", "citeseer", "synthetic"]
    for name, description in DATASETS.items():
        assert name == description.name
        assert description.low <= 0 <= description.high  # zeros are not stored
        for file in description.files:
            assert file.url.startswith("https://")
            assert len(file.sha256) == 64
            assert int(file.sha256, 16)


def test_a_dataset_shows_its_figures(tmp_path):
    write(FILES, tmp_path)
    dataset = load(replace(describe(FILES), name="tiny"), data_dir=tmp_path, download=False)
    assert repr(dataset) == "Dataset('tiny', 7 nodes, 4 edges, 3 features, 2 classes)"
