"""``privge explain``: text, JSON, page and assessment."""

import json

import pytest
from click.testing import CliRunner

import privge as pg
from privge.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["explain", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def campaign(tmp_path):
    made = pg.Campaign(dimensions=9, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, levels=17, purpose="groups")
    made.save(tmp_path / "campaign.json")
    return tmp_path / "campaign.json"


def test_it_says_the_odds_and_what_a_person_is_asked(campaign):
    result = run(campaign, "--node", "alice")
    assert result.exit_code == 0
    assert "at most 73.1 % sure" in result.stdout
    places = pg.Campaign.load(campaign).indices_of("alice")
    assert f"alice is asked: feature {places[0]}, " in result.stdout


def test_json_holds_everything(campaign):
    found = json.loads(run(campaign, "--json").stdout)
    assert found["sure"] == "73.1 %"
    assert set(found["consent"]) == {"sentence", "paragraph", "page"}


def test_a_page_and_an_assessment_are_written(campaign, tmp_path):
    assert run(campaign, "-o", tmp_path / "page.html").exit_code == 0
    assert "<svg" in (tmp_path / "page.html").read_text()
    assert run(campaign, "--assessment", "-o", tmp_path / "assessment.md").exit_code == 0
    assert (tmp_path / "assessment.md").read_text().startswith("# Data protection impact assessment")


def test_wrong_usage_and_bad_data_have_their_exit_codes(campaign, tmp_path):
    assert run(campaign, "--store", "x.db").exit_code == 2
    assert run(campaign, "-o", tmp_path / "page.txt").exit_code == 2
    assert run(tmp_path / "none.json").exit_code == 3
