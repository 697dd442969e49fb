"""A person opens the page, edits values, contributes, sees the receipt, erases; and nobody draws twice."""

import hashlib
import json

import pytest

from browser.asked import VALUES, held, people
from browser.chromium import play
from collect.service.harness import token_of
from privge.campaign import Campaign
from privge.questions import (
    Choice,
    ChoiceFeature,
    Direction,
    Encoding,
    Model,
    Number,
    NumberFeature,
    Score,
    YesNo,
    YesNoFeature,
)


def test_the_service_holds_exactly_what_the_person_saw_and_nothing_else_left_the_page(asked):
    given, node, store = asked
    seen = play("wholeWay", **given, erase=False)
    receipt = seen["receipt"]
    assert held(store, node) == [(given["campaign"], receipt["bytes"])]
    assert hashlib.sha256(bytes.fromhex(receipt["bytes"])).hexdigest() == receipt["report"]
    codes = [code for place in range(3) for code in [bytes.fromhex(receipt["bytes"])[2 * place :][:2]]]
    assert [int.from_bytes(code, "little") for code in codes] == receipt["codes"]
    assert ", ".join(map(str, receipt["codes"])) in seen["stored"]
    assert "#" not in seen["address"]
    check_requests(given, seen)


def check_requests(given, seen):
    """All requests: where to, which way, with which body; and none of them holds a value."""
    base = f"/v1/campaigns/{given['campaign']}"
    report = f"{base}/reports/{seen['receipt']['report']}"
    api = [each for each in seen["requests"] if each["path"].startswith("/v1/")]
    assert [(each["method"], each["path"]) for each in api] == [
        ("GET", base),
        ("GET", base),
        ("GET", f"{base}/me"),
        ("PUT", report),
        ("GET", "/v1/me"),
    ]
    assert [each["body"] for each in api] == ["", "", "", seen["receipt"]["bytes"], ""]
    assert [each.partition(",")[0] for each in seen["listed"]] == [f"{each['method']} {each['path']}" for each in api]
    for each in seen["requests"]:
        assert f"http://{each['host']}" == given["url"]
        assert each["path"].startswith(("/v1/", "/assets/", f"/c/{given['campaign']}"))
        assert each["method"] == "GET" or each["path"] == report
        assert "cookie" not in each["headers"]
        if each["path"].startswith("/v1/"):
            assert not each["headers"].get("referer")
            known = each["path"] in (f"{base}/me", report, "/v1/me")
            assert ("authorization" in each["headers"]) == known
        text = json.dumps(each)
        assert not [value for value in VALUES if str(value) in text]
    assert seen["cookies"] == []
    assert seen["problems"] == []


def test_the_sandbox_draws_again_and_sends_and_keeps_nothing(asked):
    given, _, _ = asked
    seen = play("wholeWay", **given, erase=False)
    assert seen["inSandbox"] == 0
    assert seen["sandboxKept"]["prepared"] == seen["sandboxKept"]["charged"] == {}
    assert len({tuple(each) for each in seen["examples"]}) > 1
    assert seen["receipt"]["codes"] not in seen["examples"]


def test_the_values_are_what_the_answer_is_computed_from(asked):
    given, _, _ = asked
    seen = play("wholeWay", **given, erase=False)
    assert seen["looks"] == 3
    assert "left empty: 0; outside their bounds: 0" in seen["noted"]
    fewer = play("wholeWay", **given | {"token": token_of(next(people)), "values": [11]}, erase=False)
    assert "left empty: 2; outside their bounds: 1" in fewer["noted"]


def test_erasing_removes_the_bytes_and_no_second_report_is_drawn(asked):
    given, node, store = asked
    seen = play("wholeWay", **given, erase=True)
    assert held(store, node) == [(given["campaign"], None)]
    assert "Erased." in seen["held"]
    assert seen["receipt"]["bytes"] not in seen["held"]
    assert "ε = 1 of 6" in seen["spent"]
    assert not seen["canAgain"]


def test_after_a_reload_the_same_bytes_are_sent_whatever_the_values_are_now(asked):
    given, node, store = asked
    seen = play("again", **given)
    assert seen["shown"] == seen["first"]
    assert seen["puts"] == [seen["first"]["bytes"]] * 2
    assert "already" in seen["said"]
    assert held(store, node) == [(given["campaign"], seen["first"]["bytes"])]


def test_two_tabs_at_once_draw_once(asked):
    given, node, store = asked
    seen = play("twoTabs", **given)
    first, second = seen["receipts"]
    assert first == second
    assert set(seen["puts"]) == {first["bytes"]} == set(seen["charged"])
    assert held(store, node) == [(given["campaign"], first["bytes"])]


def requests_of(campaign):
    base = f"**/v1/campaigns/{campaign}"
    return [
        {"request": place, "moment": moment}
        for place in (f"{base}/me", f"{base}/reports/*")
        for moment in ("before", "after")
    ]


@pytest.mark.parametrize("order", ["requests", "backwards", "times"])
def test_a_browser_killed_at_every_step_never_draws_twice(asked, order):
    given, node, store = asked
    steps = {
        "requests": requests_of(given["campaign"]),
        "backwards": requests_of(given["campaign"])[::-1],
        "times": [0, 30, 80, 150, 250, 350],
    }[order]
    seen = play("killed", **given, steps=steps)
    bytes_seen = {each["codes"] for each in seen["seen"]}
    assert bytes_seen == {seen["receipt"]["bytes"]}
    assert held(store, node) == [(given["campaign"], seen["receipt"]["bytes"])]
    if order != "times":
        assert {"charged", "sent"} <= {each["which"] for each in seen["seen"]}


AGE, OWNS = NumberFeature("age", 0, 100), YesNoFeature("__proto__")
PLACE = ChoiceFeature("place", ("north", "=south", "east"))
PROFILE = Encoding((AGE, OWNS, PLACE))
QUESTIONS = [
    Number(AGE),
    YesNo(OWNS),
    Choice(PLACE),
    Direction(PROFILE, directions=16),
    Model(PROFILE, [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], classes=("a", "b"), normalised=True),
    Score(PROFILE, [[1, 2, 3, 4, 5]], low=-9, high=9),
]


def test_questions_of_every_kind_are_asked_and_answered(served, asked):
    given, node, store = asked
    campaign = Campaign(questions=QUESTIONS, epsilon=2.0, k=6)
    assert served.add(campaign).status == 201
    answers = {"age": 44, "__proto__": "yes", "place": "=south"}
    seen = play("questions", **given | {"campaign": campaign.id, "answers": answers, "k": 6})
    assert set(seen["offered"]) == set(answers)
    assert seen["offered"]["place"] == ["not said", "north", "=south", "east"]
    assert "left empty: 0; outside their bounds: 0" in seen["noted"]
    assert all(seen["looks"])
    assert seen["problems"] == []
    assert held(store, node) == [(campaign.id, seen["receipt"]["bytes"])]
