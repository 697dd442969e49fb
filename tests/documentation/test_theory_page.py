"""The page of the theory: its pictures are made, its table is that of the stored lines, its outputs are made."""

import json
import re

import bounds_table
import theory_pictures

PAGE = bounds_table.PAGE.read_text(encoding="utf-8")


def test_every_picture_of_the_page_is_made_and_no_other():
    made = theory_pictures.pictures()
    assert {f"theory/{name}" for name in made} == set(re.findall(r"\]\((theory/[^)]*)\)", PAGE))
    assert all(picture.rstrip().endswith(b"</svg>") for picture in made.values())


def test_the_table_is_that_of_the_stored_lines():
    assert bounds_table.written(PAGE) == PAGE
    assert len(re.findall("<!-- bounds: (?:begin|end)", PAGE)) == 2


def records():
    return [json.loads(line) for line in bounds_table.LINES.read_text(encoding="utf-8").splitlines()]


def test_the_bound_holds_as_often_as_it_says_in_every_stored_line():
    found = records()
    assert {one["network"] for one in found} == {"cora", "pubmed", "synthetic"}
    for one in found:
        assert one["checks"] >= 10_000
        assert min(one["inside"], one["inside_bernstein"]) >= 1 - one["chance"]


def test_the_bound_is_within_ten_times_what_is_seen():
    """Of bounded mechanisms for every single node, of Laplace for most."""
    for one in records():
        assert one["looseness"][0] <= 10
        assert one["looseness_bernstein"][0] <= 10
        assert one["looseness"][1] <= 10 or one["mechanism"] == "laplace"


def test_either_control_fails_on_every_network():
    for network in ("cora", "pubmed", "synthetic"):
        some = [one for one in records() if one["network"] == network]
        assert min(one["without_reach"] for one in some) < 0.5
        assert min(one["without_bias"] for one in some) < 0.5


def test_no_lines_give_no_table(tmp_path):
    assert bounds_table.table(tmp_path / "none.jsonl") == ""


def test_the_page_shows_what_each_part_of_the_command_prints():
    marked = re.findall(r"<!-- output -->\n```console\n(.*?)```", PAGE, re.DOTALL)
    for part in ("mechanisms", "paper", "nodes"):
        assert any(f"$ privge analyse {part}" in block for block in marked)
