"""``privge campaign``: from options to a canonical document."""

import hashlib
import json
import re

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.collect.stores import open_store
from privge.testing.store_contract import campaign_of
from reliability.server import Server

FAR = "2999-01-01T00:00:00Z"
GIVEN = ("--dimensions", 8, "--epsilon", 2, "--k", 3)


@pytest.fixture
def output(tmp_path):
    return tmp_path / "campaign.json"


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main, ["campaign", *map(str, arguments)], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def test_new_writes_the_canonical_document_and_prints_its_hash(output):
    text = run(
        "new", *GIVEN, "--low", -1, "--high", 4, "--mechanism", "laplace", "--purpose", "Why", "--retention", 30,
        "--opens", "2027-01-01T00:00:00Z", "--closes", "2027-03-01T01:00:00+01:00", "-o", output,
    )  # fmt: skip
    made = pg.Campaign.load(output)
    assert made == pg.Campaign(
        dimensions=8, low=-1, high=4, mechanism="laplace", epsilon=2.0, k=3, purpose="Why", retention_days=30,
        opens="2027-01-01T00:00:00Z", closes="2027-03-01T00:00:00Z",
    )  # fmt: skip
    assert hashlib.sha256(output.read_bytes()).hexdigest() == made.id
    assert made.id in text


def test_feature_names_come_from_a_file(output, tmp_path):
    (tmp_path / "names.txt").write_text("age\n  likes music \nhöhe\n", encoding="utf-8")
    run("new", "--names-file", tmp_path / "names.txt", "--epsilon", 1, "-o", output)
    assert pg.Campaign.load(output).names == ("age", "likes music", "höhe")
    assert "1 of 3 features" in run("show", output)


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "no name"), (b"a\n\nb\n", "line 2 is empty"), (b"a\n\xff\n", "not text in UTF-8")],
)
def test_a_bad_file_of_names_is_refused_with_the_place(output, tmp_path, content, problem):
    (tmp_path / "names.txt").write_bytes(content)
    text = run("new", "--names-file", tmp_path / "names.txt", "--epsilon", 1, "-o", output, code=3)
    assert "names.txt" in text
    assert problem in text
    assert not output.exists()


def test_names_that_are_used_twice_are_refused(output, tmp_path):
    (tmp_path / "names.txt").write_text("a\na\n", encoding="utf-8")
    assert "names[1]" in run("new", "--names-file", tmp_path / "names.txt", "--epsilon", 1, "-o", output, code=2)


def test_a_campaign_written_by_hand_becomes_canonical(output, tmp_path):
    source = tmp_path / "campaign.toml"
    source.write_text('dimensions = 8\nlow = 0\nhigh = 1\nmechanism = "hds"\nepsilon = 1.0\n', encoding="utf-8")
    run("new", "--from", source, "-o", output)
    assert pg.Campaign.load(output) == pg.Campaign.load(source)
    assert "--epsilon has no effect" in run("new", "--from", source, "--epsilon", 2, "-o", output, code=2)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--epsilon", 1), "either --dimensions or --names-file"),
        (("--dimensions", 4), "epsilon"),
        (("--dimensions", 4, "--epsilon", 0), "'epsilon'"),
        (("--dimensions", 4, "--epsilon", "nan"), "'epsilon'"),
        (("--dimensions", 4, "--epsilon", 1, "--k", 5), "'k'"),
        (("--dimensions", 4, "--epsilon", 1, "--low", 1), "'low'"),
        (("--dimensions", 4, "--epsilon", 1, "--opens", "yesterday"), "'opens'"),
        (("--dimensions", 4, "--epsilon", 1, "--closes", "2027-01-01T00:00:00"), "'closes'"),
        (("--dimensions", 4, "--epsilon", 1, "--retention", -1), "--retention"),
        (("--dimensions", 4, "--epsilon", 1, "--retention", 30), "'closes': is missing"),
        (
            ("--dimensions", 4, "--epsilon", 1, "--closes", "2026-01-01T00:00:00Z"),
            "'closes': 2026-01-01T00:00:00Z is in",
        ),
    ],
)
def test_what_breaks_a_rule_is_wrong_usage_and_writes_nothing(output, arguments, problem):
    assert problem in run("new", *arguments, "-o", output, code=2)
    assert not output.exists()


