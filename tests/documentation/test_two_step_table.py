"""The table of teach, then ask is the one that the raw lines give."""

import two_step_table


def test_the_page_has_the_table_of_the_stored_runs():
    page = two_step_table.PAGE.read_text(encoding="utf-8")
    assert two_step_table.written(page) == page


def test_every_row_stands_beside_its_controls():
    lines = two_step_table.table().splitlines()
    assert "other profile" in lines[0]
    assert len(lines) > 2
    assert all(line.count("|") == lines[0].count("|") for line in lines)
