"""``privge campaign``: from options to a canonical document."""

import hashlib
import json

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from reliability.server import Server

GIVEN = ("--dimensions", 8, "--epsilon", 2, "--k", 3)


@pytest.fixture
def output(tmp_path):
    return tmp_path / "campaign.json"


def run(*arguments, code=0):
    result = CliRunner().invoke(main, ["campaign", *map(str, arguments)])
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
    assert "1 of 3 features: age, likes music, höhe" in run("show", output)


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "no name"), (b"a\n\nb\n", "line 2 is empty"), (b"a\n\xff\n", "no text in UTF-8")],
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
    ],
)
def test_what_breaks_a_rule_is_wrong_usage_and_writes_nothing(output, arguments, problem):
    assert problem in run("new", *arguments, "-o", output, code=2)
    assert not output.exists()


def test_the_output_must_be_a_json_file_in_a_folder_that_exists(tmp_path):
    run("new", *GIVEN, "-o", tmp_path / "campaign.txt", code=2)
    run("new", *GIVEN, "-o", tmp_path / "no" / "campaign.json", code=2)


def test_show_says_what_is_asked_and_promised(output):
    run("new", *GIVEN, "--retention", 7, "--purpose", "Shared topics", "-o", output)
    text = run("show", output)
    for fact in ("Shared topics", "3 of 8 features", "0 to 1", "2 for the whole report", "7 days after closing"):
        assert fact in text
    shown = json.loads(run("show", output, "--json"))
    assert shown["id"] == pg.Campaign.load(output).id
    assert shown["document"] == json.loads(output.read_text())


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
    assert CliRunner().invoke(main, command, env={"PRIVGE_ADMIN_TOKEN": ""}).exit_code == 2