def test_the_output_must_be_a_json_file_in_a_folder_that_exists(tmp_path):
    run("new", *GIVEN, "-o", tmp_path / "campaign.txt", code=2)
    run("new", *GIVEN, "-o", tmp_path / "no" / "campaign.json", code=2)


def test_a_file_that_is_over_or_would_never_end_makes_no_campaign(output, tmp_path):
    source = tmp_path / "campaign.toml"
    text = 'dimensions = 8\nlow = 0\nhigh = 1\nmechanism = "hds"\nepsilon = 1.0\n'
    for more in ("retention_days = 90\n", "closes = 2026-01-01T00:00:00Z\n"):
        source.write_text(text + more, encoding="utf-8")
        assert "campaign.toml: campaign field 'closes'" in run("new", "--from", source, "-o", output, code=3)
        assert not output.exists()


def test_a_feature_called_id_is_refused_because_no_table_could_hold_it(output, tmp_path):
    (tmp_path / "names.txt").write_text("age\nid\n", encoding="utf-8")
    said = run("new", "--names-file", tmp_path / "names.txt", "--epsilon", 1, "-o", output, code=2)
    assert "campaign field 'names': 'id' is what the column of node ids is called" in said


def test_show_says_what_is_asked_and_promised(output):
    run("new", *GIVEN, "--closes", FAR, "--retention", 7, "--purpose", "Shared topics", "-o", output)
    text = run("show", output)
    for fact in (
        "Shared topics", "3 of 8 features", "2 for the whole report, 0.667 for each", "7 days after closing",
        "at most 66.1 % by one feature of it, at most 88.1 % sure of it by the whole report",
        "outside its bounds: counted as the nearer bound", "missing: counted as the middle",
    ):  # fmt: skip
        assert fact in text
    assert re.search(r"^all 8 +0 +1$", text, re.MULTILINE)
    shown = json.loads(run("show", output, "--json"))
    assert shown["id"] == pg.Campaign.load(output).id
    assert shown["document"] == json.loads(output.read_text())
    assert shown["epsilon_each"] == pytest.approx(2 / 3)


def test_a_control_has_no_number_that_machines_could_misread(output):
    pg.Campaign(dimensions=8, low=0, high=1, mechanism="none").save(output)
    assert "everything: there is no privacy" in run("show", output)
    result = CliRunner().invoke(main, ["campaign", "show", str(output), "--json"])
    shown = json.loads(result.stdout, parse_constant=pytest.fail)
    assert shown["epsilon_each"] is shown["realised_epsilon"] is None


def test_show_lists_every_feature_with_its_own_bounds(output):
    names = [f"minutes of hour {hour}" for hour in range(30)]
    pg.Campaign(
        dimensions=30, names=names, low=0, high=[13.0, *[1440.0] * 28, 0.5], mechanism="hds", epsilon=1.0
    ).save(output)  # fmt: skip
    lines = run("show", output).splitlines()
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["feature", "low", "high"]
    assert [line[:18].strip() for line in table[1:]] == names
    assert [line.split()[-2:] for line in (table[1], table[2], table[-1])] == [["0", "13"], ["0", "1440"], ["0", "0.5"]]
    assert "by one feature" not in "".join(lines)  # the report is one feature


def test_a_campaign_cannot_steer_the_terminal(output):
    pg.Campaign(
        dimensions=1, names=["a\x1b[2Jb"], low=0, high=1, mechanism="hds", epsilon=1.0, purpose="x\r\u202ey"
    ).save(output)
    text = run("show", output)
    assert "a\\x1b[2Jb" in text
    assert not set(text) & {"\x1b", "\r", "\u202e"}


