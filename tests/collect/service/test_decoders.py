"""No bytes from outside make the service fail: they are taken, or refused by a reason of the table.

PRIVGE_LONG_TESTS=1 tries 120,000 inputs instead of 1,800.
"""

import base64
import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collect.service.harness import KEY, InProcess, Limits, report_of, token_of
from privge.wire.tokens import signed

LONG = os.environ.get("PRIVGE_LONG_TESTS") == "1"
INPUTS = settings(
    max_examples=20_000 if LONG else 300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
GOOD = msgspec.msgpack.encode([[token_of(), b"\0" * 24], [token_of("bob"), b"\1" * 24]])

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@st.composite
def spoiled(draw, good=GOOD):
    """Good bytes with a few changed, cut or repeated."""
    body = bytearray(good)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(body) - 1)))
        body[start : start + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(body)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    limits = Limits(rate=1e9, burst=10**9)
    with InProcess(tmp_path_factory.mktemp("fuzz"), limits=limits) as service:
        yield service


@INPUTS
@given(st.binary() | values.map(msgspec.msgpack.encode) | spoiled())
def test_any_batch_is_answered(service, body):
    reply = service.batch(body)
    assert reply.status in (200, 422)
    if reply.status == 200:
        assert all(each["status"] in (200, 201, 401, 409, 422) for each in reply.json)


@INPUTS
@given(st.binary(max_size=40))
def test_any_report_is_answered(service, body):
    assert service.put(body, token_of()).status in (200, 201, 409, 413, 422)


@INPUTS
@given(st.text(st.characters(min_codepoint=33, max_codepoint=255)))
def test_any_header_of_authorization_is_answered(service, text):
    assert service.call("GET", "/v1/me", headers=[("authorization", text)]).status == 401


@INPUTS
@given(
    st.binary()
    | values.map(msgspec.json.encode)
    | spoiled(base64.urlsafe_b64decode(token_of().partition(".")[0] + "=="))
)
def test_any_payload_that_is_signed_is_answered(service, payload):
    reply = service.call("GET", "/v1/me", token=signed(KEY, payload))
    assert reply.status in (200, 401)


@INPUTS
@given(
    st.binary()
    | values.map(msgspec.json.encode)
    | spoiled(b'{"dimensions":2,"low":0,"high":1,"mechanism":"hds","epsilon":1}')
)
def test_any_campaign_document_is_answered(service, document):
    from collect.service.harness import ADMIN

    reply = service.call("POST", "/v1/campaigns", body=document, token=ADMIN, content_type="application/json")
    assert reply.status in (201, 422)


@INPUTS
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_path_is_answered(service, path):
    for full in (f"/{path}", f"/v1/campaigns/{path}", f"/v1/campaigns/{service.campaign.id}/{path}"):
        assert service.call("GET", full).status in (200, 404, 405)


def test_a_report_is_taken_after_all_that(service):
    assert service.put(report_of(service.campaign), token_of("last")).status == 201
