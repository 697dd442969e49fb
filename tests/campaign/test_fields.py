"""The fields of a campaign are stated once: options, document and approval follow from that."""

import dataclasses
import inspect

import pytest
from click.testing import CliRunner

from privge import Campaign
from privge.campaign import Assignment
from privge.campaign.campaign import FIELDS
from privge.cli import main
from privge.cli.campaign import new
from privge.cli.fields import field_option
from privge.errors import InvalidCampaign
from privge.mechanisms import law_for

BASE = {
    "dimensions": 4,
    "names": list("abcd"),
    "low": 0,
    "high": 1,
    "mechanism": "hds",
    "epsilon": 1.0,
    "k": 2,
    "levels": 33,
    "opens": "2027-01-01T00:00:00Z",
    "closes": "2028-01-01T00:00:00Z",
}
CHANGED = {
    "dimensions": {"dimensions": 5, "names": list("abcde")},
    "names": {"names": list("abce")},
    "low": {"low": -1},
    "high": {"high": [1, 1, 1, 2]},
    "mechanism": {"mechanism": "piecewise"},
    "epsilon": {"epsilon": 1.5},
    "k": {"k": 3},
    "levels": {"levels": 17},
    "law": {"law": law_for("hds", 0.25, levels=33)},
    "out_of_bounds": {"out_of_bounds": "midpoint"},
    "missing": {"missing": "high"},
    "purpose": {"purpose": "Another"},
    "opens": {"opens": None},
    "closes": {"closes": None},
    "retention_days": {"retention_days": 3},
    "assignment": {"assignment": Assignment.members(["ann", "bob"])},
    "round": {"round": "spring"},
}
ONE_VALUE = {"index_rule"}
OF_QUESTIONS = {"questions"}
LATER = {"questions", "assignment", "round"}


def shown(path, **changes):
    """What a person who approves reads, without the id, which changes with everything."""
    Campaign(**{**BASE, **changes}).save(path)
    result = CliRunner().invoke(main, ["campaign", "show", str(path)])
    assert result.exit_code == 0, result.output
    return [line for line in result.stdout.splitlines() if not line.startswith("campaign ")]


@pytest.mark.parametrize("field", sorted(FIELDS.keys() - ONE_VALUE - OF_QUESTIONS))
def test_whatever_a_document_asks_is_shown_to_the_person_who_approves_it(tmp_path, field):
    assert shown(tmp_path / "campaign.json", **CHANGED[field]) != shown(tmp_path / "campaign.json")


def test_the_command_asks_for_every_field_but_those_that_follow_from_others():
    options = {parameter.name for parameter in new.params}
    assert FIELDS.keys() - options == {"law", "index_rule", "questions", "assignment"}


def test_a_field_that_is_not_asked_for_has_no_option():
    with pytest.raises(LookupError, match="law"):
        field_option("law")


def test_a_document_has_every_field_but_the_levels_that_its_law_has():
    document = Campaign(**BASE).to_document()
    assert document.keys() == FIELDS.keys() - {"levels"} - LATER | {"format"}


def test_the_levels_are_those_of_the_law_whoever_stated_them():
    made = Campaign(**BASE)
    assert made.levels == made.law.levels == 33
    assert Campaign.from_json(made.to_json()).levels == 33


def test_a_law_that_is_a_table_of_integers_is_read_as_in_a_document():
    made = Campaign(**BASE)
    assert Campaign(**{**BASE, "law": made.law.parameters()}) == made


def test_what_the_short_form_cannot_do_without_is_named():
    parameters = inspect.signature(Campaign).parameters
    assert all(parameter.default is not parameter.empty for parameter in parameters.values())
    for name in ("dimensions", "low", "high", "mechanism"):
        with pytest.raises(InvalidCampaign, match=f"'{name}': is missing"):
            Campaign(**{field: value for field, value in BASE.items() if field != name})


def test_a_campaign_with_another_purpose_is_made_of_one_that_is_there():
    made = Campaign(**BASE)
    assert dataclasses.replace(made, purpose="Another") == Campaign(**{**BASE, "purpose": "Another"})