@pytest.mark.parametrize(("epsilon", "warned"), [(5, False), (5.5, True)])
def test_an_epsilon_above_5_is_warned_of_wherever_it_is_approved(output, epsilon, warned):
    for arguments in (("new", "--dimensions", 8, "--epsilon", epsilon, "-o", output), ("show", output)):
        assert ("Warning: epsilon 5.5 promises little" in run(*arguments)) == warned
    assert ("99.59 %" in run("show", output)) == warned


def test_a_campaign_that_no_device_answers_is_warned_of_and_not_sent(output):
    assert "Warning: with missing = 'refuse'" in run("new", *GIVEN, "--missing", "refuse", "-o", output)
    assert "no device answers" in run("show", output)
    assert "no device answers" in run("publish", output, "--service", "http://127.0.0.1:9", code=1)
    run("new", *GIVEN, "--levels", 2, "--missing", "low", "--mechanism", "multibit", "-o", output)
    assert "missing: counted as the lower bound" in run("show", output)


def test_show_says_when_the_retention_of_an_older_document_would_never_begin(output):
    pg.Campaign(dimensions=8, low=0, high=1, mechanism="hds", epsilon=1.0, retention_days=9).save(output)
    assert "Warning: its reports are to be deleted some days after closing" in run("show", output)


def test_show_refuses_what_is_no_campaign_by_name(output, tmp_path):
    assert "no such file" in run("show", tmp_path / "nothing.json", code=3)
    output.write_text("{}", encoding="utf-8")
    assert "campaign.json" in run("show", output, code=3)
    run("new", *GIVEN, "-o", output)
    output.write_text(output.read_text().replace('"epsilon":2', '"epsilon":1'), encoding="utf-8")
    assert "law" in run("show", output, code=3)


def test_a_campaign_is_published_once_and_its_address_printed(tmp_path):
    (tmp_path / "server").mkdir()
    document = tmp_path / "c.json"
    campaign = pg.Campaign(dimensions=7, low=0, high=1, mechanism="hds", epsilon=1.0, k=2, purpose="to be published")
    campaign.save(document)
    with Server(tmp_path / "server") as server:
        origin = f"http://127.0.0.1:{server.port}"
        command = ["campaign", "publish", str(document), "--service", origin]
        secret = ["--admin-token-file", str(tmp_path / "server" / "admin")]
        for _ in range(2):
            result = CliRunner().invoke(main, [*command, *secret])
            assert result.exit_code == 0, result.output
            assert result.stdout == f"{origin}/v1/campaigns/{campaign.id}\n"
        assert server.status(f"/v1/campaigns/{campaign.id}") == 200
        refused = CliRunner().invoke(main, command, env={"PRIVGE_ADMIN_TOKEN": "s" * 44})
        assert refused.exit_code == 1
        assert "the service refuses the campaign with 401" in refused.output
        assert "s" * 44 not in refused.output
        dear = tmp_path / "dear.json"
        pg.Campaign(dimensions=7, low=0, high=1, mechanism="hds", epsilon=6.5).save(dear)
        refused = CliRunner().invoke(main, ["campaign", "publish", str(dear), *command[3:], *secret])
        assert refused.exit_code == 1
        assert "Warning: epsilon 6.5 promises little" in refused.stderr
        assert "6.5 is more than the 6 that a node may spend" in refused.stderr
    assert CliRunner().invoke(main, command, env={"PRIVGE_ADMIN_TOKEN": ""}).exit_code == 2


def test_a_campaign_that_is_over_is_not_even_sent(output):
    pg.Campaign(dimensions=7, low=0, high=1, mechanism="hds", epsilon=1.0, closes="2026-01-01T00:00:00Z").save(output)
    refused = run("publish", output, "--service", "http://127.0.0.1:9", code=3)
    assert "campaign.json: campaign field 'closes': 2026-01-01T00:00:00Z is in the past" in refused


