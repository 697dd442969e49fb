import hashlib
import json

import pytest

from collect.service.harness import ADMIN, campaign_of, report_of, token_of
from privge.campaign import Campaign


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
    status = service.call("GET", f"/v1/campaigns/{service.campaign.id}/status").json
    assert status == {"campaign": service.campaign.id, "open": True, "reports": 1, "erased": 1}


def test_a_document_larger_than_allowed_is_413(service):
    body = b" " * (8 * 2**20 + 1)
    reply = service.call("POST", "/v1/campaigns", body=body, token=ADMIN, content_type="application/json")
    assert reply.status == 413
