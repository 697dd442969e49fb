import hashlib
import json
from datetime import UTC, datetime

import pytest

from collect.service.harness import ADMIN, InProcess, campaign_of, report_of, token_of
from privge.campaign import Campaign
from privge.collect.service.openapi import document


def test_a_campaign_is_given_byte_for_byte_so_that_its_hash_is_its_id(service):
    reply = service.call("GET", f"/v1/campaigns/{service.campaign.id}")
    assert hashlib.sha256(reply.body).hexdigest() == service.campaign.id
    assert reply.headers["content-type"] == "application/json"
    assert Campaign.from_json(reply.body) == service.campaign


def test_the_operator_adds_a_campaign_and_adding_it_again_changes_nothing(service):
    campaign = campaign_of(purpose="another")
    for _ in range(2):
        reply = service.add(campaign)
        assert (reply.status, reply.json) == (201, {"campaign": campaign.id})
        assert reply.headers["location"] == f"/v1/campaigns/{campaign.id}"
    assert [each["campaign"] for each in service.call("GET", "/v1/campaigns").json] == [
        service.campaign.id,
        campaign.id,
    ]
    assert service.put(report_of(campaign), token_of(), campaign=campaign.id).status == 201


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"closes": "2026-01-01T00:00:00Z"}, "'closes': 2026-01-01T00:00:00Z is in the past"),
        ({"closes": "2026-11-16T12:00:00Z"}, "is in the past"),
        ({"retention_days": 30}, "'closes': is missing"),
        ({"epsilon": 1.75}, "'epsilon': 1.75 is more than the 1.5"),
    ],
)
def test_a_campaign_that_nobody_could_answer_or_that_would_never_end_is_refused(tmp_path, changes, detail):
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp()
    with InProcess(tmp_path, lifetime_epsilon=1.5, now=noon) as service:
        reply = service.add(campaign_of(purpose="bad", **changes))
        assert (reply.status, reply.reason) == (422, "campaign")
        assert detail in reply.json["detail"]
        assert len(service.call("GET", "/v1/campaigns").json) == 1


def test_a_campaign_that_is_over_may_be_published_again_and_stays_over(tmp_path):
    campaign = campaign_of(closes="2026-11-16T12:00:00Z")
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp()
    with InProcess(tmp_path, now=noon - 1) as service:
        assert service.add(campaign).status == 201
        service.now = noon + 1
        assert service.add(campaign).status == 201
        assert service.put(report_of(campaign), token_of(), campaign=campaign.id).reason == "closed"


def test_what_operators_do_is_in_the_log_by_the_name_they_give(service):
    first, second = campaign_of(purpose="first"), campaign_of(purpose="second")
    service.add(first)
    service.call(
        "POST", "/v1/campaigns", body=second.to_json().encode(), token=ADMIN, content_type="application/json",
        headers=[("privge-operator", "dave@example.org")],
    )  # fmt: skip
    service.call("POST", f"/v1/campaigns/{first.id}/close", token=ADMIN, headers=[("privge-operator", "erin")])
    service.put(report_of(second), token_of(), campaign=second.id)
    service.call("DELETE", "/v1/me", token=token_of())
    assert [(act.kind, act.by, act.campaign) for act in service.store.log()[2:]] == [
        ("published", "operator", first.id),
        ("published", "dave@example.org (operator)", second.id),
        ("closed", "erin (operator)", first.id),
    ]


def test_a_name_that_could_mislead_is_refused_and_nothing_is_done(service):
    path = f"/v1/campaigns/{service.campaign.id}/close"
    reply = service.call("POST", path, token=ADMIN, headers=[("privge-operator", "erin (operator)\x1b")])
    assert (reply.status, reply.reason) == (400, "operator_name")
    assert service.store.campaign(service.campaign.id).open


def test_of_a_campaign_that_closes_in_time_the_log_has_the_day_alone(tmp_path):
    campaign = campaign_of(closes="2026-11-16T12:00:00Z")
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp()
    with InProcess(tmp_path, campaign=campaign, now=noon + 1) as service:
        assert service.put(report_of(campaign), token_of()).reason == "closed"
        act = service.store.log()[-1]
    assert (act.kind, act.by, len(act.when)) == ("closed", "service", len("2026-11-16"))


def changed(**changes):
    return json.dumps(json.loads(campaign_of(purpose="bad").to_json()) | changes).encode()


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        (b"", "not JSON"),
        (b"[]", "object"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (changed(k=0), "'k'"),
        (changed(epsilon=0.5), "'law'"),
        (changed(unknown=1), "'unknown'"),
        (changed(law=None, mechanism=[]), "'mechanism'"),
        (campaign_of(purpose="bad").to_json().encode() + b"\n", "canonical"),
        (campaign_of(mechanism="none", epsilon=None).to_json().encode(), "no device answers it"),
    ],
)
def test_what_is_no_canonical_private_campaign_is_refused_and_the_field_is_named(service, document, detail):
    reply = service.call("POST", "/v1/campaigns", body=document, token=ADMIN, content_type="application/json")
    assert (reply.status, reply.reason) == (422, "campaign")
    assert detail in reply.json["detail"]
    assert len(service.call("GET", "/v1/campaigns").json) == 1


def test_the_status_holds_counts_only(service):
    service.put(report_of(service.campaign), token_of())
    service.put(report_of(service.campaign), token_of("bob"))
    service.call("DELETE", "/v1/me", token=token_of("bob"))
    assert service.status() == {"campaign": service.campaign.id, "open": True, "reports": 1, "erased": 1}


@pytest.mark.parametrize("token", [None, "guess", token_of()])
def test_live_counts_are_for_the_operator_alone(service, token):
    """Whoever polls them sees when each report came; only the day is to be known."""
    for path in (f"/v1/campaigns/{service.campaign.id}/status", "/metrics"):
        assert service.call("GET", path, token=token).status == 401
        assert service.call("GET", path, token=ADMIN).status == 200


def test_nothing_that_anybody_may_read_changes_when_a_report_comes(service):
    public = [path for path, operations in json.loads(document())["paths"].items()
              if "{" not in path and "get" in operations and "security" not in operations["get"]]  # fmt: skip
    public.append(f"/v1/campaigns/{service.campaign.id}")
    assert len(public) > 4
    before = [(reply.headers, reply.body) for reply in (service.call("GET", path) for path in public)]
    service.put(report_of(service.campaign), token_of())
    assert [(reply.headers, reply.body) for reply in (service.call("GET", path) for path in public)] == before


def test_a_document_larger_than_allowed_is_413(service):
    body = b" " * (8 * 2**20 + 1)
    reply = service.call("POST", "/v1/campaigns", body=body, token=ADMIN, content_type="application/json")
    assert reply.status == 413
