"""The tables of the structural channel are those that the stored lines give, each number beside its controls."""

import json
import re

import pytest
import structure_table


def test_the_page_has_the_tables_of_the_stored_runs():
    page = structure_table.PAGE.read_text(encoding="utf-8")
    assert structure_table.written(page) == page
    assert len(re.findall("<!-- structure: (?:begin|end)", page)) == 2


def test_every_row_stands_beside_its_controls():
    for table, controls in zip(
        structure_table.tables().split("\n\n"), (["majority class"], ["PageRank", "isolated end alone"]), strict=True
    ):
        head, _, *rows = table.strip().splitlines()
        assert {*controls, "no privacy"} <= {cell.strip() for cell in head.split("|")}
        assert len(rows) >= 4
        assert all(row.count("|") == head.count("|") for row in rows)


def test_no_lines_give_no_table(tmp_path):
    assert structure_table.tables(tmp_path / "structure.jsonl") == ""


def test_a_row_is_the_mean_and_its_standard_error(tmp_path):
    scores = [(80.0, 70.0, 50.0), (84.0, 72.0, 50.0)]
    names = ("accuracy", "label_propagation", "majority")
    lines = [
        {"dataset": "demo", "task": "nodes", "split": split, **dict(zip(names, values, strict=True))}
        for split, values in enumerate(scores)
    ]
    (tmp_path / "structure.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    row = structure_table.tables(tmp_path / "structure.jsonl").splitlines()[-1]
    assert row.split(" | ")[1:4] == ["82.00 ± 2.00 (2 splits)", "71.00 ± 1.00 (2 splits)", "50.00 ± 0.00 (2 splits)"]


@pytest.mark.parametrize("column", ["auc", "ppr", "auc_without_isolated", "ppr_without_isolated", "isolated_flag"])
def test_stored_lines_of_links_have_every_control(column):
    lines = [json.loads(line) for line in structure_table.LINES.read_text(encoding="utf-8").splitlines()]
    links = [line for line in lines if line["task"] == "links"]
    assert len({(line["dataset"], line["split"]) for line in links}) == len(links) >= 24
    assert all(0 < line[column] < 100 for line in links)
