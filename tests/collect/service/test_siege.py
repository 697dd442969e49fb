"""Senders who announce bodies and do not send them, on a real server: honest reports are stored all the same."""

import socket
import time
from contextlib import ExitStack, closing

import pytest

from collect.service.harness import report_of, running, token_of
from collect.service.test_server import upload_head

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose patience outlasts these tests, so that nobody gets a place because somebody else timed out."""
    with running(tmp_path_factory.mktemp("siege"), "--body-seconds", "60") as server:
        yield server


def batch_head(server, length, token=None):
    authorization = "" if token is None else f"Authorization: Bearer {token}\r\n"
    return (
        f"POST /v1/campaigns/{server.campaign.id}/reports HTTP/1.1\r\nHost: x\r\n{authorization}"
        f"Content-Type: application/msgpack\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def besiege(server, held, requests):
    """Open one connection for each request, send it, and keep the connection."""
    for request in requests:
        connection = held.enter_context(socket.create_connection((server.host, server.port)))
        connection.sendall(request)
    time.sleep(0.5)


def statuses(server, prefix, count=30):
    report = report_of(server.campaign)
    return {server.put(report, token_of(f"{prefix}-{number}")).status for number in range(count)}


@pytest.mark.parametrize("nodes", [None, 8, 1])
def test_eight_idle_batches_stop_neither_singles_nor_batches(server, nodes):
    tokens = [None if nodes is None else token_of(f"idle-{nodes}-{number % nodes}") for number in range(8)]
    with ExitStack() as held:
        besiege(server, held, [batch_head(server, 4 * 2**20, token) for token in tokens])
        assert statuses(server, f"honest-{nodes}") == {201}
        reply = server.batch([[token_of(f"batched-{nodes}"), report_of(server.campaign)]])
        assert (reply.status, reply.json) == (200, [{"status": 201, "reason": "stored"}])


@pytest.mark.parametrize("tokens", [0, 26])
def test_more_idle_singles_than_places_do_not_stop_collection(server, tokens):
    """520 announce ten bytes: strangers, or 20 connections each of 26 nodes with a token."""
    report = report_of(server.campaign)
    with ExitStack() as held:
        shown = [token_of(f"slow-{number % tokens}") if tokens else "none" for number in range(520)]
        besiege(server, held, [upload_head(server, report, token, length=10) for token in shown])
        assert statuses(server, f"among-{tokens}") == {201}


def test_bodies_that_drip_do_not_stop_collection(server):
    report = report_of(server.campaign)
    with ExitStack() as held:
        heads = [upload_head(server, report, token_of(f"drip-{number % 30}")) for number in range(600)]
        besiege(server, held, [head + report[:1] for head in heads])
        besiege(server, held, [batch_head(server, 4 * 2**20, token_of(f"drop-{number}")) for number in range(20)])
        assert statuses(server, "wet") == {201}


def test_batches_that_stop_just_before_their_end_make_room_for_others(server):
    """Nine nodes with a token send all but the last byte of the largest batch: more than the memory for batches."""
    with ExitStack() as held:
        request = [batch_head(server, 4 * 2**20, token_of(f"large-{number}")) for number in range(9)]
        besiege(server, held, [head + bytes(4 * 2**20 - 1) for head in request])
        assert statuses(server, "beside") == {201}
        assert server.batch([[token_of("after"), report_of(server.campaign)]]).status == 200


def test_a_batch_without_a_token_is_refused_before_its_body(server):
    with closing(socket.create_connection((server.host, server.port), timeout=20)) as connection:
        connection.sendall(batch_head(server, 4 * 2**20))
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close" in answer
