"""What commit fac4ce1 wrote is read, what it computed is computed, what it sent is sent: bit for bit.

But for the vectors of `sor`, the default engine. What it promises is an error below the tolerance, and how it gets
there may change (docs/decisions/0005-certificates.md): its vectors agree within the certificates of both versions, and
all that is said of them stays, except how many sweeps it took, in which precision, and what was certified in the end.

``files`` and ``expected.json`` were made by that commit (`former/make.py`) and are never made again. If a module moves,
`former/current.py` follows it, and nothing else here. A test that fails here says that files, devices or campaigns of
people who use privge would no longer be understood.
"""

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
PROMISED = {"exact.npy", "sor.npy"}  # whose numbers are compared below, and not their bits


def plain(value):
    """As it comes back from JSON, where a tuple is a list; floats keep every bit."""
    return json.loads(json.dumps(value))


def without_bits(value):
    """Leave out the bits that `sor` may change; what an embedding says of itself otherwise stays."""
    if not isinstance(value, dict):
        return value
    if set(value) == {"vectors", "meaning"} and value["meaning"]["engine"].startswith("sor"):
        return {name: said for name, said in value["meaning"].items() if name not in current.ON_THE_WAY}
    return {name: without_bits(each) for name, each in value.items()}


def test_the_files_are_those_that_the_former_version_wrote():
    found = {name: hashlib.sha256((FILES / name).read_bytes()).hexdigest() for name in comparing.names_in(FILES)}
    assert found == EXPECTED["files"]


def test_nothing_that_was_expected_has_been_dropped():
    assert set(EXPECTED["computed"]) == set(COMPUTED)
    assert set(EXPECTED["read"]) == set(READ)
    assert {name.split("/")[0] for name in EXPECTED["files"]} == {*WRITERS, "campaigns", "embeddings", "results"}


@pytest.mark.parametrize("name", sorted(set(COMPUTED) - {"propagated", "estimated"}))
def test_what_was_computed_is_computed_again(name):
    assert without_bits(plain(COMPUTED[name]())) == without_bits(EXPECTED["computed"][name])


def test_the_campaign_of_an_estimator_is_the_same():
    assert plain(COMPUTED["estimated"]())[1] == EXPECTED["computed"]["estimated"][1]


@pytest.mark.parametrize("name", READ)
def test_what_was_written_is_read(name, tmp_path):
    found = plain(READ[name](private_copy(tmp_path / "files")))
    assert without_bits(found) == without_bits(EXPECTED["read"][name])


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_was_written_is_written_again(name, tmp_path):
    WRITERS[name](tmp_path)
    new = (".lock", ".ids.json")  # a .npy has its ids beside it by now
    names = [each for each in comparing.names_in(tmp_path) if not each.endswith(new)]
    assert names == comparing.names_in(FILES / name)
    differing = [each for each in names if not comparing.same(FILES / name / each, tmp_path / each)]
    assert set(differing) <= PROMISED


@pytest.mark.parametrize(
    ("engine", "certified"),
    [
        ("exact", EXPECTED["made"]["exact certificate"]),
        ("sor", EXPECTED["computed"]["embeddings"]["sor"]["meaning"]["certificate"]),
    ],
)
def test_vectors_agree_within_both_certificates(engine, certified):
    """The direct solver's bits belong to the libraries of a machine, those of `sor` to its way to the tolerance."""
    made = current.embed(inputs.graph(), inputs.reports(), engine=engine)
    former = np.load(FILES / "vectors" / f"{engine}.npy")
    assert made.matrix.dtype == former.dtype
    difference = np.abs(np.asarray(made.matrix, dtype=np.float64) - former)
    assert difference.max() <= current.meaning(made)["certificate"] + certified


@pytest.mark.parametrize(
    "options", [{}, {"tolerance": 1e-9}, {"alpha": 0.4, "r": 0.0, "decoding": "unbiased", "clip": 2.0}]
)
def test_the_default_engine_keeps_what_it_certifies(options):
    found, exact = (current.embed(inputs.graph(), inputs.reports(), engine=one, **options) for one in ("sor", "exact"))
    certified = [current.meaning(made)["certificate"] for made in (found, exact)]
    assert certified[0] <= current.meaning(found)["tolerance"]
    assert np.abs(np.asarray(found.matrix, dtype=np.float64) - exact.matrix).max() <= sum(certified)


def test_propagation_keeps_what_it_certifies():
    walk = {"alpha": 0.2, "r": 0.3}
    found, run = pg.propagate(inputs.graph(), inputs.sparse_features(), **walk)
    exact, checked = pg.propagate(inputs.graph(), inputs.sparse_features(), **walk, on=pg.Local(engine="exact"))
    assert np.abs(found.astype(np.float64) - exact).max() <= run.certificate.error + checked.certificate.error


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
