"""Two services, each of its own processes, on one PostgreSQL: together they keep what one promises."""

import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

import pytest

from collect.service.harness import ADMIN, campaign_of, report_of, running, token_of
from privge.collect.stores import open_store

NODES, SENDERS = 60, 4


@contextmanager
def two_services(folder, address):
    """Run two services that know of each other only through the database."""
    environment = {**os.environ, "PRIVGE_STORE": address}
    folders = [folder / name for name in ("one", "two")]
    for each in folders:
        each.mkdir()
    options = {"store": None, "environment": environment}
    limits = ("--lifetime-epsilon", "2", "--burst", "1000")
    with running(folders[0], *limits, **options) as one, running(folders[1], *limits, **options) as two:
        yield one, two


@pytest.fixture
def services(tmp_path, postgres_url):
    with two_services(tmp_path, postgres_url) as services:
        yield services


def at_once(*calls):
    """Make calls at the same moment; return their answers in order."""
    start = threading.Barrier(len(calls))

    def wait_and_call(call):
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(wait_and_call, calls))


def kill(server):
    """Kill the process that watches and those that work, at once."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    for pid in (server.process.pid, *map(int, children)):
        os.kill(pid, signal.SIGKILL)
    server.process.wait(10)


def stored(address, campaign):
    """Return every stored node with its codes, as often as it is there, after a look at every row."""
    store = open_store(address, lifetime_epsilon=2)
    try:
        assert store.verify() == []
        return [
            (node, codes.astype("<u2").tobytes())
            for block in store.read(campaign.id)
            for node, codes in zip(block.ids.tolist(), block.codes, strict=True)
        ]
    finally:
        store.close()


@pytest.mark.parametrize(("seeds", "others"), [((0, 0, 0, 0), 200), ((0, 1, 2, 3), 409)], ids=["same", "different"])
def test_of_the_reports_of_a_node_at_both_services_exactly_one_is_stored(services, postgres_url, seeds, others):
    campaign = services[0].campaign
    for number in range(15):
        token = token_of(f"racer-{number}", campaign.id)
        calls = [
            lambda turn=turn, seed=seed, token=token: services[turn % 2].put(report_of(campaign, seed), token)
            for turn, seed in enumerate(seeds)
        ]
        assert sorted(each.status for each in at_once(*calls)) == sorted([201, others, others, others])
    nodes = [node for node, _ in stored(postgres_url, campaign)]
    assert sorted(nodes) == sorted(f"racer-{number}" for number in range(15))


def test_budget_for_one_more_report_is_spent_at_one_service_only(services):
    one, two = services
    first, second = (campaign_of(purpose=purpose, epsilon=1.5) for purpose in ("first", "second"))
    assert [one.add(first).status, two.add(second).status] == [201, 201]
    for number in range(10):
        token, body = token_of(f"spender-{number}"), report_of(first)
        answers = at_once(
            lambda token=token, body=body: one.put(body, token, campaign=first.id),
            lambda token=token, body=body: two.put(body, token, campaign=second.id),
        )
        stored, refused = sorted(answers, key=lambda answer: answer.status)
        assert (stored.status, refused.reason) == (201, "over_budget")


def test_what_an_operator_or_a_person_does_at_one_service_holds_at_the_other(services):
    one, two = services
    campaign = campaign_of(purpose="seen by both")
    assert one.add(campaign).status == 201
    body, alice = report_of(campaign), token_of("alice")
    assert two.put(body, alice, campaign=campaign.id).status == 201
    assert one.call("DELETE", "/v1/me", token=alice).status == 200
    assert two.put(body, alice, campaign=campaign.id).reason == "erased"
    assert two.call("GET", "/v1/me", token=alice).json["holdings"][0]["codes"] is None
    close = f"/v1/campaigns/{campaign.id}/close"
    assert [each.call("POST", close, token=ADMIN).status for each in (one, two)] == [200, 200]
    assert two.put(body, token_of("bob"), campaign=campaign.id).reason == "closed"
    assert one.status(campaign.id) == two.status(campaign.id)


def test_when_one_service_is_killed_midway_nothing_acknowledged_is_lost_and_nothing_is_twice(services, postgres_url):
    one, two = services
    campaign, acknowledged, half = one.campaign, {}, threading.Event()

    def send(server, node):
        try:
            return server.put(report_of(campaign, node), token_of(node)).status
        except (OSError, HTTPException):  # killed before the answer
            return 0

    def work(sender):
        for node in range(sender, NODES * SENDERS, SENDERS):
            acknowledged[node] = send(services[sender % 2], node)
            if len(acknowledged) > NODES * SENDERS // 3:
                half.set()

    threads = [threading.Thread(target=work, args=[sender]) for sender in range(SENDERS)]
    for thread in threads:
        thread.start()
    assert half.wait(60)
    time.sleep(0.003)  # in the middle of something
    kill(one)
    for thread in threads:
        thread.join()
    before = Counter(acknowledged.values())
    assert set(before) == {0, 201}, "some were acknowledged, some were cut off"
    held = dict(stored(postgres_url, campaign))
    assert {node for node, status in acknowledged.items() if status == 201} <= set(held)
    again = {node: send(two, node) for node in acknowledged}  # what devices do: the same bytes, to whoever is there
    assert all(status == (200 if node in held else 201) for node, status in again.items())
    rows = stored(postgres_url, campaign)
    assert sorted(rows) == [(node, report_of(campaign, node)) for node in range(NODES * SENDERS)]
