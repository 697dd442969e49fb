"""Asking before drawing: every answer is the one that a report would get."""

import msgspec
import numpy as np
import pytest

from collect.service.harness import ADMIN, InProcess, campaign_of, report_of, token_of


def standing(service, token, campaign=None):
    return service.call("GET", f"/v1/campaigns/{campaign or service.campaign.id}/me", token=token)


def ask(service, tokens, campaign=None):
    body = tokens if isinstance(tokens, bytes) else msgspec.msgpack.encode(tokens)
    path = f"/v1/campaigns/{campaign or service.campaign.id}/ask"
    return service.call("POST", path, body=body, token=token_of("proxy"), content_type="application/msgpack")


@pytest.fixture
def crowd(tmp_path):
    """Nodes of every kind: new, held, erased, and without budget."""
    with InProcess(tmp_path, lifetime_epsilon=1.5) as service:
        other = campaign_of(purpose="another")
        service.store.add_campaign(other)
        service.put(report_of(service.campaign), token_of("held"))
        service.put(report_of(service.campaign), token_of("gone"))
        service.call("DELETE", "/v1/me", token=token_of("gone"))
        service.put(report_of(other), token_of("spent"), campaign=other.id)
        yield service


def test_a_person_learns_before_drawing_that_a_report_would_be_stored(service):
    reply = standing(service, token_of())
    assert (reply.status, reply.json) == (200, {"reason": "open", "codes": None})
    assert reply.headers["cache-control"] == "no-store"


def test_a_person_gets_the_report_that_is_held(service):
    report = report_of(service.campaign)
    service.put(report, token_of())
    assert standing(service, token_of()).json == {"reason": "held", "codes": np.frombuffer(report, "<u2").tolist()}


@pytest.mark.parametrize(
    ("node", "status", "reason"), [("gone", 410, "erased"), ("spent", 403, "over_budget"), ("held", 200, None)]
)
def test_asking_is_answered_as_a_report_would_be(crowd, node, status, reason):
    asked = standing(crowd, token_of(node))
    assert asked.status == status
    if reason is not None:
        assert asked.reason == reason == crowd.put(report_of(crowd.campaign, 5), token_of(node)).reason


def test_a_campaign_that_was_closed_by_hand_says_so_before_anything_is_drawn(crowd):
    crowd.call("POST", f"/v1/campaigns/{crowd.campaign.id}/close", token=ADMIN)
    assert standing(crowd, token_of("new")).reason == "closed"
    assert standing(crowd, token_of("held")).status == 200
    assert [each["reason"] for each in ask(crowd, [token_of("new"), token_of("held")]).json] == ["closed", "held"]


def test_a_campaign_whose_time_has_not_come_or_is_over_says_so(tmp_path):
    campaign = campaign_of(opens="2027-01-01T00:00:00Z", closes="2027-02-01T00:00:00Z")
    with InProcess(tmp_path, campaign=campaign, now=1.79e9) as service:
        token = token_of(expires=2 * 10**9)
        assert standing(service, token).reason == "not_open_yet"
        service.now = 1.81e9
        assert standing(service, token).reason == "closed"


def test_a_batch_of_tokens_is_answered_one_by_one(crowd):
    tokens = [token_of("new"), token_of("held"), token_of("gone"), token_of("spent"), "nonsense", token_of("new")]
    reply = ask(crowd, tokens)
    assert [(each["status"], each["reason"]) for each in reply.json] == [
        (200, "open"), (200, "held"), (410, "erased"), (403, "over_budget"), (401, "unauthorized"), (200, "open"),
    ]  # fmt: skip


def test_a_token_of_another_campaign_learns_nothing(service):
    assert standing(service, token_of(campaign="0" * 64)).status == 401
    assert standing(service, "nonsense").status == 401
    assert standing(service, token_of(), campaign="0" * 64).status == 404


@pytest.mark.parametrize("body", [b"", b"\xc1", msgspec.msgpack.encode([1]), msgspec.msgpack.encode(["a"] * 5_001)])
def test_what_is_no_batch_of_tokens_is_refused(service, body):
    assert ask(service, body).status in (400, 422)
