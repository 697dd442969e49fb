"""The published files themselves, where they are at hand: the figures of the paper's table."""

import json
import os
import pickle
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from datasets.samples import sha256
from privge.datasets import DATASETS, Statistics, load
from privge.datasets.cache import DataDirectory
from privge.datasets.status import inspect
from privge.errors import DatasetMissing

FOLDER = Path(os.environ.get("PRIVGE_DATA") or Path(__file__).parents[3] / "shared" / "datasets")

# The paper's table of datasets: nodes, edges, features, classes.
PAPER = {
    "cora": (2_708, 5_278, 1_433, 7),
    "pubmed": (19_717, 44_324, 500, 3),
    "facebook": (22_470, 170_912, 4_714, 4),
    "wikipedia": (11_631, 170_845, 13_183, 2),
}
LABELS = {  # nodes of each class, as the publishers count them; unknown first
    "cora": [0, 351, 217, 418, 818, 426, 298, 180],
    "pubmed": [0, 4_103, 7_739, 7_875],
    "facebook": [0, 6_495, 6_880, 5_768, 3_327],
    "wikipedia": [0, 8_316, 3_315],
    "citeseer": [15, 249, 590, 668, 701, 596, 508],
}


@cache
def at_hand(name):
    if DataDirectory(FOLDER, ours=False).missing(DATASETS[name]):
        pytest.skip(f"the files of {name} are not in {FOLDER}")
    return load(name, data_dir=FOLDER, download=False)


@pytest.mark.parametrize("name", PAPER)
def test_the_figures_are_those_of_the_papers_table(name):
    dataset, description = at_hand(name), DATASETS[name]
    nodes, edges, features, classes = PAPER[name]
    found = dataset.statistics
    assert (found.nodes, description.paper_edges, found.features, found.classes) == (nodes, edges, features, classes)
    assert found == description.statistics
    counted_loops = found.self_loops if name in ("facebook", "wikipedia") else 0
    assert (2 * found.edges + counted_loops) // 2 == edges


@pytest.mark.parametrize("name", LABELS)
def test_every_row_is_where_it_belongs(name):
    dataset = at_hand(name)
    assert np.bincount(dataset.labels + 1).tolist() == LABELS[name]
    assert dataset.features.shape[0] == len(dataset.labels) == dataset.graph.nodes
    assert dataset.graph.ids.tolist() == list(range(dataset.graph.nodes))
    assert dataset.low <= dataset.features.data.min() <= dataset.features.data.max() <= dataset.high


def test_neighbours_are_of_the_same_class_more_often_than_not():
    """A node's features, label and links belong together: chance would give 18 percent."""
    dataset = at_hand("cora")
    rows, columns = dataset.graph.to_scipy().nonzero()
    assert (dataset.labels[rows] == dataset.labels[columns]).mean() > 0.8
    alike = dataset.features @ dataset.features.T
    strangers = np.random.default_rng(0).permutation(columns)
    assert alike[rows, columns].mean() > 2 * alike[rows, strangers].mean()


def test_features_are_what_pickle_makes_of_the_published_file():
    dataset = at_hand("citeseer")

    def original(role):
        with (FOLDER / "citeseer" / f"ind.citeseer.{role}").open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pickle.load(file, encoding="latin1")  # noqa: S301 (its checksum was just verified)

    first, test = original("allx"), original("tx")
    places = np.loadtxt(FOLDER / "citeseer" / "ind.citeseer.test.index", dtype=int)
    assert (dataset.features[: first.shape[0]] != first).nnz == 0
    assert (dataset.features[places] != test).nnz == 0
    assert dataset.features.nnz == first.nnz + test.nnz


def test_few_values_of_pubmed_are_beyond_its_public_bounds(caplog):
    caplog.set_level("INFO", logger="privge")
    at_hand.__wrapped__("pubmed")
    assert "clipped 4 of 988031 values" in caplog.text


def test_citeseer_has_the_figures_of_its_publisher():
    assert at_hand("citeseer").statistics == Statistics(3_327, 4_552, 124, 3_703, 6)


def test_lastfm_says_what_is_missing():
    directory = DataDirectory(FOLDER, ours=False)
    missing = [file.name for file in directory.missing(DATASETS["lastfm"])]
    if missing != ["lastfm_asia_features.json"]:
        pytest.skip("LastFM is complete here, or not there at all")
    assert inspect(DATASETS["lastfm"], directory).state == "incomplete"
    with pytest.raises(DatasetMissing, match=r"lastfm_asia_features\.json .* into .*lastfm"):
        load("lastfm", data_dir=FOLDER, download=False)


def test_lastfm_has_the_papers_figures_whatever_its_features_are(tmp_path):
    edges, features, target = DATASETS["lastfm"].files
    if not all((FOLDER / "lastfm" / file.name).is_file() for file in (edges, target)):
        pytest.skip(f"LastFM is not in {FOLDER}")
    made_up = json.dumps({str(node): [node % 7_842] for node in range(7_624)} | {"0": [7_841]}).encode()
    (tmp_path / "lastfm").mkdir()
    for file in (edges, target):
        (tmp_path / "lastfm" / file.name).symlink_to(FOLDER / "lastfm" / file.name)
    (tmp_path / "lastfm" / features.name).write_bytes(made_up)
    files = (edges, replace(features, sha256=sha256(made_up)), target)
    dataset = load(replace(DATASETS["lastfm"], files=files), data_dir=tmp_path, download=False)
    assert dataset.statistics == DATASETS["lastfm"].statistics == Statistics(7_083, 25_814, 0, 7_842, 10)
    assert (dataset.graph.degrees == 0).sum() == 33
    assert sorted(np.bincount(dataset.labels).tolist(), reverse=True)[:3] == [1_572, 1_303, 1_098]
    assert dataset.classes[-1] == "country 17"
