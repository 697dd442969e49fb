"""What can go wrong: the page says what happened and what to do, and never draws twice."""

import time
from datetime import date

import pytest

from browser.asked import held, purposes
from browser.chromium import play
from collect.service.harness import ADMIN, campaign_of, report_of, token_of
from privge.campaign import Assignment, Campaign
from privge.collect.stores import Upload
from privge.questions import Encoding, NumberFeature, Score


def store_report(served, campaign, node):
    assert served.put(report_of(campaign), token_of(node), campaign=campaign.id).status == 201


@pytest.fixture
def nothing_sent(asked):
    """Check that a refusal left nothing at the service and in the ledger."""
    given, node, store = asked

    def check(seen, *words):
        for word in words:
            assert word in seen["notice"]
        assert seen["first"] == []
        assert seen["charged"] == 0
        assert held(store, node) == []

    return given, node, check


@pytest.mark.parametrize("scenario", ["offline", "serverDown"])
def test_without_a_connection_nothing_leaves_and_the_button_sends_one_report_later(asked, scenario):
    given, node, store = asked
    seen = play(scenario, **given)
    assert {"offline": "You are offline", "serverDown": "does not answer"}[scenario] in seen["notice"]
    assert "never a second one" in seen["notice"]
    assert seen["first"] == []
    assert set(seen["puts"]) == {seen["receipt"]["bytes"]}
    assert held(store, node) == [(given["campaign"], seen["receipt"]["bytes"])]


@pytest.mark.parametrize("scenario", ["answerLost", "busy"])
def test_if_no_answer_comes_the_same_bytes_are_sent_until_one_does(asked, scenario):
    given, node, store = asked
    seen = play(scenario, **given)
    assert "does not answer" in seen["notice"]
    assert len(seen["first"]) > 1
    assert set(seen["first"]) == set(seen["puts"]) == {seen["receipt"]["bytes"]}
    assert held(store, node) == [(given["campaign"], seen["receipt"]["bytes"])]


def test_on_a_slow_network_the_page_says_so_and_ends_well(asked):
    given, node, store = asked
    seen = play("slow", **given)
    assert "Still trying" in seen["meanwhile"]
    assert "Done." in seen["end"]
    assert len(seen["puts"]) == 1
    assert held(store, node) == [(given["campaign"], seen["puts"][0])]


def test_a_token_that_the_service_does_not_accept(nothing_sent):
    given, node, check = nothing_sent
    for token in (token_of(node, expires=int(time.time()) - 10**7), token_of(node)[:-6] + "AAAAAA"):
        check(play("refused", **given | {"token": token}), "does not accept your token", "new link")


def test_a_closed_campaign(served, nothing_sent):
    given, _, check = nothing_sent
    assert served.call("POST", f"/v1/campaigns/{given['campaign']}/close", token=ADMIN).status == 200
    check(play("refused", **given), "is closed", "Nothing was sent")


def test_a_budget_that_is_spent_at_the_service(served, asked):
    given, node, store = asked
    for _ in range(2):
        other = campaign_of(purpose=next(purposes))
        served.add(other)
        store_report(served, other, node)
    seen = play("refused", **given)
    assert "reached the limit" in seen["notice"]
    assert "not taken" in seen["notice"]
    assert (seen["first"], seen["charged"]) == ([], 0)
    assert given["campaign"] not in dict(held(store, node))


def test_a_limit_of_the_persons_own(nothing_sent):
    given, _, check = nothing_sent
    check(play("ownLimit", **given), "limit that your device keeps", "Nothing was drawn or sent")


def test_a_campaign_that_asks_others(served, nothing_sent):
    given, _, check = nothing_sent
    some = campaign_of(purpose=next(purposes), assignment=Assignment.members(["somebody else"]), names=None, k=3)
    for number, content in some.assignment.shards.items():
        digest = some.assignment.digests[number]
        kind = "application/octet-stream"
        reply = served.call("PUT", f"/v1/shards/{digest}", body=content, token=ADMIN, content_type=kind)
        assert reply.status == 201
    assert served.add(some).status == 201
    check(play("refused", **given | {"campaign": some.id}), "you are not one of them")


