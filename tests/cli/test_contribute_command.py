import json
import socket

import pytest
from click.testing import CliRunner

from device.fake_service import serving, token_for
from privge import Campaign
from privge.cli import main

SECRET = 0.987654321


@pytest.fixture
def service():
    with serving() as service:
        yield service


@pytest.fixture
def url(service):
    names = ["age", "height"]
    return service.add(Campaign(dimensions=2, names=names, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33))


@pytest.fixture
def run(tmp_path, monkeypatch, url):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PRIVGE_TOKEN", token_for("alice"))
    (tmp_path / "me.json").write_text(json.dumps({"age": SECRET, "height": SECRET}))

    def call(*arguments, url=url, features=tmp_path / "me.json"):
        command = ["contribute", "--campaign", url, "--features", features, *arguments]
        return CliRunner().invoke(main, [str(a) for a in command])

    return call


def test_a_person_contributes_and_is_told_what_it_cost(run, tmp_path, service):
    result = run()
    assert result.exit_code == 0, result.stderr
    assert "stored" in result.stdout
    assert "drawn now, once" in result.stdout
    assert "epsilon 1 of at most 3 for a campaign; 1 of 6 spent in your life" in result.stdout
    assert str(tmp_path / "data" / "privge") in result.stdout
    again = run()
    assert "the one drawn before, never a second one" in again.stdout
    assert "it was stored already" in again.stdout
    assert len({body for *_, body in service.received}) == 1


def test_json_is_one_object(run):
    answer = json.loads(run("--json").stdout)
    assert (answer["drawn"], answer["new"], answer["epsilon"], answer["spent"]) == (True, True, 1.0, 1.0)


def test_a_token_file_takes_the_place_of_the_variable(run, tmp_path, monkeypatch, service):
    monkeypatch.delenv("PRIVGE_TOKEN")
    result = run()
    assert result.exit_code == 2
    assert "--token-file" in result.stderr
    (tmp_path / "bob.token").write_text(token_for("bob") + "\n")
    assert run("--token-file", tmp_path / "bob.token").exit_code == 0
    assert service.received[0][1] == "bob"


def test_caps_of_the_command_line_are_applied(run, service):
    result = run("--max-epsilon", "0.5")
    assert result.exit_code == 1
    assert "your cap for one campaign is 0.5; nothing was drawn" in result.stderr
    result = run("--max-epsilon", "2", "--lifetime-epsilon", "0.9")
    assert "your lifetime cap is 0.9" in result.stderr
    assert not service.received
    assert run("--lifetime-epsilon", "nan").exit_code == 2
    assert run("--lifetime-epsilon", "inf").exit_code == 2


@pytest.mark.parametrize("text", [f"[{SECRET}", f'"{SECRET}"', f"{SECRET}", f"[{SECRET}, {SECRET}, {SECRET}]"])
def test_bad_features_are_refused_without_being_repeated(run, tmp_path, text, service):
    path = tmp_path / "bad.json"
    path.write_text(text)
    result = run(features=path)
    assert result.exit_code == 3
    assert result.stderr.startswith("Error: ")
    assert str(SECRET) not in result.output
    assert not service.received
    assert run().exit_code == 0  # nothing was spent


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'["{SECRET}", "{SECRET}"]', "1 missing or not numbers"),
        (f'{{"age": "{SECRET}", "height": "{SECRET}"}}', "1 missing or not numbers"),
        (f'{{"{SECRET}": 1}}', "1 missing or not numbers"),
        (f'{{"age": 99{SECRET}, "height": -99{SECRET}, "{SECRET}": 2}}', "1 outside the campaign's bounds"),
        (f'{{"age": {SECRET}, "height": {SECRET}, "{SECRET}": 2}}', None),
    ],
)
def test_whatever_the_values_are_a_report_is_sent_and_only_the_person_is_told(run, tmp_path, service, text, said):
    path = tmp_path / "odd.json"
    path.write_text(text)
    result = run(features=path)
    assert result.exit_code == 0, result.stderr
    assert ("replaced by the campaign's rule (only you are told)" in result.stdout) == (said is not None)
    assert said is None or said in result.stdout
    assert len(service.received) == 1
    assert str(SECRET) not in result.output


def test_a_missing_file_is_named(run, tmp_path):
    result = run(features=tmp_path / "none.json")
    assert result.exit_code == 3
    assert "none.json: no such file" in result.stderr


def test_a_refusal_is_one_line_and_exit_code_1(run, service):
    service.faults = [410]
    result = run()
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "closed, or this report was erased" in result.stderr


@pytest.mark.parametrize(
    ("values", "counts", "words"),
    [
        ({"age": SECRET, "height": SECRET}, (0, 0), ("0 missing", "0 outside")),
        (
            {"age": 17.5, "weight": SECRET},
            (1, 1),
            ("1 missing or not numbers: height", "outside the campaign's bounds: age"),
        ),
        (["NA", -1], (1, 1), ("1 missing or not numbers: age", "1 outside the campaign's bounds: height")),
    ],
)
def test_a_check_tells_the_person_alone_what_does_not_fit(run, service, tmp_path, values, counts, words):
    Campaign(dimensions=2, names=["age", "height"], low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33).save(
        tmp_path / "c.json"
    )
    (tmp_path / "me.json").write_text(json.dumps(values))
    result = run("--check", url=str(tmp_path / "c.json"))
    assert result.exit_code == 0, result.stderr
    assert all(word in result.stdout for word in words)
    assert not any(secret in result.output for secret in (str(SECRET), "17.5", "-1"))
    answer = json.loads(run("--check", "--json", url=str(tmp_path / "c.json")).stdout)
    assert (answer["missing"], answer["outside"]) == counts
    assert not service.received
    assert not (tmp_path / "data").exists()  # no ledger, no report


def test_a_check_opens_no_connection(run, tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("a connection was opened")

    Campaign(dimensions=2, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33).save(tmp_path / "c.json")
    (tmp_path / "me.json").write_text("[0.5, 0.5]")
    monkeypatch.setattr(socket, "socket", refuse)
    assert run("--check", url=str(tmp_path / "c.json")).exit_code == 0


def test_a_check_takes_no_address(run, service):
    result = run("--check")
    assert result.exit_code == 2
    assert "contacts nobody" in result.stderr
    assert not service.received
    assert run("--check", "--max-epsilon", "2", url="c.json").exit_code == 2
