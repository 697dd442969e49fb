import dataclasses
import hashlib
import json
import math
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privge import Campaign
from privge.errors import BadData, InvalidCampaign
from privge.mechanisms import law_for

BASE = {"dimensions": 4, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 2}


def campaign(**changes):
    return Campaign(**{**BASE, **changes})


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("dimensions", {"dimensions": 0}),
        ("dimensions", {"dimensions": 2.0}),
        ("low", {"low": 1}),
        ("low", {"low": 2}),
        ("low", {"low": math.nan}),
        ("low", {"low": "0"}),
        ("low", {"low": [0, 0, 0]}),
        ("low", {"low": [0, 0, 3, 0]}),
        ("low[2]", {"low": [0, 0, math.nan, 0]}),
        ("high", {"high": math.inf}),
        ("mechanism", {"mechanism": "gauss"}),
        ("mechanism", {"mechanism": ["hds"]}),
        ("missing", {"missing": {}}),
        ("law", {"law": 3}),
        ("epsilon", {"epsilon": 0}),
        ("epsilon", {"epsilon": -1.0}),
        ("epsilon", {"epsilon": math.nan}),
        ("epsilon", {"epsilon": math.inf}),
        ("epsilon", {"epsilon": None}),
        ("epsilon", {"epsilon": True}),
        ("epsilon", {"mechanism": "none"}),
        ("epsilon", {"mechanism": "structure"}),
        ("epsilon", {"epsilon": 1e-14, "levels": 4097}),
        ("k", {"k": 5}),
        ("k", {"k": 0}),
        ("levels", {"levels": 1}),
        ("levels", {"levels": 5000}),
        ("names", {"names": ["a"]}),
        ("names[3]", {"names": ["a", "b", "c", "a"]}),
        ("out_of_bounds", {"out_of_bounds": "wrap"}),
        ("missing", {"missing": "clip"}),
        ("missing", {"levels": 32}),
        ("purpose", {"purpose": 3}),
        ("opens", {"opens": "soon"}),
        ("opens", {"opens": "2027-01-01T00:00:00"}),
        ("closes", {"opens": "2027-01-02T00:00:00Z", "closes": "2027-01-01T00:00:00Z"}),
        ("retention_days", {"retention_days": -1}),
        ("retention_days", {"retention_days": 2**60}),
        ("purpose", {"purpose": "\ud800"}),
        ("names[0]", {"names": ["\ud800", "b", "c", "d"]}),
        ("high", {"high": 10**400}),
        ("epsilon", {"epsilon": 10**400}),
        ("epsilon", {"epsilon": 5e-324}),
        ("k", {"dimensions": 10**6, "k": 10**6}),
        ("low", {"low": 0, "high": 5e-324}),
        ("opens", {"opens": "0001-01-01T00:00:00+14:00"}),
        ("index_rule", {"index_rule": "mine"}),
        ("law", {"law": law_for("hds", 1.0)}),
        ("law", {"law": law_for("piecewise", 0.5)}),
        ("law", {"law": law_for("hds", 0.5), "levels": 33}),
    ],
)
def test_a_wrong_field_is_refused_by_name(field, changes):
    with pytest.raises(InvalidCampaign) as refusal:
        campaign(**changes)
    assert refusal.value.field == field
    assert repr(field) in str(refusal.value)


def test_a_campaign_is_immutable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        campaign().epsilon = 10.0


def test_the_id_is_the_hash_of_the_canonical_document():
    c = campaign()
    assert c.id == hashlib.sha256(c.to_json().encode()).hexdigest()
    assert c.to_json() == json.dumps(json.loads(c.to_json()), sort_keys=True, separators=(",", ":"))


def test_the_document_is_pinned_for_other_clients():
    assert campaign().to_json() == (
        '{"closes":null,"dimensions":4,"epsilon":1,"format":"privge-campaign-1","high":1,'
        '"index_rule":"sha256-floyd","k":2,"law":{"high":6646950805052,"levels":1025,"low":4031579456866,'
        '"window":734},"low":0,"mechanism":"hds","missing":"midpoint","names":null,"opens":null,'
        '"out_of_bounds":"clip","purpose":"","retention_days":null}'
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 1.0000001},
        {"k": 3},
        {"high": 2},
        {"purpose": "x"},
        {"names": list("abcd")},
        {"levels": 33},
    ],
)
def test_any_change_changes_the_id(changes):
    assert campaign(**changes).id != campaign().id


def test_equal_bounds_for_all_features_are_one_bound():
    assert campaign(low=[0, 0, 0, 0]).id == campaign(low=0.0).id


def test_early_times_keep_their_order():
    c = campaign(opens="0999-01-01T00:00:00Z", closes="2000-01-01T00:00:00Z")
    assert Campaign.from_json(c.to_json()) == c