def test_a_campaign_that_is_not_open_yet(served, nothing_sent):
    given, _, check = nothing_sent
    later = campaign_of(purpose=next(purposes), opens="2999-01-01T00:00:00Z", k=3)
    assert served.add(later).status == 201
    check(play("refused", **given | {"campaign": later.id}), "not open yet", "2999-01-01")


def test_a_report_that_was_erased_from_another_device(served, asked):
    given, node, store = asked
    campaign = store.campaign(given["campaign"]).campaign
    store_report(served, campaign, node)
    assert served.call("DELETE", "/v1/me", token=given["token"]).status == 200
    seen = play("refused", **given)
    assert "was erased, and no second one is taken" in seen["notice"]
    assert seen["first"] == []
    assert held(store, node) == [(given["campaign"], None)]


def test_a_report_from_another_device_is_taken_over(asked):
    given, node, store = asked
    campaign = store.campaign(given["campaign"]).campaign
    mine = report_of(campaign, 5)
    store.put(campaign.id, [Upload(node, mine)], day=date(2027, 1, 1))
    seen = play("wholeWay", **given, erase=False)
    assert seen["receipt"]["bytes"] == mine.hex()


def test_a_browser_that_keeps_nothing_draws_nothing(asked):
    given, node, store = asked
    seen = play("noStorage", **given)
    assert seen["blocked"]
    assert "ordinary window" in seen["notice"]
    assert not seen["enabled"]
    assert seen["puts"] == []
    assert held(store, node) == []


def test_without_a_token_the_page_asks_for_one(asked):
    given, node, _ = asked
    seen = play("noToken", **given)
    assert seen["hidden"]
    assert "This is not a token" in seen["notice"]
    assert node in seen["facts"]
    assert seen["puts"] == []


def test_a_token_for_another_campaign_is_not_shown_to_the_service(asked):
    given, node, _ = asked
    seen = play("otherToken", **given, other=token_of(node, "0" * 64))
    assert "it is for another campaign" in seen["notice"]
    assert seen["shown"] == 0


def test_an_unknown_campaign_loads_no_script(asked):
    given, _, _ = asked
    seen = play("unknown", **given)
    assert seen["status"] == 404
    assert "no such campaign" in seen["text"]
    assert not [path for path in seen["requests"] if path.endswith(".js")]


def test_a_form_for_more_values_than_a_page_can_show_is_not_drawn(served, asked):
    given, node, store = asked
    campaign = Campaign(
        dimensions=1_000_000_000, low=0, high=1, mechanism="hds", epsilon=1.0, k=3, purpose=next(purposes)
    )
    assert served.add(campaign).status == 201
    seen = play("notBegun", **given | {"campaign": campaign.id})
    assert "about 1000000000 values" in seen["notice"]
    assert "at most 10000" in seen["notice"]
    assert "Ask whoever invited you for another way" in seen["notice"]
    assert (seen["hidden"], seen["fields"], seen["puts"]) == (True, 0, [])
    assert held(store, node) == []


@pytest.mark.parametrize("instead", ["", "export const taughtOf = () => null;"], ids=["absent", "another"])
def test_without_the_module_that_a_campaign_needs_nothing_is_drawn(served, asked, instead):
    given, node, store = asked
    profile = Encoding((NumberFeature("age", 0, 100),))
    campaign = Campaign(questions=[Score(profile, [[1]], low=-9, high=9)], epsilon=2.0, k=1, purpose=next(purposes))
    assert served.add(campaign).status == 201
    seen = play("notBegun", **given | {"campaign": campaign.id, "file": "taught.js", "instead": instead})
    assert "Nothing was drawn or sent. Reload the page" in seen["notice"]
    assert "needs taught.js" in seen["notice"]
    assert (seen["hidden"], seen["puts"]) == (True, [])
    assert "/assets/taught.js" in seen["paths"]
    assert held(store, node) == []
