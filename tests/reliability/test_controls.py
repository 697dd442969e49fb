"""The suites find a service that breaks its promises; otherwise their praise would be worth nothing."""

from pathlib import Path

import pytest

from reliability.crashes import kill_on_sqlite
from reliability.erasing import erase_under_load
from reliability.fuzz import MARK, find_marks
from reliability.siege import besiege, idle_singles
from reliability.table import NotPossible, Row, Scenario, write

LIAR = str(Path(__file__).with_name("lying_server.py"))


def test_kills_find_a_service_that_acknowledges_too_early(tmp_path):
    result = kill_on_sqlite(tmp_path, kills=1, people=2_000, program=(LIAR, "--early"))
    assert result.lost > 0
    assert not result.safe


def test_the_search_finds_erased_bytes_that_were_left_in_the_log(tmp_path):
    result = erase_under_load(tmp_path, people=60, kills=0, program=(LIAR, "--leave"))
    assert result.found > 0
    assert not result.kept


@pytest.mark.alone
def test_a_siege_finds_a_service_that_gives_a_place_to_who_only_comes(tmp_path):
    result = besiege(tmp_path, idle_singles, rounds=1, reports=300, program=(LIAR, "--greedy"))
    assert result.singles[503] > 0
    assert not result.polite
    assert not result.kept


def test_the_search_finds_bytes_of_a_body_in_a_log(tmp_path):
    (tmp_path / "log").write_bytes(b"a body: " + MARK)
    (tmp_path / "reports.db").write_bytes(b"nothing")
    assert find_marks(tmp_path) == ["log"]


def test_a_scenario_that_breaks_is_a_promise_not_kept(tmp_path, capsys):
    def measure(_):
        raise RuntimeError("broken")

    row = Scenario("a promise", "a target", measure).run(tmp_path)
    assert (row.kept, row.measured) == (False, "RuntimeError: broken")
    assert "RuntimeError" in capsys.readouterr().err


def test_a_scenario_that_is_not_possible_here_is_neither_kept_nor_missed(tmp_path):
    def measure(_):
        raise NotPossible("no disk of our own")

    assert Scenario("a promise", "a target", measure).run(tmp_path).kept is None


def test_the_table_replaces_only_its_own_block(tmp_path):
    page = tmp_path / "page.md"
    begin = "<!-- load: begin, written by python -m reliability.load --markdown -->"
    page.write_text(f"before\n{begin}\nold\n<!-- load: end -->\nafter\n")
    write(page, "load", [Row("a promise", "a target", "a figure", kept=False)])
    text = page.read_text()
    assert "old" not in text
    assert "| a promise | a target | a figure | **no** |" in text
    assert text.startswith(f"before\n{begin}\n")
    assert text.endswith("<!-- load: end -->\nafter\n")
