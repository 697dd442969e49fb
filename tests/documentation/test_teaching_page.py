"""What the page about teaching says of its results is what its table says."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text(encoding="utf-8")
_LIFT = re.compile(r"([+-]\d*\.\d+) ± (\d*\.\d+)")
_NULLS = slice(6, 9)  # columns: other profile, shuffled labels, shuffled features


def _said():
    before, rest = PAGE.split("## How well it works")[1].split("<!-- two-step: begin")
    table, after = rest.split("<!-- two-step: end -->")
    return before + after, table


def test_every_lift_of_the_text_stands_in_the_table():
    text, table = _said()
    stated = {tuple(map(float, pair)) for pair in _LIFT.findall(text)}
    assert stated
    assert stated <= {tuple(map(float, pair)) for pair in _LIFT.findall(table)}


def test_the_nulls_of_the_text_are_those_of_the_table_but_for_one():
    text, table = _said()
    rows = [line.split("|") for line in table.splitlines() if line.count("±") > 3]
    nulls = sorted(float(_LIFT.search(cell)[1]) for row in rows for cell in row[_NULLS])
    lowest, highest = map(float, re.search(r"Nulls lie between (\S+) and ([^ ,]+)", text).groups())
    assert (nulls[0], nulls[-2]) == (lowest, highest)
