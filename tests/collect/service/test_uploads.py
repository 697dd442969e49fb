import asyncio
import hashlib
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from collect.service.harness import ADMIN, KEY, InProcess, campaign_of, report_of, token_of
from privge.collect.service import Limits
from privge.collect.stores import Outcome
from privge.errors import StoreUnavailable
from privge.wire.tokens import LEEWAY, Key

SECOND = Key("second", b"2" * 32)


def stored(service):
    blocks = list(service.store.read(service.campaign.id))
    return [
        (node, row.astype("<u2").tobytes())
        for block in blocks
        for node, row in zip(block.ids, block.codes, strict=True)
    ]


@pytest.fixture
def report(service):
    return report_of(service.campaign)


def test_a_report_is_stored_once_however_often_it_is_sent(service, report):
    first, again = (service.put(report, token_of()) for _ in range(2))
    assert (first.status, first.json) == (201, {"status": 201, "reason": "stored"})
    assert (again.status, again.json) == (200, {"status": 200, "reason": "same"})
    assert stored(service) == [("alice", report)]


def test_a_second_different_report_is_refused_and_not_kept(service, report):
    service.put(report, token_of())
    refused = service.put(report_of(service.campaign, 1), token_of())
    assert (refused.status, refused.reason) == (409, "different")
    assert refused.headers["content-type"] == "application/problem+json"
    assert stored(service) == [("alice", report)]


def test_no_other_token_key_or_route_gets_a_second_draw_in(service, report):
    service.put(report, token_of(17))
    others = [report_of(service.campaign, seed) for seed in range(1, 5)]
    assert service.put(others[0], token_of(17, service.campaign.id)).status == 409
    assert service.put(others[1], token_of("17")).status == 409
    batch = service.batch([[token_of(17), others[2]], [token_of("17", service.campaign.id), others[3]]])
    assert [each["status"] for each in batch.json] == [409, 409]
    assert stored(service) == [(17, report)]


def test_of_many_draws_at_once_exactly_one_is_stored(service):
    async def race():
        def ask(seed):
            body = report_of(service.campaign, seed)
            path = f"/v1/campaigns/{service.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
            headers = [("authorization", f"Bearer {token_of()}"), ("content-type", "application/octet-stream")]
            return service.ask("PUT", path, headers, body)

        return [reply.status for reply in await asyncio.gather(*map(ask, range(40)))]

    statuses = service.runner.run(race())
    assert sorted(statuses) == [201] + [409] * 39
    assert len(stored(service)) == 1


def test_a_closed_campaign_takes_nothing_new_but_knows_what_it_has(service, report):
    service.put(report, token_of())
    closed = service.call("POST", f"/v1/campaigns/{service.campaign.id}/close", token=ADMIN)
    assert (closed.status, closed.json["open"], closed.json["reports"]) == (200, False, 1)
    assert service.put(report, token_of()).status == 200
    refused = service.put(report, token_of("bob"))
    assert (refused.status, refused.reason) == (410, "closed")


def test_after_erasure_a_node_does_not_report_again(service, report):
    service.put(report, token_of())
    assert service.call("DELETE", "/v1/me", token=token_of()).json == {"erased": [service.campaign.id]}
    for seed in (0, 1):
        refused = service.put(report_of(service.campaign, seed), token_of())
        assert (refused.status, refused.reason) == (410, "erased")
    assert stored(service) == []


def test_a_lifetime_budget_is_kept_over_campaigns(tmp_path):
    second = campaign_of(purpose="another")
    with InProcess(tmp_path, lifetime_epsilon=1.5) as service:
        service.store.add_campaign(second)
        assert service.put(report_of(second), token_of()).status == 201
        refused = service.put(report_of(second), token_of(), campaign=second.id)
        assert (refused.status, refused.reason) == (403, "over_budget")


@pytest.mark.parametrize("campaign", ["0" * 64, "short", "G" * 64, "A" * 64, "%20"])
def test_an_unknown_campaign_is_404(service, report, campaign):
    for reply in (
        service.put(report, token_of(), campaign=campaign),
        service.batch([[token_of(), report]], campaign=campaign),
        service.call("GET", f"/v1/campaigns/{campaign}"),
        service.call("GET", f"/v1/campaigns/{campaign}/status", token=ADMIN),
        service.call("POST", f"/v1/campaigns/{campaign}/close", token=ADMIN),
    ):
        assert (reply.status, reply.reason) == (404, "unknown")


