"""What a page says is true: of the person who looks, of what they are asked; and the documented page sends no value."""

import re

import pytest

from browser.asked import held, people
from browser.chromium import ROOT, play
from collect.service.harness import ADMIN, token_of
from privge.campaign import Assignment, Campaign
from privge.questions import Choice, ChoiceFeature, Encoding, Model, Number, NumberFeature, YesNo, YesNoFeature

AGE, MEMBER = NumberFeature("age", 0, 120), YesNoFeature("member")
CITY = ChoiceFeature("city", ("Rome", "Paris", "Oslo", "elsewhere"), otherwise="elsewhere")


@pytest.mark.parametrize("erase", [False, True])
def test_on_a_shared_phone_nobody_sees_the_receipt_of_another(asked, erase):
    given, node, store = asked
    seen = play("shared", **given, erase=erase, other=token_of(next(people)))
    assert seen["first"]["report"] not in seen["told"]
    assert "Your receipt" not in seen["told"]
    assert "You sent" not in seen["told"]
    assert "Somebody else has taken part" in seen["told"]
    assert not seen["offered"]
    assert seen["sent"] == 0
    assert held(store, node) == [(given["campaign"], None if erase else seen["first"]["bytes"])]


def one_asked(campaign, index):
    """Return somebody whom a campaign asks one thing."""
    return next(node for node in people if campaign.indices_of(node) == [index])


def test_the_range_of_numbers_is_that_of_what_this_person_is_asked(served, asked):
    given, _, _ = asked
    campaign = Campaign(questions=[Number(AGE), YesNo(MEMBER)], epsilon=1.0, k=1, purpose="ranges")
    assert served.add(campaign).status == 201
    most = campaign.questions[0].laws[0].outputs - 1
    for index, highest in enumerate((most, 1)):
        node = one_asked(campaign, index)
        seen = play("told", **given | {"campaign": campaign.id, "token": token_of(node)})
        assert f"one small number, from 0 to {highest} and drawn" in seen["lead"]
        assert "each" not in seen["lead"]
        assert "asks about 2 things, and you about one." in seen["asked"]
        assert "keeps what it drew" in seen["consent"]


def test_a_number_that_stands_for_an_answer_says_for_which(served, asked):
    given, _, _ = asked
    campaign = Campaign(questions=[YesNo(MEMBER), Choice(CITY)], epsilon=1.0, k=2, purpose="meanings")
    assert served.add(campaign).status == 201
    seen = play("told", **given | {"campaign": campaign.id})
    expected = {"member 0 stands for “no”", "member 1 stands for “yes”"}
    expected |= {f"city {code} stands for “{name}”" for code, name in enumerate(CITY.values)}
    assert {" ".join(note.split()) for note in seen["notes"]} == expected
    assert "2 small numbers, each from 0 to at most 3 and drawn" in seen["lead"]
    assert "your value: no" in seen["looked"]


def test_a_personal_question_is_shown_with_the_classes_of_this_person(served, asked):
    given, node, _ = asked
    assignment = Assignment.of([node, "somebody else"], [[1, 2, 3], [0, 1, -1]])
    question = Model(Encoding((AGE, MEMBER)), [[1, 1], [2, 1], [3, 1], [4, 1]], classes=("a", "b", "c", "d"))
    campaign = Campaign(questions=[question], epsilon=1.0, k=1, purpose="personal", assignment=assignment)
    for number, content in assignment.shards.items():
        path, kind = f"/v1/shards/{assignment.digests[number]}", "application/octet-stream"
        assert served.call("PUT", path, body=content, token=ADMIN, content_type=kind).status == 201
    assert served.add(campaign).status == 201
    seen = play("told", **given | {"campaign": campaign.id})
    assert "one of these answers: b, c, d." in seen["asked"]
    assert seen["others"] == ["b", "c", "d"]
    notes = {" ".join(note.split()) for note in seen["notes"]}
    assert notes == {f"model {code} stands for “{name}”" for code, name in enumerate("bcd")}
    assert "from 0 to 2 and drawn" in seen["lead"]
    assert seen["problems"] == []


def documented_page(url, campaign):
    """Return the example page of docs/browser.md, about a real campaign, and the client beside it."""
    text = (ROOT / "docs" / "browser.md").read_text()
    page = re.search(r"```html\n(.*?)```", text, re.DOTALL)[1].replace("https://collect.example.org", url)
    script = re.search(r"```js\n(// contribute\.js.*?)```", text, re.DOTALL)[1]
    script = re.sub(r"'https://collect[^']*'", f"'{url}/v1/campaigns/{campaign}'", script)
    client = {name: (ROOT / "src/privge/pages/assets" / name).read_text() for name in ("privge.js", "taught.js")}
    return {"page.html": page, "contribute.js": script, **client}


@pytest.fixture
def documented(served, asked):
    """The documented page about a campaign, the link of somebody who is asked, and what the store has of them."""
    given, node, store = asked
    campaign = Campaign(questions=[Number(AGE), YesNo(MEMBER)], epsilon=1.0, k=2, purpose="documented")
    assert served.add(campaign).status in (200, 201)
    world = {"url": served.url, "files": documented_page(served.url, campaign.id), "broken": False}
    return world | {"link": f"#token={given['token']}"}, campaign.id, lambda: held(store, node)


def test_the_documented_page_contributes(documented):
    given, campaign, stored = documented
    seen = play("documented", **given)
    assert seen["first"] == "Asked: age, member. Whoever thought 50:50 can be at most 73.1 % sure afterwards."
    assert seen["last"].startswith("Thank you. Receipt: ")
    assert [name for name, _ in stored()] == [campaign]
    assert not [address for address in seen["addresses"] if "age=" in address]


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"link": ""}, "token"), ({"link": "#eyJ.c2ln"}, "token"), ({"broken": True}, "404")],
    ids=["no link", "another form of link", "no campaign"],
)
def test_the_documented_page_sends_no_value_when_it_could_not_begin(documented, changes, words):
    given, _, stored = documented
    seen = play("documented", **given | changes)
    assert words in seen["first"]
    assert not [address for address in seen["addresses"] if "age=" in address]
    assert set(seen["methods"]) == {"GET"}
    assert stored() == []
