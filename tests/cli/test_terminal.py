"""Text from elsewhere cannot steer a terminal, and what nobody foresaw is told without its message."""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import privge as pg
from privge.cli import main
from privge.cli.failures import explained
from privge.cli.terminal import drawing, harmless, harmless_streams, one_line
from privge.collect.stores import open_store

HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202e\x00evil\nError: forged\tline"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@given(st.text(st.characters()))
def test_nothing_that_a_terminal_obeys_is_left(text):
    assert all(c.isprintable() or c in "\t\n" or not OBEYED.match(c) for c in harmless(text))
    assert not OBEYED.search(harmless(text))
    assert not set(one_line(text)) & set("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    harmless(text).encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_text_that_is_harmless_stays_as_it_is(text):
    assert harmless(text) == one_line(text) == text


def test_a_stream_writes_harmless_text_and_a_progress_bar_draws_on_the_stream_itself(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="ascii"))
    original = sys.stderr
    with harmless_streams():
        assert sys.stderr is not original
        assert drawing(sys.stderr) is original
        sys.stderr.writelines(["a\x1b[2J", "é\udcff\n"])
        drawing(sys.stderr).write("\x1b[1m")
    assert sys.stderr is original
    original.flush()
    assert raw.getvalue() == "a\\x1b[2Jé\\udcff\n\x1b[1m".encode()


def campaign(purpose=HOSTILE):
    return pg.Campaign(
        dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33, purpose=purpose,
        names=[HOSTILE, "plain"],
    )  # fmt: skip


def assert_harmless(result, code=0):
    assert result.exit_code == code, result.output
    assert "evil" in result.output
    assert not OBEYED.search(result.output), repr(result.output)
    assert "\nError: forged" not in result.output


def test_ids_of_an_embedding_are_shown_harmlessly(tmp_path):
    graph = pg.Graph.from_edges([("a", HOSTILE)])
    reports = campaign("").simulate(np.zeros((2, 2)), ids=graph.ids, seed=0)
    pg.embed(graph, reports).to_parquet(tmp_path / "z.parquet")
    assert_harmless(run("similar", tmp_path / "z.parquet", "--node", "a"))
    as_json = run("similar", tmp_path / "z.parquet", "--node", "a", "--json")
    assert json.loads(as_json.stdout)["similar"][0]["node"] == HOSTILE


def test_what_a_campaign_says_is_shown_harmlessly(tmp_path):
    campaign().save(tmp_path / "c.json")
    assert_harmless(run("campaign", "show", tmp_path / "c.json"))
    store = open_store(str(tmp_path / "s.db"))
    store.add_campaign(campaign())
    store.close()
    assert_harmless(run("store", "stats", "--store", tmp_path / "s.db"))


def test_names_of_files_and_fields_are_shown_harmlessly_in_errors(tmp_path):
    assert_harmless(run("similar", tmp_path / f"{HOSTILE.replace(chr(0), '')}.parquet", "--node", "a"), 3)
    (tmp_path / "c.json").write_text(json.dumps({HOSTILE: 1}))
    assert_harmless(run("campaign", "show", tmp_path / "c.json"), 3)
    assert_harmless(run("law", "--mechanism", HOSTILE.replace("\n", " ")), 2)


class Refused(Exception):
    """Quotes what it stumbled over."""


def test_what_nobody_foresaw_is_told_by_kind_and_place_without_its_message(monkeypatch, tmp_path):
    def fail(*_):
        raise Refused("salary 61234.57")

    (tmp_path / "z.parquet").touch()
    monkeypatch.setattr("privge.embedding.embedding.Embedding.from_parquet", fail)
    result = run("similar", tmp_path / "z.parquet", "--node", "a")
    assert result.exit_code == 1
    assert re.fullmatch(r"Error: something unforeseen \(Refused at .*fail < .*\); PRIVGE_DEBUG=1 .*\n", result.stderr)
    assert "61234" not in result.stderr
    monkeypatch.setenv("PRIVGE_DEBUG", "1")
    assert isinstance(run("similar", tmp_path / "z.parquet", "--node", "a").exception, Refused)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PermissionError(13, "Permission denied", "a.csv"), "a.csv: Permission denied"),
        (OSError(28, "No space left on device"), "No space left on device; make room and run the command again"),
        (MemoryError("61234"), "there is not enough memory"),
        (ModuleNotFoundError(name="pandas"), "this command needs pandas, which is not installed: pip install pandas"),
        (pg.PrivgeError("said by us"), "said by us"),
    ],
)  # fmt: skip
def test_what_the_system_says_is_told(error, expected):
    assert explained(error) == (expected, 1)


def test_a_reader_that_goes_away_is_no_error_message():
    command = [sys.executable, "-m", "privge", "law", "--epsilon", "1", "--levels", "257", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode in {0, 1}  # as click says, which is not the same in all versions