def test_all_failures_of_authentication_are_one_answer(service, report):
    campaign = service.campaign.id
    bad = [
        None, "", "x", "x.y", token_of()[:-2], token_of(key=SECOND), token_of(campaign="ab" * 32), ADMIN,
        token_of(expires=int(service.now - LEEWAY - 1)), token_of() + " ", "\u00e9",
    ]  # fmt: skip
    replies = [service.put(report, token) for token in bad if token != token_of() + " "]
    replies += [service.put(report, token, campaign="0" * 64) for token in bad[:6]]
    replies += [service.call(method, "/v1/me", token=token) for token in bad[:6] for method in ("GET", "DELETE")]
    replies += [
        service.call("POST", f"/v1/campaigns/{campaign}/close", token=token) for token in (None, token_of(), "")
    ]
    replies += [service.add(campaign_of(purpose="no"), token) for token in (None, token_of(), ADMIN[:-1])]
    assert {reply.status for reply in replies} == {401}
    assert len({(reply.body, tuple(sorted(reply.headers.items()))) for reply in replies}) == 1
    assert stored(service) == []


@pytest.mark.parametrize("scheme", ["Basic", "bearerx", ""])
def test_another_scheme_of_authorization_is_401(service, scheme):
    assert service.call("GET", "/v1/me", headers=[("authorization", f"{scheme} {token_of()}")]).status == 401


def test_nobody_is_operator_where_no_admin_token_is_set(tmp_path):
    with InProcess(tmp_path, admin_token=None) as service:
        for token in ("", "None", ADMIN):
            assert service.add(campaign_of(purpose="no"), token).status == 401


def test_while_keys_rotate_reports_of_both_are_stored(tmp_path):
    with InProcess(tmp_path, keys=[SECOND, KEY]) as service:
        report = report_of(service.campaign)
        assert service.put(report, token_of("a", key=KEY)).status == 201
        assert service.put(report, token_of("b", key=SECOND)).status == 201


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_is_a_day_off_refuses_no_valid_token(tmp_path, days):
    with InProcess(tmp_path) as service:
        token = token_of(expires=int(service.now) + 1)  # as the platform's clock says
        service.now += 86_400 * days
        assert service.put(report_of(service.campaign), token).status == 201


def test_a_campaign_opens_and_closes_by_the_clock_of_the_service(tmp_path):
    start = datetime.now(UTC)
    campaign = campaign_of(opens=start + timedelta(hours=1), closes=start + timedelta(hours=2))
    with InProcess(tmp_path, campaign=campaign, now=start.timestamp()) as service:
        report = report_of(campaign)
        early = service.put(report, token_of())
        assert (early.status, early.reason, 3590 < int(early.headers["retry-after"]) <= 3601) == (
            503,
            "not_open_yet",
            True,
        )
        assert service.batch([[token_of(), report]]).reason == "not_open_yet"
        service.now += 3700
        assert service.put(report, token_of()).status == 201
        service.now += 3600
        assert service.put(report, token_of()).status == 200
        assert service.put(report, token_of("bob")).reason == "closed"
        assert service.status(campaign.id)["open"] is False


@pytest.mark.parametrize("change", [-1, -2, -24])
def test_a_short_report_is_refused(service, report, change):
    assert service.put(report[:change], token_of()).reason == "length"


def test_a_long_report_is_too_large(service, report):
    reply = service.put(report + b"\0", token_of())
    assert (reply.status, reply.reason) == (413, "too_large")


def test_the_largest_code_of_the_law_is_stored_and_the_next_is_refused(service):
    top = np.full(service.campaign.k, service.campaign.law.outputs - 1, "<u2")
    assert service.put(top.tobytes(), token_of()).status == 201
    top[1] += 1
    reply = service.put(top.tobytes(), token_of("bob"))
    assert (reply.status, reply.reason) == (422, "code_range")


@pytest.mark.parametrize("report_id", ["0" * 64, "x", "A" * 64])
def test_a_report_under_another_name_is_refused(service, report, report_id):
    assert service.put(report, token_of(), report=report_id).reason == "digest"
    assert service.put(report, token_of(), report=hashlib.sha256(report).hexdigest().upper()).reason == "digest"


