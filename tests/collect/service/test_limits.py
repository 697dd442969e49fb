import asyncio
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.service.harness import InProcess, report_of, token_of
from privge.collect.service import Limits
from privge.collect.service.limits import Allowance, RateLimit
from privge.collect.service.problems import Refused
from privge.errors import BadData


def taken(limit, node, now):
    try:
        limit.take(node, now)
    except Refused:
        return False
    return True


@given(st.lists(st.floats(0, 5), max_size=200), st.sampled_from([0.5, 1.0, 3.0]), st.integers(1, 10))
def test_in_any_time_a_node_gets_at_most_a_burst_and_the_rate(gaps, rate, burst):
    limit = RateLimit(rate, burst, 100)
    now, times = 0.0, []
    for gap in gaps:
        now += gap
        if taken(limit, "alice", now):
            times.append(now)
    for first in range(len(times)):
        for last in range(first, len(times)):
            assert last - first + 1 <= burst + rate * (times[last] - times[first]) + 1e-6


def test_a_node_that_waits_as_told_is_let_through():
    limit = RateLimit(0.25, 1, 100)
    limit.take("alice", 0.0)
    with pytest.raises(Refused) as caught:
        limit.take("alice", 1.0)
    assert taken(limit, "alice", 1.0 + int(caught.value.headers["retry-after"]))


def test_seventeen_and_its_text_share_one_rate():
    limit = RateLimit(1, 1, 100)
    assert taken(limit, 17, 0)
    assert not taken(limit, "17", 0)


def test_memory_is_bounded_and_shrinks_when_nodes_rest():
    limit = RateLimit(1, 5, 1000)
    for node in range(10_000):
        taken(limit, node, 0.0)
    assert len(limit) == 1000
    for node in range(600):
        taken(limit, f"later {node}", 100.0)
    assert len(limit) <= 600


def test_nodes_are_remembered_by_a_hash_of_this_process_alone():
    first, second = RateLimit(1, 1, 10), RateLimit(1, 1, 10)
    for limit in (first, second):
        limit.take("sentinel-node", 0)
    assert b"sentinel" not in b"".join(first._full_at)
    assert set(first._full_at).isdisjoint(second._full_at)


def test_an_allowance_is_given_back():
    allowance = Allowance(10)
    allowance.take(10)
    with pytest.raises(Refused):
        allowance.take(1)
    allowance.give(10)
    allowance.take(1)


@pytest.mark.parametrize("name", ["rate", "burst", "body_seconds", "batch_bytes", "queue"])
def test_a_limit_of_nothing_is_refused_by_name(name):
    for value in (0, -1, float("nan")):
        with pytest.raises(BadData, match=name):
            Limits(**{name: value})


@pytest.fixture
def impatient(tmp_path):
    with InProcess(tmp_path, limits=Limits(body_seconds=0.1, bytes_in_flight=10_000)) as service:
        yield service


def head(service, body, **more):
    fields = {"authorization": f"Bearer {token_of()}", "content-type": "application/octet-stream"} | more
    path = f"/v1/campaigns/{service.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
    return "PUT", path, list(fields.items()), body


def test_a_body_that_does_not_come_is_408_and_its_memory_is_free_again(impatient):
    async def never():
        await asyncio.sleep(30)

    for _ in range(3):
        asked = head(impatient, report_of(impatient.campaign))
        reply = impatient.runner.run(impatient.ask(*asked, receive=never))
        assert (reply.status, reply.reason, reply.headers["connection"]) == (408, "too_slow", "close")
    assert b"privge_body_bytes 0" in impatient.call("GET", "/metrics").body


def test_a_body_that_trickles_is_408(impatient):
    async def trickle():
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": b"", "more_body": True}

    reply = impatient.runner.run(impatient.ask(*head(impatient, report_of(impatient.campaign)), receive=trickle))
    assert reply.status == 408


def test_a_client_that_goes_away_gets_no_answer_and_is_counted(impatient):
    async def gone():
        return {"type": "http.disconnect"}

    assert impatient.runner.run(impatient.ask(*head(impatient, b"1234"), receive=gone)) is None
    assert b'privge_reports_total{outcome="incomplete"} 1' in impatient.call("GET", "/metrics").body


def counted(chunks, read):
    async def receive():
        read.append(1)
        return {"type": "http.request", "body": next(chunks), "more_body": True}

    return receive


def test_a_body_that_says_it_is_too_large_is_refused_unread(impatient):
    read = []
    asked = head(impatient, b"", **{"content-length": "10000000"})
    reply = impatient.runner.run(impatient.ask(*asked, receive=counted(iter([b""]), read)))
    assert (reply.status, read) == (413, [])


def test_a_body_that_turns_out_too_large_is_read_no_further(impatient):
    read = []
    asked = head(impatient, b"")  # chunked: no length is given
    reply = impatient.runner.run(impatient.ask(*asked, receive=counted(iter([b"1234567890123456"] * 99), read)))
    assert (reply.status, len(read)) == (413, 2)


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "²", "9" * 30, "+6"])
def test_a_length_that_is_none_is_400(impatient, length):
    asked = head(impatient, report_of(impatient.campaign), **{"content-length": length})
    assert impatient.runner.run(impatient.ask(*asked)).status == 400


@pytest.mark.parametrize("change", [-1, 1])
def test_a_body_shorter_or_longer_than_it_said_is_400(impatient, change):
    report = report_of(impatient.campaign)
    asked = head(impatient, report[: 4 + change], **{"content-length": "4"})
    reply = impatient.runner.run(impatient.ask(*asked))
    assert (reply.status, reply.reason) == (400, "incomplete")


def test_bodies_that_need_too_much_memory_together_are_503(impatient):
    path = f"/v1/campaigns/{impatient.campaign.id}/reports"
    reply = impatient.call(
        "POST", path, content_type="application/msgpack", headers=[("content-length", "20000")], body=b"\x90"
    )
    assert (reply.status, reply.reason) == (503, "busy")