def test_times_are_normalised_to_utc():
    noon = datetime(2027, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert campaign(opens=noon).opens == "2027-01-01T10:00:00Z"
    assert campaign(opens="2027-01-01T12:00:00+02:00").id == campaign(opens=noon).id


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["hds", "piecewise", "multibit", "laplace"]),
    st.floats(1e-3, 20),
    st.integers(1, 6),
    st.text(max_size=20).filter(lambda text: text.isprintable()),
)
def test_a_document_is_read_back_as_the_same_campaign(mechanism, epsilon, k, purpose):
    c = Campaign(
        dimensions=6,
        low=-1.5,
        high=[1, 2, 3, 4, 5, 6],
        mechanism=mechanism,
        epsilon=epsilon,
        k=k,
        purpose=purpose,
    )
    again = Campaign.from_json(c.to_json())
    assert again == c
    assert again.id == c.id


@pytest.mark.parametrize("mechanism", ["none", "structure"])
def test_controls_are_read_back(mechanism):
    c = Campaign(dimensions=6, low=0, high=1, mechanism=mechanism)
    assert Campaign.from_json(c.to_json()) == c
    assert c.epsilon == (math.inf if mechanism == "none" else 0)
    assert c.k == (6 if mechanism == "none" else 1)


def test_a_document_whose_law_breaks_its_epsilon_is_refused():
    document = campaign().to_document()
    document["law"]["high"] += 10_000_000
    document["law"]["low"] -= 10_000_000
    with pytest.raises(InvalidCampaign, match="above epsilon"):
        Campaign.from_document(document)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("high", 1.5),
        ("high", True),
        ("low", "1"),
        ("window", 0),
        ("extra", 1),
        ("low", -5),
        ("high", 10**30),
        ("low", [1]),
    ],
)
def test_a_document_whose_law_is_no_law_is_refused(key, value):
    document = campaign().to_document()
    document["law"][key] = value
    with pytest.raises(InvalidCampaign, match="'law'"):
        Campaign.from_document(document)


@pytest.mark.parametrize("tails", [3, [10**30, 2], [2.5], list(range(140_000, 0, -2)), [], [4, 4, 2]])
def test_hostile_tails_are_refused(tails):
    document = Campaign(dimensions=1, low=0, high=1, mechanism="laplace", epsilon=1.0, levels=33).to_document()
    document["law"]["tails"] = tails
    with pytest.raises(InvalidCampaign, match="'law'"):
        Campaign.from_document(document)


def test_a_huge_k_is_checked_in_no_time():
    c = Campaign(dimensions=2**31 - 1, low=0, high=1, mechanism="multibit", epsilon=1.0, k=65_536)
    assert c.sampled.realised_epsilon <= 1


def test_a_laplace_law_that_grows_with_the_distance_is_refused():
    document = Campaign(dimensions=1, low=0, high=1, mechanism="laplace", epsilon=1.0, levels=33).to_document()
    tails = document["law"]["tails"]
    tails[3] = tails[4] + 2
    with pytest.raises(InvalidCampaign, match="must not grow"):
        Campaign.from_document(document)


TOML = """
purpose = "Which topics do our readers share?"
mechanism = "hds"
epsilon = 1.0
k = 1
opens = 2027-01-01T00:00:00Z
retention_days = 30

[[features]]
name = "age"
low = 18
high = 99

[[features]]
name = "likes music"
low = 0
high = 1
"""


def test_toml_with_named_features(tmp_path):
    path = tmp_path / "campaign.toml"
    path.write_text(TOML)
    c = Campaign.load(path)
    assert c.names == ("age", "likes music")
    assert c.low == (18.0, 0.0)
    assert c.opens == "2027-01-01T00:00:00Z"
    c.save(tmp_path / "campaign.json")
    assert Campaign.load(tmp_path / "campaign.json").id == c.id
    assert sorted(p.name for p in tmp_path.iterdir()) == ["campaign.json", "campaign.toml"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("retention_days", "retention", "retention"),
        ("low = 18", "lo = 18", "features[0].lo"),
        ("low = 18", "", "features[0].low"),
        ('name = "age"', "", "features[0].name"),
        ("low = 18", "low = nan", "low[0]"),
        ("low = 18", "low = 100", "low"),
        ('mechanism = "hds"', "", "mechanism"),
        ("k = 1", "k = 3", "k"),
        ("k = 1", "k = 1\ndimensions = 2", "dimensions"),
        ("opens = 2027-01-01T00:00:00Z", "opens = 2027-01-01", "opens"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_field(tmp_path, old, new, field):
    path = tmp_path / "campaign.toml"
    path.write_text(TOML.replace(old, new))
    with pytest.raises(BadData) as refusal:
        Campaign.load(path)
    assert str(path) in str(refusal.value)
    assert repr(field) in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"epsilon": NaN}',
        '{"epsilon": Infinity}',
        '{"epsilon": 1, "epsilon": 2}',
        '{"format": "other"}',
        b"\xff\xfe",
        "[" * 100_000,
        '{"epsilon": ' + "1" * 5000 + "}",
        '{"dimensions": 1, "low": 0, "high": 1e400, "mechanism": "hds", "epsilon": 1}',
    ],
)
def test_text_that_is_no_campaign_is_refused(text):
    with pytest.raises(BadData):
        Campaign.from_json(text)