@pytest.mark.parametrize("content_type", [None, "", "text/plain", "application/json", "application/octet-streamx"])
def test_a_wrong_content_type_is_415(service, report, content_type):
    assert service.put(report, token_of(), content_type=content_type).status == 415
    assert service.batch([], content_type=content_type).status == 415


def test_a_parameter_of_the_content_type_does_no_harm(service, report):
    assert service.put(report, token_of(), content_type="Application/Octet-Stream; charset=binary").status == 201


def test_a_report_in_pieces_is_one_report(service, report):
    path = f"/v1/campaigns/{service.campaign.id}/reports/{hashlib.sha256(report).hexdigest()}"
    pieces = [report[:1], b"", report[1:]]
    reply = service.call("PUT", path, body=pieces, token=token_of(), content_type="application/octet-stream")
    assert reply.status == 201


def test_malformed_reports_are_counted_by_reason_and_never_kept(service, report):
    service.put(report[:-1], token_of())
    service.put(report, token_of(), report="0" * 64)
    service.batch([[token_of(), b""], [token_of(), b"\xff" * len(report)], ["x", report]])
    metrics = service.metrics()
    for line in (
        'privge_reports_total{outcome="length"} 2',
        'privge_reports_total{outcome="digest"} 1',
        'privge_reports_total{outcome="code_range"} 1',
        'privge_reports_total{outcome="unauthorized"} 1',
    ):
        assert line in metrics
    assert stored(service) == []


def test_a_batch_answers_for_each_report_in_order(service, report):
    other = report_of(service.campaign, 1)
    service.put(report, token_of("old"))
    items = [
        [token_of("new"), report], [token_of("old"), report], [token_of("old"), other], ["forged", report],
        [token_of("short"), report[:-2]], [token_of("far"), b"\xff" * len(report)], [token_of("new"), other],
        [token_of("other", "ab" * 32), report], [token_of("last", service.campaign.id), other],
    ]  # fmt: skip
    reply = service.batch(items)
    assert reply.status == 200
    assert [each["reason"] for each in reply.json] == [
        "stored", "same", "different", "unauthorized", "length", "code_range", "different", "unauthorized", "stored",
    ]  # fmt: skip
    assert [each["status"] for each in reply.json] == [201, 200, 409, 401, 422, 422, 409, 401, 201]
    assert dict(stored(service)) == {"old": report, "new": report, "last": other}


def test_an_empty_batch_is_answered_by_an_empty_list(service):
    assert service.batch([]).json == []


def test_a_batch_of_five_thousand_is_stored_and_one_more_is_refused(tmp_path):
    with InProcess(tmp_path, limits=Limits()) as service:
        items = [[token_of(node), report_of(service.campaign)] for node in range(5000)]
        assert service.batch([*items, items[0]]).reason == "batch"
        assert {each["status"] for each in service.batch(items).json} == {201}


@pytest.mark.parametrize(
    "body", [b"", b"\x80", b"\xc0", b"\x91\x91\xa1x", b"\x91\x93\xa1x\xc4\x01a\xc0", b"\xdd\xff\xff\xff\xff", b"[]"]
)
def test_what_is_no_batch_is_refused(service, body):
    reply = service.batch(body)
    assert (reply.status, reply.reason) == (422, "batch")


def test_a_node_that_asks_too_often_is_told_to_wait_and_others_are_not(tmp_path):
    with InProcess(tmp_path, limits=Limits(rate=0.01, burst=3)) as service:
        report = report_of(service.campaign)
        statuses = [service.put(report, token_of(campaign=scope)).status for scope in (None, service.campaign.id) * 2]
        assert statuses == [201, 200, 200, 429]
        refused = service.call("GET", "/v1/me", token=token_of())
        assert refused.status == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 101
        assert [each["status"] for each in service.batch([[token_of(), report], [token_of("bob"), report]]).json] == [
            429,
            201,
        ]


class Hesitant:
    """A store whose `put` waits until it is let go."""

    def __init__(self, store, gate):
        self._store, self._gate = store, gate

    def __getattr__(self, name):
        return getattr(self._store, name)

    def put(self, *args, **kwargs):
        self._gate.wait(20)
        return self._store.put(*args, **kwargs)


