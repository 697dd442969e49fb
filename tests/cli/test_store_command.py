"""``privge store``: what an operator types."""

import json
import os
import pwd
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import numpy as np
import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.collect.stores import Upload, open_store
from privge.testing.store_contract import DAY, campaign_of, codes, held


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def campaign(path):
    """A campaign with three reports in a store."""
    campaign = campaign_of("Shared topics", closes="2020-01-01T00:00:00Z", retention_days=1)
    store = open_store(str(path))
    store.add_campaign(campaign)
    store.put(campaign.id, [Upload(node, codes(1, 2, 3)) for node in ("alice", "bob", 17)], day=DAY)
    store.close()
    return campaign


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main, ["store", *map(str, arguments)], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def reports(path, campaign):
    store = open_store(str(path))
    found = held(store, campaign)
    store.close()
    return found


@pytest.mark.usefixtures("campaign")
def test_stats_shows_counts_and_size(path):
    text = run("stats", "--store", path)
    assert "open" in text
    assert "3 reports" in text
    assert "Shared topics" in text
    assert "alice" not in text


def test_stats_are_for_machines_too(path, campaign):
    shown = json.loads(run("stats", "--store", f"sqlite:///{path}", "--json"))
    assert shown["bytes"] >= path.stat().st_size
    (row,) = shown["campaigns"]
    assert (row["campaign"], row["reports"], row["erased"], row["open"]) == (campaign.id, 3, 0, True)


@pytest.mark.usefixtures("campaign")
def test_the_store_may_be_named_in_the_environment(path):
    assert "3 reports" in run("stats", env={"PRIVGE_STORE": str(path)})


@pytest.mark.parametrize("command", ["stats", "verify", "retire", "log"])
def test_a_store_that_is_not_there_is_named_and_not_made(path, command):
    assert "store.db: no such store" in run(command, "--store", path, code=3)
    assert not path.exists()


@pytest.mark.usefixtures("campaign")
def test_verify_finds_nothing_wrong_in_a_good_store(path):
    assert "Everything is as it must be" in run("verify", "--store", path, "--lifetime-epsilon", 1)


@pytest.mark.usefixtures("campaign")
def test_verify_says_what_is_wrong_with_exit_code_3(path):
    assert "3 nodes have spent more than 0.5" in run("verify", "--store", path, "--lifetime-epsilon", 0.5, code=3)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE reports SET codes = x'00' WHERE sequence = 2")
    text = run("verify", "--store", path, code=3)
    assert "1 reports have codes of a wrong length" in text
    assert "bob" not in text


def test_verify_says_what_share_the_law_cannot_explain(path):
    campaign = pg.Campaign(dimensions=6, low=0, high=1, mechanism="laplace", epsilon=1.0, levels=65)
    drawn = campaign.simulate(np.random.default_rng(0).random((1000, 6)), seed=0)
    sent = drawn.codes.copy()
    store = open_store(str(path))
    store.add_campaign(campaign)
    for rows, liars in ((range(900), []), (range(900, 1000), range(900, 1000))):
        sent[liars] = campaign.law.outputs - 1
        store.put(campaign.id, [Upload(f"n{i}", sent[i].astype("<u2").tobytes()) for i in rows], day=DAY)
        text = run("verify", "--store", path, "--json", code=3 if liars else 0)
        (found,) = json.loads(text)["unexplained"]
        assert 0.95 * len(liars) <= found["false"] <= len(liars)
    store.close()
    text = run("verify", "--store", path, code=3)
    assert re.search(r"at least \d\d of 1,000 reports \(9\.\d%\) are false: its law does not give", text)


def test_verify_warns_of_a_campaign_whose_retention_never_begins(path):
    store, campaign = open_store(str(path)), campaign_of(retention_days=5)
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        values = (1, campaign.id, campaign.to_json(), 1.0)
        connection.execute("INSERT INTO campaigns (number, id, document, epsilon) VALUES (?, ?, ?, ?)", values)
    assert f"Warning: campaign {campaign.id[:12]}: its reports are to be" in run("verify", "--store", path)
    CliRunner().invoke(main, ["campaign", "close", campaign.id, "--store", str(path)])
    assert "Warning" not in run("verify", "--store", path)


@pytest.mark.parametrize("cap", ["nan", "inf", "0", "-1", "x"])
@pytest.mark.usefixtures("campaign")
def test_a_cap_that_is_none_is_wrong_usage(path, cap):
    run("verify", "--store", path, "--lifetime-epsilon", cap, code=2)


def test_backup_makes_a_copy_and_replaces_nothing(path, campaign, tmp_path):
    copy = tmp_path / "copy.db"
    run("backup", "--store", path, "-o", copy)
    assert len(reports(copy, campaign)) == 3
    assert "there is a file already" in run("backup", "--store", path, "-o", copy, code=3)
    assert "there is no folder" in run("backup", "--store", path, "-o", tmp_path / "no" / "copy.db", code=2)


def test_migrate_makes_the_tables_once(path):
    assert "3 steps applied" in run("migrate", "--store", path)
    assert "up to date" in run("migrate", "--store", path)


