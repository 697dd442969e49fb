"""Finished repeats survive crashes and are counted only under their own settings."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from privge.errors import BadData
from privge.experiments.cell import Cell
from privge.experiments.method import LABEL_PROPAGATION, PPR_SCORE, RAW_FEATURES
from privge.experiments.plan import HDS, task_plan
from privge.experiments.results import Results
from privge.experiments.schedule import unfinished
from privge.mechanisms import NoPrivacy, StructureOnly

COMMITTED = Path(__file__).parents[2] / "docs" / "results"

CELL = Cell("nodes", "cora", HDS, 1.0, 20)
SETTINGS = task_plan("nodes").datasets["cora"]


def record(repeat, settings=SETTINGS, value=80.0):
    return {
        "task": "nodes",
        "dataset": "cora",
        "mechanism": "hds",
        "epsilon": 1.0,
        "k": 20,
        "repeat": repeat,
        "accuracy": value,
        "settings": settings.to_dict(),
        "seconds": {"train": 1.0},
    }


def test_a_line_cut_off_by_a_crash_is_dropped_and_the_next_one_is_whole(tmp_path):
    results = Results(tmp_path)
    results.append(record(0))
    with results.path("nodes", "cora").open("ab") as file:
        file.write(json.dumps(record(1)).encode()[:50])
    assert list(results.read("nodes", "cora")) == [(CELL, 0)]
    results.append(record(2))
    assert list(results.read("nodes", "cora")) == [(CELL, 0), (CELL, 2)]


def test_records_of_other_settings_do_not_count(tmp_path):
    results = Results(tmp_path)
    results.append(record(0, replace(SETTINGS, alpha=0.2)))
    results.append(record(1))
    assert list(results.read("nodes", "cora")) == [(CELL, 1)]
    assert len(results.path("nodes", "cora").read_text().splitlines()) == 2


def test_the_two_forms_of_a_cell_are_kept_apart(tmp_path):
    results, paper = Results(tmp_path), replace(CELL, form="paper")
    results.append(record(0))
    results.append(record(0, task_plan("nodes").settings(paper), value=70.0) | {"form": "paper"})
    found = results.read("nodes", "cora")
    assert [found[cell, 0]["accuracy"] for cell in (CELL, paper)] == [80.0, 70.0]


def test_a_damaged_line_is_named(tmp_path):
    results = Results(tmp_path)
    results.append(record(0))
    with results.path("nodes", "cora").open("ab") as file:
        file.write(b'{"task": "nodes"}\n')
    with pytest.raises(BadData, match=r"nodes-cora\.jsonl, line 2"):
        results.read("nodes", "cora")


def test_two_runs_cannot_write_to_one_folder(tmp_path):
    with Results(tmp_path).locked(), pytest.raises(BadData, match="another run"), Results(tmp_path).locked():
        pass


@pytest.mark.parametrize(
    ("former", "method"),
    [
        ("none", RAW_FEATURES),
        ("label_propagation", LABEL_PROPAGATION),
        ("ppr_score", PPR_SCORE),
        ("structure", StructureOnly),
    ],
)
def test_older_results_that_name_a_baseline_among_the_mechanisms_are_those_of_the_baseline(tmp_path, former, method):
    results = Results(tmp_path)
    results.append(record(0) | {"mechanism": former, "epsilon": None, "k": None})
    assert list(results.read("nodes", "cora")) == [(Cell("nodes", "cora", method), 0)]


def test_a_result_that_says_whose_features_it_has_names_the_law_and_not_the_former_baseline(tmp_path):
    results = Results(tmp_path)
    results.append(record(0) | {"mechanism": "none", "epsilon": None, "k": None, "features": "own"})
    assert list(results.read("nodes", "cora")) == [(Cell("nodes", "cora", NoPrivacy), 0)]


def test_shuffled_features_are_another_cell_than_a_person_s_own(tmp_path):
    results, shuffled = Results(tmp_path), replace(CELL, features="shuffled")
    results.append(record(0))
    results.append(record(0) | shuffled.identity() | {"accuracy": 70.0})
    found = results.read("nodes", "cora")
    assert {cell: one["accuracy"] for (cell, _), one in found.items()} == {CELL: 80.0, shuffled: 70.0}
    results.append(record(1) | {"features": "borrowed"})
    with pytest.raises(BadData, match="line 3: 'features' is not what it must be"):
        results.read("nodes", "cora")


def test_a_baseline_is_written_as_one_and_read_again(tmp_path):
    results, cell = Results(tmp_path), Cell("nodes", "cora", RAW_FEATURES)
    line = {name: value for name, value in record(0).items() if name not in ("mechanism", "epsilon", "k")}
    results.append(line | cell.identity())
    assert "mechanism" not in cell.identity()
    assert list(results.read("nodes", "cora")) == [(cell, 0)]


@pytest.mark.parametrize("named", [{"mechanism": "telepathy"}, {"baseline": "none"}])
def test_a_method_that_there_is_not_is_named_with_its_line(tmp_path, named):
    results = Results(tmp_path)
    results.append(record(0) | named)
    with pytest.raises(BadData, match=rf"nodes-cora\.jsonl, line 1: there is no \w+ '{next(iter(named.values()))}'"):
        results.read("nodes", "cora")


@pytest.mark.parametrize("path", sorted(COMMITTED.glob("[ln]*-*.jsonl")), ids=lambda path: path.stem)
def test_every_committed_result_is_counted_and_would_not_be_run_again(path):
    """The files were written before baselines had a name of their own; a run goes on from them."""
    task, dataset = path.stem.split("-")
    results = Results(COMMITTED)
    lines = path.read_text().splitlines()
    found = results.read(task, dataset)
    assert len(found) == len(lines)
    assert unfinished(results, list({cell for cell, _ in found}), 3) == []
