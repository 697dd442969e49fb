import asyncio
import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.service.harness import InProcess, report_of, token_of
from privge.collect.service import Limits
from privge.collect.service.limits import RateLimit, Room
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


def arrivals(room, sizes):
    """Let bodies of these sizes begin to arrive, one after the other."""
    made = []
    for size in sizes:
        made.append(room.enter())
        room.grow(made[-1], size)
    return made


def test_whoever_has_been_sending_for_the_longest_makes_room_for_bytes():
    room = Room(places=9, arriving=9, size=10)
    first, second, third = arrivals(room, [4, 4, 4])
    assert [each.turned_out for each in (first, second, third)] == [True, False, False]
    assert room.used == 8
    with pytest.raises(Refused, match="busy"):
        room.grow(second, 4)  # now it is the oldest itself
    assert (second.turned_out, room.used) == (True, 4)


def test_bodies_that_are_worked_on_are_never_turned_out():
    room = Room(places=9, arriving=9, size=10)
    (working,) = arrivals(room, [8])
    room.admit(working)
    arriving = room.enter()
    with pytest.raises(Refused, match="busy"):
        room.grow(arriving, 4)
    assert not working.turned_out


def test_whoever_has_been_sending_for_the_longest_makes_room_for_newcomers():
    room = Room(places=9, arriving=3, size=10)
    made = arrivals(room, [1] * 5)
    assert [each.turned_out for each in made] == [True, True, False, False, False]
    with pytest.raises(Refused, match="busy"):
        room.admit(made[0])


def test_a_body_on_its_way_has_no_place():
    room = Room(places=1, arriving=9, size=10)
    arrivals(room, [1, 1, 1])
    with room.place(), pytest.raises(Refused, match="busy"):
        room.admit(room.enter())
    room.admit(room.enter())


def test_bodies_of_one_node_are_counted_until_they_leave():
    room = Room(places=9, arriving=9, size=10, each=2)
    first, _ = room.enter(17), room.enter("17")
    room.admit(first)
    with pytest.raises(Refused, match="rate"):
        room.enter(17)
    room.enter("another")
    room.leave(first)
    room.enter(17)


@given(st.lists(st.tuples(st.sampled_from(["enter", "grow", "admit", "leave"]), st.integers(0, 20)), max_size=60))
def test_whatever_happens_a_room_stays_within_its_bounds_and_is_empty_in_the_end(steps):
    room = Room(places=3, arriving=4, size=30, each=2)
    inside = []
    for step, number in steps:
        try:
            if step == "enter":
                inside.append(room.enter(number % 4))
            elif inside:
                arrival = inside[number % len(inside)]
                if step == "leave":
                    inside.remove(arrival)
                    room.leave(arrival)
                elif not arrival.working:
                    room.grow(arrival, number) if step == "grow" else room.admit(arrival)
        except Refused:
            pass
        assert room.used == sum(each.size for each in inside) <= 30
        assert sum(each.working for each in inside) <= 3
        assert sum(not (each.working or each.turned_out) for each in inside) <= 4
    for arrival in inside:
        room.leave(arrival)
    assert room.used == 0
    for _ in range(3):
        room.admit(room.enter())


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
    assert "privge_body_bytes 0" in impatient.metrics()


def test_a_body_that_trickles_is_408(impatient):
    async def trickle():
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": b"", "more_body": True}

    reply = impatient.runner.run(impatient.ask(*head(impatient, report_of(impatient.campaign)), receive=trickle))
    assert reply.status == 408


def test_half_a_body_is_400_for_whoever_still_listens_and_is_counted(impatient):
    async def gone():
        return {"type": "http.disconnect"}

    reply = impatient.runner.run(impatient.ask(*head(impatient, b"1234"), receive=gone))
    assert (reply.status, reply.reason, reply.headers["connection"]) == (400, "incomplete", "close")
    assert 'privge_reports_total{outcome="incomplete"} 1' in impatient.metrics()


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


def test_a_body_in_single_bytes_is_cut_off(impatient):
    read = []
    asked = ("POST", f"/v1/campaigns/{impatient.campaign.id}/reports", head(impatient, b"")[2], b"")
    fields = [(name, "application/msgpack" if name == "content-type" else value) for name, value in asked[2]]
    parts = counted(iter([b"x"] * 5000), read)
    reply = impatient.runner.run(impatient.ask(*asked[:2], fields, b"", receive=parts))
    assert reply.status == 408
    assert len(read) < 100


def test_what_is_announced_takes_no_memory(tmp_path):
    """Two batches that announce all memory there is, and send nothing; a third is stored."""
    with InProcess(tmp_path, limits=Limits(bytes_in_flight=10_000, batch_bytes=10_000)) as service:
        path = f"/v1/campaigns/{service.campaign.id}/reports"
        item = msgspec.msgpack.encode([[token_of("there"), report_of(service.campaign)]])

        async def never():
            await asyncio.sleep(30)

        async def siege():
            def ask(node, length, receive=None):
                fields = [("authorization", f"Bearer {token_of(node)}"), ("content-type", "application/msgpack"),
                          ("content-length", str(length))]  # fmt: skip
                return asyncio.ensure_future(service.ask("POST", path, fields, item, receive=receive))

            idle = [ask(f"idle {number}", 10_000, never) for number in range(2)]
            await asyncio.sleep(0.05)
            reply = await ask("there", len(item))
            for task in idle:
                task.cancel()
            await asyncio.gather(*idle, return_exceptions=True)
            return reply

        assert service.runner.run(siege()).status == 200
        assert "privge_body_bytes 0" in service.metrics()


def test_batches_leave_room_in_the_queue_for_single_reports(tmp_path):
    with InProcess(tmp_path, limits=Limits(queue=10, requests=5)) as service:
        report = report_of(service.campaign)
        assert service.batch([[token_of(node), report] for node in range(6)]).reason == "busy"
        assert service.batch([[token_of(node), report] for node in range(5)]).status == 200
