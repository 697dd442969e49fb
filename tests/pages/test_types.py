"""Every answer of the service is taken for what it says it is."""

import pytest

from collect.service.harness import ADMIN, report_of, token_of


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/campaigns/{}", 200),
        ("HEAD", "/v1/campaigns/{}", 200),
        ("GET", "/v1/campaigns/{}/me", 200),
        ("GET", "/v1/campaigns/none", 404),
        ("GET", "/v1/me", 200),
        ("POST", "/v1/me", 405),
        ("GET", "/nothing", 404),
        ("GET", "/", 200),
        ("GET", "/healthz", 200),
    ],
)
def test_no_answer_may_be_taken_for_another_type(service, method, path, status):
    reply = service.call(method, path.format(service.campaign.id), token=token_of())
    assert reply.status == status
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_nor_that_to_a_report_or_to_a_wrong_token(service):
    body = report_of(service.campaign)
    replies = [service.put(body, token_of()), service.put(body, token_of()), service.put(body, ADMIN)]
    assert [reply.status for reply in replies] == [201, 200, 401]
    assert {reply.headers["x-content-type-options"] for reply in replies} == {"nosniff"}
