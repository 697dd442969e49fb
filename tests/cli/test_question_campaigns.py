"""A mixed table becomes a campaign from one TOML; commands read it and show it in words."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main
from privge.questions import YesNo, YesNoFeature

PAGE = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text(encoding="utf-8")
TOML = re.search(r"```toml\n(# mixed\.toml\n.*?)```", PAGE, re.DOTALL)[1]
PEOPLE = "id,age,minutes,country,newsletter,shoe\nann,41,12.5,fr,yes,40\nbob,,0,xx,no,41\ncec,120,300,,,42\n"


@pytest.fixture
def mixed(tmp_path):
    (tmp_path / "mixed.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_new_takes_a_mixed_table_and_show_says_it_in_words(mixed):
    run("campaign", "new", "--from", mixed / "mixed.toml", "-o", mixed / "mixed.json")
    assert pg.Campaign.load(mixed / "mixed.json") == pg.Campaign.load(mixed / "mixed.toml")
    text = run("campaign", "show", mixed / "mixed.json").stdout
    assert "each person for 1 of 5 questions" in text
    assert "country     choice     one of de, fr, it, elsewhere; missing or another: elsewhere" in text
    assert "how many of the thresholds 1, 10, 60, 240 it reaches; missing: the least" in text
    assert "question 4 (direction) is computed on the device from:" in text
    assert "outside " not in text.replace("outside:", "")  # what the short form says of values outside
    shown = json.loads(run("campaign", "show", mixed / "mixed.json", "--json").stdout)
    assert shown["realised_epsilon"] <= 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("low  = 18", "lo = 18"), "questions[0]"),
        (('kind = "yes-no"', 'kind = "mood"'), "questions[3]"),
        (("values = [", "values = 3 # ["), "questions[2]"),
        (("epsilon = 2.0", "epsilon = 2.0\nlow = 3"), "low"),
    ],
)
def test_what_is_wrong_is_named(mixed, change, problem):
    (mixed / "wrong.toml").write_text(TOML.replace(*change, 1), encoding="utf-8")
    result = run("campaign", "new", "--from", mixed / "wrong.toml", "-o", mixed / "wrong.json", code=3)
    assert problem in result.output


def test_perturb_reads_text_and_says_what_did_not_fit(mixed):
    run(
        "perturb",
        "--features",
        mixed / "people.csv",
        "--campaign",
        mixed / "mixed.toml",
        "--seed",
        1,
        "-o",
        mixed / "r.parquet",
    )
    reports = pg.Reports.from_parquet(mixed / "r.parquet")
    assert reports.ids.tolist() == ["ann", "bob", "cec"]
    assert reports.decode("unbiased").shape == (3, 12)


def test_a_person_checks_their_own_mixed_values(mixed):
    (mixed / "me.json").write_text('{"age": 130, "country": "xx", "minutes": 4}')
    run("campaign", "new", "--from", mixed / "mixed.toml", "-o", mixed / "mixed.json")
    result = run("contribute", "--check", "--campaign", mixed / "mixed.json", "--features", mixed / "me.json")
    assert "1 missing or not numbers: newsletter" in result.stdout
    assert "2 outside the campaign's bounds: age, country" in result.stdout


def test_one_question_is_not_shown_as_one_of_one(tmp_path):
    path = tmp_path / "ask.json"
    for questions, k, said in (
        (
            [YesNo(YesNoFeature("owns"))],
            1,
            ["each person one question\n", "2 for the whole report, which is one answer"],
        ),
        (
            [YesNo(YesNoFeature(name)) for name in "ab"],
            2,
            ["each person all 2 questions\n", "1 for each of its 2 answers"],
        ),
        ([YesNo(YesNoFeature(name)) for name in "abc"], 2, ["for 2 of 3 questions; which, follows from campaign"]),
    ):
        pg.Campaign(questions=questions, epsilon=2.0, k=k).save(path)
        text = run("campaign", "show", path).stdout
        assert all(words in text for words in said), text
