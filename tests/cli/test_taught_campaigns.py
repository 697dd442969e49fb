"""A campaign of a taught question is of its teachers' round, and says so where it departs from the plan."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import privge as pg
from privge.campaign import Assignment
from privge.cli import main
from privge.questions import Encoding
from privge.teaching import AskedQuestion, TaughtQuestion, Teaching


def new(folder, *options, code=0):
    arguments = ("campaign", "new", "--question", folder / "question.json", *options, "-o", folder / "ask.json")
    (folder / "ask.json").unlink(missing_ok=True)
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    assert (folder / "ask.json").exists() == (code == 0)
    return result


def made(folder):
    return pg.Campaign.load(folder / "ask.json")


def question(folder, by="reports", of_round="spring"):
    """Write a question with epsilon 2 to a file."""
    epsilon, campaign = (2.0, "0" * 64) if by == "reports" else (None, None)
    teaching = Teaching(by, 100, 50, epsilon, campaign, 0.5, of_round)
    weights = np.random.default_rng(0).normal(0, 2, (3, 4))
    taught = TaughtQuestion(Encoding.numbers(4, 0.0, 1.0), ("art", "books", "cars"), weights, np.zeros(3), teaching)
    asked = Assignment.of(["ann", "bob"], [[0, 1], [1, 2]], [[0, 3], [2, 0]])
    AskedQuestion(taught, asked, 2.0).save(folder / "question.json")
    return folder


def test_round_and_epsilon_are_those_of_the_teachers_and_of_the_plan(tmp_path):
    result = new(question(tmp_path))
    assert (made(tmp_path).round, made(tmp_path).epsilon) == ("spring", 2.0)
    assert "of the round spring, in which its teachers reported" in result.stderr
    assert "epsilon is 2, as in the plan" in result.stderr
    assert not new(tmp_path, "--round", "spring", "--epsilon", 2).stderr


def test_another_round_than_that_of_the_teachers_is_refused(tmp_path):
    result = new(question(tmp_path), "--round", "summer", code=2)
    assert "teachers reported in the round 'spring'" in result.stderr
    assert "nobody may report twice" in result.stderr


def test_teachers_without_a_round_are_remarked_on(tmp_path):
    result = new(question(tmp_path, of_round=None), "--round", "spring")
    assert "the teachers' campaign is of no round" in result.stderr
    assert made(tmp_path).round == "spring"


def test_a_panel_reported_in_no_round_and_any_will_do(tmp_path):
    assert "round" not in new(question(tmp_path, by="panel", of_round=None)).stderr
    assert made(tmp_path).round is None


def test_another_epsilon_than_that_of_the_plan_is_remarked_on(tmp_path):
    result = new(question(tmp_path), "--round", "spring", "--epsilon", 4)
    assert "chose whom to ask about what for epsilon 2, and this campaign has 4" in result.stderr
    assert made(tmp_path).epsilon == 4


@pytest.mark.parametrize("field", ["taught by", "epsilon"])
def test_a_question_that_was_edited_is_not_asked(tmp_path, field):
    path = question(tmp_path) / "question.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), field: "by nobody"}))
    result = new(tmp_path, code=3)
    assert f"{path}: the field '{field}' is not as it was written" in result.stderr
