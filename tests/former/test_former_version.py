"""What commit fac4ce1 wrote is read, what it computed is computed, what it sent is sent: bit for bit.

``files`` and ``expected.json`` were made by that commit (`former/make.py`) and are never made again. If a module moves,
`former/current.py` follows it, and nothing else here. A test that fails here says that files, devices or campaigns of
people who use privge would no longer be understood.
"""

import copy
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import privge as pg
from former import comparing, current, inputs
from former.computing import COMPUTED
from former.inputs import FILES
from former.reading import READ, private_copy
from former.writing import WRITERS

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_bytes())
REWRITTEN = sorted(set(WRITERS) - {"features"})  # those are not written by privge


def plain(value):
    """As it comes back from JSON, where a tuple is a list; floats keep every bit."""
    return json.loads(json.dumps(value))


def test_the_files_are_those_that_the_former_version_wrote():
    found = {name: hashlib.sha256((FILES / name).read_bytes()).hexdigest() for name in comparing.names_in(FILES)}
    assert found == EXPECTED["files"]


def test_nothing_that_was_expected_has_been_dropped():
    assert set(EXPECTED["computed"]) == set(COMPUTED)
    assert set(EXPECTED["read"]) == set(READ)
    assert {name.split("/")[0] for name in EXPECTED["files"]} == {*WRITERS, "campaigns", "embeddings", "results"}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_was_computed_is_computed_again(name):
    now, before = plain(COMPUTED[name]()), copy.deepcopy(EXPECTED["computed"][name])
    if name == "updated":  # its certificate bounds more than it did: a later change of the graph can build on it
        certified = now["meaning"].pop("certificate"), before["meaning"].pop("certificate")
        assert certified[1] <= certified[0] <= 1.05 * certified[1]
    assert now == before


@pytest.mark.parametrize("name", READ)
def test_what_was_written_is_read(name, tmp_path):
    assert plain(READ[name](private_copy(tmp_path / "files"))) == EXPECTED["read"][name]


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_was_written_is_written_again(name, tmp_path):
    WRITERS[name](tmp_path)
    new = (".lock", ".ids.json")  # a .npy has its ids beside it by now
    names = [each for each in comparing.names_in(tmp_path) if not each.endswith(new)]
    assert names == comparing.names_in(FILES / name)
    differing = [each for each in names if not comparing.same(FILES / name / each, tmp_path / each)]
    assert [each for each in differing if each != "exact.npy"] == []


def test_the_direct_solver_agrees_within_both_certificates():
    """Its bits belong to the libraries of a machine; the vectors of the others are compared bit by bit."""
    made = current.embed(inputs.graph(), inputs.reports(), engine="exact")
    allowed = current.meaning(made)["certificate"] + EXPECTED["made"]["exact certificate"]
    difference = np.abs(np.asarray(made.matrix, dtype=np.float64) - np.load(FILES / "vectors" / "exact.npy"))
    assert difference.max() <= allowed


def test_a_finished_line_of_results_is_appended_as_it_was(tmp_path):
    kept = FILES / "results" / "links-cora.jsonl"
    for line in kept.read_text().splitlines():
        current.append_line(tmp_path, json.loads(line))
    assert (tmp_path / kept.name).read_bytes() == kept.read_bytes()


def test_a_folder_of_vectors_is_known_as_one_and_written_anew(tmp_path):
    folder = private_copy(tmp_path / "files") / "embeddings" / "parts"
    before = pg.Embedding.from_parquet(folder)
    before.to_parquet(folder)
    after = pg.Embedding.from_parquet(folder)
    assert current.meaning(after) == current.meaning(before)
    assert after.ids.tolist() == before.ids.tolist()
    assert np.asarray(after.matrix).tobytes() == np.asarray(before.matrix).tobytes()
