"""Finished repeats survive crashes and are counted only under their own settings."""

import json
from dataclasses import replace

import pytest

from privge.errors import BadData
from privge.experiments.plan import Cell, task_plan
from privge.experiments.results import Results

CELL = Cell("nodes", "cora", "hds", 1.0, 20)
SETTINGS = task_plan("nodes").datasets["cora"]


def record(repeat, settings=SETTINGS, value=80.0):
    return {
        "task": "nodes", "dataset": "cora", "mechanism": "hds", "epsilon": 1.0, "k": 20, "repeat": repeat,
        "accuracy": value, "settings": settings.to_dict(), "seconds": {"train": 1.0},
    }  # fmt: skip


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