@pytest.fixture
def gated(tmp_path):
    import threading

    from privge.collect.stores import open_store

    gate = threading.Event()
    store = Hesitant(open_store(str(tmp_path / "gated.db")), gate)
    with InProcess(tmp_path, store=store, limits=Limits(queue=3, requests=5)) as service:
        yield service, gate
        gate.set()


async def upload(service, node):
    body = report_of(service.campaign)
    path = f"/v1/campaigns/{service.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
    headers = [("authorization", f"Bearer {token_of(node)}"), ("content-type", "application/octet-stream")]
    return await service.ask("PUT", path, headers, body)


def test_a_full_queue_is_503_with_retry_after_and_what_waited_is_stored(gated):
    service, gate = gated

    async def flood():
        tasks = [asyncio.create_task(upload(service, node)) for node in range(5)]
        while sum(task.done() for task in tasks) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        busy = [task.result() for task in tasks if task.done()]
        waiting = [task for task in tasks if not task.done()]
        busy.append(await upload(service, 9))
        metrics = await service.ask("GET", "/metrics", [("authorization", f"Bearer {ADMIN}")], b"")
        gate.set()
        return busy, metrics, await asyncio.gather(*waiting)

    busy, metrics, done = service.runner.run(flood())
    assert {(reply.status, reply.headers["retry-after"], reply.reason) for reply in busy} == {(503, "2", "busy")}
    assert b"privge_queue_depth 3" in metrics.body
    assert [reply.status for reply in done] == [201] * 3


def test_more_requests_at_once_than_allowed_are_503_but_health_is_told(gated):
    service, gate = gated

    async def flood():
        tasks = [asyncio.create_task(upload(service, node)) for node in range(30)]
        while sum(task.done() for task in tasks) < 27:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        waiting = [task for task in tasks if not task.done()]
        tasks += [asyncio.create_task(service.ask("GET", "/v1/campaigns", [], b"")) for _ in range(9)]
        listed = [await task for task in tasks[30:]]
        health = await service.ask("GET", "/healthz", [], b"")
        gate.set()
        await asyncio.gather(*waiting)
        return [reply.status for reply in listed], health.status

    listed, health = service.runner.run(flood())
    assert 503 in listed
    assert health == 200


def test_nothing_is_acknowledged_before_the_commit_and_stopping_drains_the_queue(gated):
    service, gate = gated

    async def stop_with_work():
        waiting = asyncio.create_task(upload(service, "late"))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        stopping = asyncio.create_task(service.messages.put({"type": "lifespan.shutdown"}))
        await asyncio.sleep(0.1)
        assert (await service.ask("GET", "/readyz", [], b"")).status == 503
        gate.set()
        await stopping
        reply = await waiting
        assert (await service.answers.get())["type"] == "lifespan.shutdown.complete"
        return reply

    reply = service.runner.run(stop_with_work())
    assert reply.status == 201
    assert service.store.campaign(service.campaign.id).reports == 1
    service.messages.put_nowait({"type": "lifespan.shutdown"})
    service.answers.put_nowait({"type": "lifespan.shutdown.complete"})


def test_a_store_that_fails_is_503_and_nothing_is_acknowledged(service, report, monkeypatch):
    def fail(*_, **__):
        raise StoreUnavailable("disk full")

    assert service.call("GET", "/readyz").status == 200
    monkeypatch.setattr(service.store, "put", fail)
    reply = service.put(report, token_of())
    assert (reply.status, reply.reason, reply.headers["retry-after"]) == (503, "unavailable", "2")
    monkeypatch.setattr(service.store, "ready", lambda: False)
    assert service.call("GET", "/readyz").status == 503
    assert service.call("GET", "/healthz").status == 200


def test_every_outcome_of_a_store_has_an_answer():
    from privge.collect.service.problems import REASONS

    expected = {
        "stored": 201,
        "same": 200,
        "different": 409,
        "closed": 410,
        "erased": 410,
        "over_budget": 403,
        "other_round": 403,
        "unknown": 404,
    }
    assert {outcome.value: REASONS[outcome.value].status for outcome in Outcome} == expected
