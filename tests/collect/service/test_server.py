"""A real server on a real socket."""

import hashlib
import os
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import numpy as np
import pytest

from collect.service.harness import ADMIN, campaign_of, report_of, running, token_of
from privge.device.address import Address
from privge.device.batches import send_batches
from privge.device.web import Client
from privge.reports import Report, Reports

pytestmark = pytest.mark.alone


def memory_of(pid):
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def worker_of(server):
    tasks = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return int(tasks[0])


def exchange(server, request, *, seconds=20):
    """Send bytes as they are and return what comes until the server closes."""
    with closing(socket.create_connection((server.host, server.port), timeout=seconds)) as connection:
        connection.sendall(request)
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


def upload_head(server, body, token, length=None, **more):
    fields = {"Host": "x", "Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream",
              "Content-Length": len(body) if length is None else length} | more  # fmt: skip
    path = f"/v1/campaigns/{server.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
    return (
        f"PUT {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    ).encode()


def test_a_report_is_on_the_disk_when_it_is_acknowledged(server):
    report = report_of(server.campaign)
    assert server.put(report, token_of("durable")).status == 201
    folder = server.errors.parent
    with closing(sqlite3.connect(f"file:{folder / 'reports.db'}?mode=ro", uri=True)) as database:
        held = database.execute("SELECT count(*) FROM reports WHERE node = ? AND codes = ?", (b"durable", report))
        assert held.fetchone() == (1,)


def test_every_route_answers_over_the_network(server):
    token = token_of("routes")
    assert server.put(report_of(server.campaign), token).status == 201
    assert server.batch([[token, report_of(server.campaign)]]).json == [{"status": 200, "reason": "same"}]
    for path in ("/", "/healthz", "/readyz", "/openapi.json", "/v1/campaigns"):
        assert server.call("GET", path).status == 200
    campaign = server.call("GET", f"/v1/campaigns/{server.campaign.id}")
    assert hashlib.sha256(campaign.body).hexdigest() == server.campaign.id
    assert server.call("GET", "/v1/me", token=token).json["node"] == "routes"
    assert server.call("DELETE", "/v1/me", token=token).json["erased"] == [server.campaign.id]
    assert server.call("GET", "/nowhere").status == 404
    assert server.call("POST", "/v1/campaigns", token=ADMIN, content_type="application/json", body=b"{}").status == 422


def submitted(server, tokens):
    """Send a report for each token in one batch, as a proxy does; return the outcomes and the rows that are stored."""
    campaign = server.campaign
    codes = [tuple(np.frombuffer(report_of(campaign, seed), "<u2").tolist()) for seed in range(len(tokens))]
    reports = Reports.collect(campaign, [Report(campaign.id, node, codes[node]) for node in range(len(tokens))])
    address = Address.parse(f"http://{server.host}:{server.port}/v1/campaigns/{campaign.id}")
    stored = []
    with closing(Client(address)) as service:
        outcomes = send_batches(
            service, reports, range(len(tokens)), token_of=lambda node: tokens[node], acknowledge=stored.extend
        )
    return outcomes, stored


def test_one_bad_token_keeps_no_other_report_of_a_batch_out(server):
    """The service wants a token before it reads a batch; that of the first report may be the bad one."""
    good = [token_of(f"batched-{node}") for node in range(3)]
    assert submitted(server, ["x.y", "forged", *good]) == ({"unauthorized": 2, "stored": 3}, [2, 3, 4])
    assert submitted(server, ["x.y", "forged"]) == ({"unauthorized": 2}, [])


def test_ten_megabytes_are_refused_before_they_are_sent(server):
    start = time.monotonic()
    request = upload_head(server, b"", token_of("large"), length=10_000_000)
    answer = exchange(server, request)  # not a byte of the body is sent
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - start < 5


def test_ten_megabytes_in_chunks_are_refused_while_they_come(server):
    token = token_of("chunks")
    head = upload_head(server, b"", token).replace(b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n")
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    with closing(socket.create_connection((server.host, server.port), timeout=20)) as connection:
        connection.sendall(head)
        sent, answer = 0, b""
        try:
            for _ in range(160):
                connection.sendall(chunk)
                sent += 1
        except OSError:
            pass
        try:
            answer = connection.recv(65_536)
        except OSError:
            answer = b""
    assert answer.startswith(b"HTTP/1.1 413 ") or sent < 160


def test_a_body_that_stops_is_408(server):
    """The answer is what is promised; granian may keep the socket until the client closes it (docs/known-limits.md)."""
    report = report_of(server.campaign)
    start = time.monotonic()
    with closing(socket.create_connection((server.host, server.port), timeout=20)) as connection:
        connection.sendall(upload_head(server, report, token_of("slow")) + report[:5])
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer
    assert 0.5 < time.monotonic() - start < 10


def test_half_a_body_and_a_half_close_is_400(server):
    report = report_of(server.campaign)
    with closing(socket.create_connection((server.host, server.port), timeout=20)) as connection:
        connection.sendall(upload_head(server, report, token_of("half")) + report[:5])
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"urn:privge:incomplete" in answer


def pipelined(server, requests):
    """Send all requests at once, then read their statuses."""
    with closing(socket.create_connection((server.host, server.port), timeout=20)) as connection:
        connection.sendall(b"".join(requests))
        answer = b""
        while answer.count(b"HTTP/1.1 ") < len(requests) and (part := connection.recv(65_536)):
            answer += part
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", answer)]


def test_pipelined_requests_are_all_answered_also_after_a_refusal(server):
    report = report_of(server.campaign)
    good = [upload_head(server, report, token_of(f"pipelined-{number}")) + report for number in range(2)]
    strange = upload_head(server, report, "none") + report
    short = upload_head(server, report[:-2], token_of("short")) + report[:-2]
    wrong_type = upload_head(server, report, token_of("type"), **{"Content-Type": "text/plain"}) + report
    assert pipelined(server, [good[0], strange, short, wrong_type, good[1]]) == [201, 401, 422, 415, 201]


def test_where_a_body_is_left_unread_the_answer_says_that_the_connection_ends(server):
    report = report_of(server.campaign)
    large = upload_head(server, report, token_of("unread"), length=10**7)
    answer = exchange(server, large + upload_head(server, report, token_of("behind")) + report)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer


def test_a_head_that_stops_ends_the_connection(server):
    start = time.monotonic()
    answer = exchange(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    assert b"200" not in answer[:20]
    assert time.monotonic() - start < 10


def sockets_of(pid):
    links = [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()]
    return sum(link.startswith("socket:") for link in links)


def test_who_does_not_take_the_answers_is_closed(server):
    """Otherwise such connections would fill up what the server takes on, for ever."""
    worker = worker_of(server)
    before = sockets_of(worker)
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    with ExitStack() as held:
        for _ in range(20):
            connection = held.enter_context(closing(socket.socket()))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((server.host, server.port))
            connection.sendall(asked * 400)  # 8 MB of answers, and none is read
        deadline = time.monotonic() + 30
        while sockets_of(worker) > before + 2:
            assert time.monotonic() < deadline, "the connections are still open"
            time.sleep(0.2)
    assert server.call("GET", "/healthz").status == 200


def test_documents_that_nobody_takes_take_no_memory(server):
    large = campaign_of(dimensions=100, names=[f"{number} " + "x" * 20_000 for number in range(100)])
    assert server.add(large).status == 201
    path = f"/v1/campaigns/{large.id}"
    assert hashlib.sha256(server.call("GET", path).body).hexdigest() == large.id
    head = server.call("HEAD", path)
    assert (head.status, head.body, int(head.headers["content-length"])) == (200, b"", len(large.to_json()))
    worker = worker_of(server)
    before = memory_of(worker)
    with ExitStack() as held:
        for _ in range(100):
            connection = held.enter_context(closing(socket.socket()))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((server.host, server.port))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        time.sleep(0.5)
        grown = memory_of(worker) - before
    assert grown < 0.25 * 100 * len(large.to_json()) / 2**20


def test_a_connection_that_idles_is_closed(server):
    start = time.monotonic()
    assert exchange(server, b"") == b""
    answer = exchange(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - start < 15


def test_a_truncated_body_is_not_stored(server):
    report, token = report_of(server.campaign), token_of("truncated")
    with closing(socket.create_connection((server.host, server.port))) as connection:
        connection.sendall(upload_head(server, report, token) + report[:-1])
    time.sleep(0.3)
    assert server.call("GET", "/v1/me", token=token).json["holdings"] == []


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\0" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(server, request_bytes):
    try:
        answer = exchange(server, request_bytes)
    except ConnectionError:
        answer = b""
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert server.call("GET", "/healthz").status == 200


def uploads_a_second(server, prefix, seconds=1.5):
    """Send reports of new nodes over two connections for a while."""
    body = report_of(server.campaign)

    def work(worker):
        connection = HTTPConnection(server.host, server.port, timeout=30)
        path = f"/v1/campaigns/{server.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
        done, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            headers = {"Authorization": f"Bearer {token_of(f'{prefix}-{worker}-{done}')}",
                       "Content-Type": "application/octet-stream"}  # fmt: skip
            connection.request("PUT", path, body, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 201
            done += 1
        connection.close()
        return done

    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(work, range(2))) / seconds


def test_honest_uploads_go_on_while_others_crawl(server):
    """All honest reports are stored. (Within which share of the speed, the benchmark says; this machine is shared.)"""
    crawlers = []
    try:
        for number in range(150):
            connection = socket.create_connection((server.host, server.port))
            head = (
                b"PUT /v1/me HTTP/1.1\r\nHost: x\r\n"
                if number % 2
                else upload_head(server, b"x" * 24, token_of("crawl"))
            )
            connection.sendall(head + b"x")
            crawlers.append(connection)
        assert uploads_a_second(server, "honest", 1.0) > 5
    finally:
        for connection in crawlers:
            connection.close()


def test_a_flood_meets_only_429_and_503_and_the_service_recovers(tmp_path):
    with running(tmp_path, "--rate", "0.01", "--burst", "5") as server:
        body = report_of(server.campaign)
        path = f"/v1/campaigns/{server.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
        statuses = []

        def flood(number):
            connection = HTTPConnection(server.host, server.port, timeout=60)
            headers = {"Authorization": f"Bearer {token_of(f'flood-{number % 5}')}",
                       "Content-Type": "application/octet-stream"}  # fmt: skip
            for _ in range(20):
                connection.request("PUT", path, body, headers)
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)
            connection.close()

        with ThreadPoolExecutor(40) as pool:
            list(pool.map(flood, range(40)))
        assert set(statuses) <= {200, 201, 429, 503}
        assert statuses.count(201) == 5
        start = time.monotonic()
        assert server.put(body, token_of("after")).status == 201
        assert time.monotonic() - start < 5


def test_sigterm_loses_nothing_that_was_acknowledged_and_ends_well(tmp_path):
    acknowledged = []
    with running(tmp_path) as server:
        body = report_of(server.campaign)
        path = f"/v1/campaigns/{server.campaign.id}/reports/{hashlib.sha256(body).hexdigest()}"
        stop = threading.Event()

        def work(worker):
            for number in range(100_000):
                node = f"{worker}-{number}"
                headers = {"Authorization": f"Bearer {token_of(node)}", "Content-Type": "application/octet-stream"}
                connection = HTTPConnection(server.host, server.port, timeout=20)
                try:
                    connection.request("PUT", path, body, headers)
                    status = connection.getresponse().status
                except (OSError, HTTPException):
                    return
                finally:
                    connection.close()
                assert status in (201, 503)
                if status == 201:
                    acknowledged.append(node)
                if stop.is_set():
                    return

        with ThreadPoolExecutor(8) as pool:
            workers = [pool.submit(work, worker) for worker in range(8)]
            time.sleep(0.7)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
            stop.set()
            for worker in workers:
                worker.result()
    with closing(sqlite3.connect(tmp_path / "reports.db")) as database:
        stored = {node.decode() for (node,) in database.execute("SELECT node FROM reports")}
    assert len(acknowledged) > 10
    assert set(acknowledged) <= stored


def test_a_killed_worker_loses_nothing_that_was_acknowledged_and_is_started_again(tmp_path):
    with running(tmp_path) as server:
        report = report_of(server.campaign)
        acknowledged = [node for node in range(30) if server.put(report, token_of(node)).status == 201]
        os.kill(worker_of(server), signal.SIGKILL)
        deadline = time.monotonic() + 30
        while True:
            try:
                replies = [server.put(report, token_of(node)).status for node in acknowledged]
                break
            except (OSError, HTTPException):
                assert time.monotonic() < deadline
                time.sleep(0.1)
    assert replies == [200] * 30


def test_the_worker_is_small_and_imports_no_compiler(tmp_path):
    with running(tmp_path) as server:
        items = [[token_of(node), report_of(server.campaign)] for node in range(5000)]
        assert server.batch(items).status == 200
        worker = worker_of(server)
        maps = Path(f"/proc/{worker}/maps").read_text()
        assert memory_of(worker) < 150
        assert memory_of(server.process.pid) < 150
    for heavy in ("llvmlite", "numba", "scipy", "pyarrow", "torch"):
        assert f"/{heavy}/" not in maps


def test_it_speaks_tls_itself_if_it_is_given_a_certificate(tmp_path):
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
               "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]  # fmt: skip
    try:
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs openssl to make a certificate")
    (tmp_path / "key.pem").chmod(0o600)
    import ssl
    import urllib.request

    with running(tmp_path, "--tls-cert", "cert.pem", "--tls-key", "key.pem") as server:
        trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        with urllib.request.urlopen(f"https://{server.host}:{server.port}/healthz", context=trusted) as answer:
            assert answer.status == 200


def test_several_workers_share_a_postgresql_store_and_their_counters(tmp_path, postgres_url):
    environment = {**os.environ, "PRIVGE_STORE": postgres_url}
    with running(tmp_path, "--workers", "2", store=None, environment=environment) as server:
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
        assert len(children) >= 2
        report = report_of(server.campaign)

        def work(node):
            return server.put(report, token_of(node)).status

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(work, range(60))) == {201}
        assert server.put(report_of(server.campaign, 1), token_of(17)).status == 409
        deadline = time.monotonic() + 20
        while 'privge_reports_total{outcome="stored"} 60' not in server.metrics():
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert server.status()["reports"] == 60
