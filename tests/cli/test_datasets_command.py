import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasets.samples import PLANETOID, describe, left_in, planetoid_files, write
from datasets.web_server import serving, whole
from privge.cli import main
from privge.datasets import DATASETS, Statistics

SHARED = Path(os.environ.get("PRIVGE_DATA") or Path(__file__).parents[3] / "shared" / "datasets")
FILES = planetoid_files()
KEYS = {
    "name", "title", "nodes", "edges", "self_loops", "features", "classes", "paper_edges", "low", "high", "licence",
    "homepage", "state", "problem", "missing",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _nobodys_home(tmp_path, monkeypatch):
    monkeypatch.delenv("PRIVGE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def instead_of_cora(monkeypatch):
    """Put another dataset in the place of Cora."""
    return lambda description: monkeypatch.setitem(DATASETS, "cora", description)


@pytest.fixture
def _tiny(instead_of_cora):
    instead_of_cora(describe(FILES, statistics=PLANETOID, name="cora"))


def run(*arguments, **options):
    return CliRunner().invoke(main, ["datasets", *map(str, arguments)], **options)


def run_json(*arguments, exit_code=0):
    result = run(*arguments, "--json")
    assert result.exit_code == exit_code, result.output
    assert result.stdout.count("\n") == 1
    answer = json.loads(result.stdout)
    return answer["data_dir"], {row["name"]: row for row in answer["datasets"]}


def test_every_dataset_is_listed_and_nothing_is_fetched(tmp_path):
    folder, rows = run_json("--data-dir", tmp_path / "data")
    assert folder == str(tmp_path / "data")
    assert list(rows) == list(DATASETS)
    assert all(set(row) == KEYS for row in rows.values())
    assert {name: row["state"] for name, row in rows.items() if row["state"] != "not downloaded"} == {
        "synthetic": "ready"
    }
    assert rows["cora"]["nodes"] is None
    assert rows["facebook"]["paper_edges"] == 170_912
    assert [file["name"] for file in rows["lastfm"]["missing"]] == [file.name for file in DATASETS["lastfm"].files]
    assert left_in(tmp_path) == []


@pytest.mark.usefixtures("_tiny")
def test_the_figures_come_from_the_files(tmp_path):
    write(FILES, tmp_path, "cora")
    _folder, rows = run_json("cora", "--data-dir", tmp_path)
    row = rows["cora"]
    assert (row["nodes"], row["edges"], row["self_loops"], row["features"], row["classes"]) == (7, 4, 1, 3, 2)
    assert (row["state"], row["problem"], row["missing"]) == ("ready", None, [])


@pytest.mark.usefixtures("_tiny")
def test_the_variable_names_the_folder(tmp_path):
    write(FILES, tmp_path, "cora")
    result = run("cora", "--json", env={"PRIVGE_DATA": str(tmp_path)})
    assert json.loads(result.stdout)["datasets"][0]["state"] == "ready"


def test_the_default_folder_is_this_users_cache(tmp_path):
    folder, _rows = run_json("synthetic")
    if os.uname().sysname == "Linux":
        assert folder == str(tmp_path / "cache" / "privge")


@pytest.mark.usefixtures("_tiny")
def test_the_table_shows_figures_licence_and_state(tmp_path):
    write(FILES, tmp_path, "cora")
    result = run("cora", "facebook", "--data-dir", tmp_path)
    assert result.exit_code == 0
    header, cora, facebook = result.stdout.splitlines()[:3]
    assert header.split() == ["name", "nodes", "edges", "paper's", "edges", "features", "classes", "licence", "state"]
    assert cora.split() == ["cora", "7", "4", "-", "3", "2", "none", "ready"]
    assert re.fullmatch(r"facebook +- +- +170,912 +- +- +MIT or GPL-3.0 +not downloaded", facebook)
    assert "Add --download" in result.stdout
    assert str(tmp_path) in result.stdout


@pytest.mark.usefixtures("_tiny")
def test_an_incomplete_dataset_says_what_is_missing_and_where_to_put_it(tmp_path):
    write(FILES, tmp_path, "cora")
    (tmp_path / "cora" / "tiny.tx").unlink()
    _folder, rows = run_json("cora", "--data-dir", tmp_path)
    assert rows["cora"]["state"] == "incomplete"
    assert rows["cora"]["missing"] == [
        {"name": "tiny.tx", "url": "https://example.invalid/tiny.tx", "path": str(tmp_path / "cora" / "tiny.tx")}
    ]
    assert f"put tiny.tx (from https://example.invalid/tiny.tx) into {tmp_path / 'cora'}" in run(
        "cora", "--data-dir", tmp_path
    ).stdout.replace("\n", " ")


@pytest.mark.usefixtures("_tiny")
def test_a_damaged_dataset_does_not_keep_the_others_from_being_shown(tmp_path):
    write({**FILES, "graph": b"cos\nsystem\n(S'true'\ntR."}, tmp_path, "cora")
    result = run("--data-dir", tmp_path)
    assert result.exit_code == 3
    assert "damaged" in result.stdout
    assert f"{tmp_path / 'cora' / 'tiny.graph'}: " in result.stdout
    assert "synthetic" in result.stdout
    assert (tmp_path / "cora" / "tiny.graph").exists()  # the folder is not ours


@pytest.mark.usefixtures("_tiny")
def test_a_damaged_file_in_our_own_cache_is_removed(tmp_path):
    cache = tmp_path / "cache" / "privge"
    write({**FILES, "graph": b"damaged"}, cache, "cora")
    _folder, rows = run_json("cora", exit_code=3)
    assert rows["cora"]["state"] == "damaged"
    assert "it was removed" in rows["cora"]["problem"]
    assert "cora/tiny.graph" not in left_in(cache)


def test_other_figures_than_those_of_the_catalogue_are_reported(tmp_path, instead_of_cora):
    instead_of_cora(describe(FILES, statistics=Statistics(8, 4, 1, 3, 2), name="cora"))
    write(FILES, tmp_path, "cora")
    _folder, rows = run_json("cora", "--data-dir", tmp_path, exit_code=3)
    assert (rows["cora"]["state"], rows["cora"]["problem"]) == ("mismatch", "cora: 7 nodes instead of 8")
    assert rows["cora"]["nodes"] == 7


def test_download_fetches_what_is_missing(tmp_path, instead_of_cora):
    with serving() as site:
        instead_of_cora(describe(FILES, base=site.base, name="cora"))
        for role, data in FILES.items():
            site.routes[f"/tiny.{role}"] = whole(data)
        _folder, rows = run_json("cora", "--data-dir", tmp_path, "--download")
    assert rows["cora"]["state"] == "ready"


def test_a_download_that_fails_is_one_line_and_the_others_are_shown(tmp_path, instead_of_cora):
    with serving() as site:
        instead_of_cora(describe(FILES, base=site.base, name="cora"))
        result = run("cora", "synthetic", "--data-dir", tmp_path, "--download")
        _folder, rows = run_json("cora", "--data-dir", tmp_path, "--download", exit_code=3)
    assert result.exit_code == 3
    problems = [line for line in result.stdout.splitlines() if line.startswith("cora: cannot download")]
    assert len(problems) == 1
    assert "404" in problems[0]
    assert str(tmp_path / "cora") in problems[0]
    assert rows["cora"]["state"] == "not downloaded"
    assert "404" in rows["cora"]["problem"]
    assert "synthetic" in result.stdout
    assert left_in(tmp_path) == []


def test_a_wrong_download_is_refused_and_leaves_nothing(tmp_path, instead_of_cora):
    with serving() as site:
        instead_of_cora(describe(FILES, base=site.base, name="cora"))
        site.routes["/tiny.allx"] = whole(bytes(len(FILES["allx"])))
        _folder, rows = run_json("cora", "--data-dir", tmp_path, "--download", exit_code=3)
    assert rows["cora"]["problem"].startswith("cora: tiny.allx: the checksum")
    assert left_in(tmp_path) == []


def test_an_unknown_name_is_wrong_usage(tmp_path):
    result = run("corra", "--data-dir", tmp_path)
    assert result.exit_code == 2
    assert "corra" in result.stderr


def test_a_name_given_twice_is_shown_once(tmp_path):
    result = run("cora", "cora", "--data-dir", tmp_path)
    assert result.stdout.count("not downloaded\n") == 1


def test_the_shared_cache_shows_the_papers_table():
    if not (SHARED / "cora").is_dir():
        pytest.skip(f"there are no datasets in {SHARED}")
    _folder, rows = run_json("--data-dir", SHARED)
    for name in ("cora", "pubmed", "facebook", "wikipedia"):
        assert rows[name]["state"] == "ready", rows[name]["problem"]
    if not (SHARED / "lastfm" / "lastfm_asia_features.json").exists():
        assert rows["lastfm"]["state"] == "incomplete"