def test_a_campaign_is_closed_through_its_service_and_the_log_says_by_whom(tmp_path):
    (tmp_path / "server").mkdir()
    with Server(tmp_path / "server") as server:
        campaign = server.campaign.id
        origin, secret = f"http://127.0.0.1:{server.port}", tmp_path / "server" / "admin"
        command = ("close", campaign, "--service", origin, "--admin-token-file", secret, "--as", "erin")
        assert run(*command) == f"Campaign {campaign} is closed\n"
        run(*command)
        assert "all 64 digits" in run("close", campaign[:12], *command[2:], code=2)
        assert "with 404: There is no such campaign" in run("close", "0" * 64, *command[2:], code=1)
        assert "with 401" in run(*command[:4], code=1, env={"PRIVGE_ADMIN_TOKEN": "s" * 44})
        store = open_store(server.store)
        assert not store.campaign(campaign).open
        assert [(act.by, act.campaign) for act in store.log() if act.kind == "closed"] == [
            ("erin (operator)", campaign)
        ]
        store.close()


def test_a_campaign_is_closed_in_its_store_by_the_first_digits_of_its_id(tmp_path):
    path = tmp_path / "store.db"
    store, campaign = open_store(str(path)), campaign_of()
    store.add_campaign(campaign)
    assert f"Campaign {campaign.id} is closed" in run("close", campaign.id[:6], "--store", path)
    assert "was closed before" in run("close", campaign.id, env={"PRIVGE_STORE": str(path)})
    assert not store.campaign(campaign.id).open
    assert [act.kind for act in store.log()] == ["made", "published", "closed"]
    store.close()
    run("close", "0" * 64, "--store", path, code=3)
    run("close", campaign.id, "--store", path, "--service", "https://example.org", code=2)
    run("close", campaign.id, env={"PRIVGE_STORE": ""}, code=2)
    run("close", "", "--store", path, code=2)


def test_a_campaign_for_certain_people_has_its_shards_beside_it(output, tmp_path):
    members = tmp_path / "teachers.csv"
    members.write_text("id,label\nann,1\nben,0\n007,1\n", encoding="utf-8")
    run("new", *GIVEN, "--members", members, "--round", "spring", "-o", output)
    campaign = pg.Campaign.load(output)
    assert (campaign.round, campaign.assignment.nodes) == ("spring", 3)
    assert [node in campaign.assignment for node in ("ann", "007", "7", "eve")] == [True, True, False, False]
    assert sorted(path.name for path in output.with_suffix(".shards").iterdir()) == list(campaign.assignment.digests)
    said = run("show", output)
    assert "3 people" in said
    assert "spring: a person answers one campaign of it" in said
    assert "who is asked" in run("new", "--from", output, "--members", members, "-o", tmp_path / "c.json", code=2)


def test_a_campaign_without_its_shards_is_not_even_sent(output, tmp_path):
    members = tmp_path / "teachers.csv"
    members.write_text("id\nann\n", encoding="utf-8")
    run("new", *GIVEN, "--members", members, "-o", output)
    for shard in output.with_suffix(".shards").iterdir():
        shard.unlink()
    refused = run("publish", output, "--service", "http://127.0.0.1:9", "--admin-token-file", members, code=3)
    assert "campaign.shards: 1 of the 1 shards are not there" in refused


def test_a_shard_that_was_changed_is_refused_by_the_name_of_its_campaign(output, tmp_path):
    members = tmp_path / "teachers.csv"
    members.write_text("id\nann\n", encoding="utf-8")
    run("new", *GIVEN, "--members", members, "-o", output)
    for shard in output.with_suffix(".shards").iterdir():
        shard.write_bytes(bytes(16))
    assert "campaign.json: shard 0 is not the one" in run("show", output, code=3)