def test_retire_deletes_what_is_due(path, campaign):
    assert "3 reports deleted" in run("retire", "--store", path)
    assert reports(path, campaign) == {}
    assert "0 reports deleted" in run("retire", "--store", path)


def test_erase_asks_for_the_node_and_says_what_is_stale(path, campaign):
    text = run("erase", "--store", path, input="17\n")
    assert "1 report erased" in text
    assert campaign.id[:12] in text
    assert set(reports(path, campaign)) == {"alice", "bob"}
    assert "Nothing was left to erase" in run("erase", "--store", path, "--node", "17")


def test_erase_says_that_there_is_no_such_node_and_does_not_repeat_it(path, campaign):
    for node in ("alcie", " alice"):
        text = run("erase", "--store", path, "--node", node, code=1)
        assert "no report of this node" in text
        assert node.strip() not in text
    assert len(reports(path, campaign)) == 3


def test_erase_can_be_of_one_campaign(path, campaign):
    assert "no campaigns whose id begins" in run(
        "erase", "--store", path, "--node", "bob", "--campaign", "0" * 64, code=3
    )
    assert "1 report erased" in run("erase", "--store", path, "--node", "bob", "--campaign", campaign.id[:9])


def test_the_log_shows_who_did_what_and_no_node(path, campaign):
    run("erase", "--store", path, "--node", "bob", "--as", "erin@example.org")
    run("retire", "--store", path)
    text = run("log", "--store", path)
    me = pwd.getpwuid(os.getuid()).pw_name
    assert [line.split()[1] for line in text.splitlines()] == ["made", "published", "erased", "retired"]
    assert re.search(rf"all campaigns, 1 report +erin@example.org \({me}\)$", text, re.MULTILINE)
    assert re.search(rf"{campaign.id[:12]}, 2 reports +{me}$", text, re.MULTILINE)
    assert "bob" not in text
    lines = json.loads(run("log", "--store", path, "--json"))
    assert lines[2] == {
        "number": 3, "when": datetime.now(UTC).date().isoformat(), "kind": "erased", "campaign": None, "count": 1,
        "by": f"erin@example.org ({me})",
    }  # fmt: skip
    assert (lines[3]["campaign"], lines[3]["count"]) == (campaign.id, 2)
    run("retire", "--store", path, "--as", "erin (root)", code=2)


def test_migrate_is_in_the_log_by_name(path):
    run("migrate", "--store", path, "--as", "erin")
    assert re.search(r"made +tables of version 3 +erin \(\w+\)$", run("log", "--store", path).strip())


@pytest.mark.parametrize("url", ["mysql://root:hunter2@host/db", "sqlite://store.db", "sqlite:///", ":memory:"])
def test_an_address_that_is_no_store_is_refused_without_its_password(url):
    text = run("stats", "--store", url, code=3)
    assert "hunter2" not in text
    assert "store" in text.lower()


@pytest.mark.parametrize(
    "url", ["postgresql://me:hunter2@127.0.0.1:1/x", "postgresql://127.0.0.1:1/x?password=hunter2"]
)
def test_a_password_that_everybody_can_see_is_warned_of_and_not_repeated(url):
    result = CliRunner().invoke(main, ["store", "stats", "--store", url])
    assert "everybody on this machine can see the password" in result.stderr
    assert "PRIVGE_STORE" in result.stderr
    assert "PGPASSFILE" in result.stderr
    assert "hunter2" not in result.output
    hidden = CliRunner().invoke(main, ["store", "stats"], env={"PRIVGE_STORE": url})
    assert (hidden.exit_code, result.exit_code) == (1, 1)
    assert "can see" not in hidden.stderr


@pytest.mark.parametrize("url", ["store.db", "postgresql://me@127.0.0.1:1/x"])
def test_an_address_without_a_password_is_not_warned_of(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "can see" not in CliRunner().invoke(main, ["store", "stats", "--store", url]).stderr


@pytest.mark.parametrize("node", ["", "x" * 600])
def test_an_id_that_no_store_can_hold_is_wrong_usage(tmp_path, node):
    open_store(str(tmp_path / "s.db")).close()
    result = CliRunner().invoke(main, ["store", "erase", "--store", str(tmp_path / "s.db"), "--node", node])
    assert result.exit_code == 2
    assert "a node id must" in result.stderr


@pytest.mark.parametrize(("column", "value"), [("reports", "x"), ("last", b"\xff"), ("erased", 0.5), ("is_open", "x")])
def test_a_store_that_holds_something_else_is_refused(tmp_path, column, value):
    store = open_store(str(tmp_path / "s.db"))
    store.add_campaign(campaign_of("a"))
    store.close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as database, database:
        database.execute(f"UPDATE campaigns SET {column} = ?", (value,))  # noqa: S608
    for command in (["stats"], ["erase", "--node", "a"]):
        result = CliRunner().invoke(main, ["store", *command, "--store", str(tmp_path / "s.db")])
        assert result.exit_code == 3, result.output
        assert "damaged" in result.stderr
