"""The service under load: durable single uploads, batches, memory, overload and slow attackers; against FastAPI.

Client and server share this machine's processors. All services run at the same time on stores of the same disk and
are asked in turn, so that whatever else runs here slows all alike. FastAPI is measured as one would write it (each
request is a transaction, in FastAPI's thread pool), and with this package's group commit lent to it.
"""

import base64
import hashlib
import json
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path

import msgspec
import numpy as np

import privge as pg
from privge.collect.service.credentials import write_keys
from privge.collect.stores import open_store
from privge.wire.tokens import Key, mint
from service_client import send

SINGLES, CONNECTIONS, ROUNDS = 10_000, 64, 5
BATCH, BATCHES = 5_000, 4
PRIVGE, EACH, GROUP = "privge", "FastAPI", "FastAPI, group commit"
CAMPAIGN = pg.Campaign(dimensions=500, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
KEY = Key.new()
NODES = count()
CODES = np.random.default_rng(0).integers(0, CAMPAIGN.law.outputs, (100_000, CAMPAIGN.k)).astype("<u2")


def fresh():
    """Return a token of a node that has not reported yet, and its report."""
    number = next(NODES)
    token = mint(KEY, node=number, campaign=CAMPAIGN.id, expires=int(time.time()) + 86_400)
    return token, CODES[number % len(CODES)].tobytes()


def single():
    token, body = fresh()
    path = f"/v1/campaigns/{CAMPAIGN.id}/reports/{hashlib.sha256(body).hexdigest()}"
    head = (
        f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def batch(service):
    pairs = [fresh() for _ in range(BATCH)]
    if service == PRIVGE:
        kind, body = "application/msgpack", msgspec.msgpack.encode(pairs)
    else:
        items = [{"token": token, "codes": base64.b64encode(codes).decode()} for token, codes in pairs]
        kind, body = "application/json", json.dumps(items).encode()
    head = (
        f"POST /v1/campaigns/{CAMPAIGN.id}/reports HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {pairs[0][0]}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def free_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return probe.getsockname()[1]


@contextmanager
def process(command, port):
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield running
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(60)


@contextmanager
def services(folder):
    """Run both, each with the campaign in its store; give their ports and the processes that work."""
    write_keys(folder / "keys", [KEY])
    for name in ("privge", "each", "group"):
        store = open_store(str(folder / f"{name}.db"))
        store.add_campaign(CAMPAIGN)
        store.close()
    ours, each, group = free_port(), free_port(), free_port()
    serve = ["-m", "privge", "serve", "--store", f"{folder}/privge.db", "--keys-file", f"{folder}/keys"]
    peer = [sys.executable, str(Path(__file__).with_name("service_peer.py")), str(folder)]
    with (
        process([sys.executable, *serve, "--port", str(ours), "--body-seconds", "3"], ours) as first,
        process([*peer, str(each), "each"], each) as second,
        process([*peer, str(group), "group"], group) as third,
    ):
        worker = int(Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()[0])
        yield {PRIVGE: (ours, worker), EACH: (each, second.pid), GROUP: (group, third.pid)}


def memory(pid):
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) / 1024


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def expect(measured, status):
    if set(measured.statuses) != {status}:
        raise SystemExit(f"expected only {status}, got {dict(measured.statuses)}")


def measure(running):
    rows = {name: {"rate": [], "p99": [], "cpu": [], "batch": [], "batch_cpu": [], "memory": []} for name in running}
    for _ in range(ROUNDS):
        for name, (port, pid) in running.items():
            requests = [single() for _ in range(SINGLES)]
            before = processor_seconds(pid)
            measured = send(port, requests, CONNECTIONS)
            expect(measured, 201)
            row = rows[name]
            row["rate"].append(measured.rate)
            row["p99"].append(measured.quantile(0.99))
            row["cpu"].append(1e6 * (processor_seconds(pid) - before) / SINGLES)
            requests = [batch(name) for _ in range(BATCHES)]
            before = processor_seconds(pid)
            measured = send(port, requests, 2)
            expect(measured, 200)
            row["batch"].append(measured.rate * BATCH)
            row["batch_cpu"].append(1e6 * (processor_seconds(pid) - before) / (BATCHES * BATCH))
            row["memory"].append(memory(pid))
    return rows


def under_attack(port):
    """Return the honest rate while crawlers and large bodies are about, as a share of that without them; in turn."""
    shares = []
    for _ in range(ROUNDS):
        quiet = send(port, [single() for _ in range(4000)], CONNECTIONS).rate
        crawlers = []
        for number in range(300):
            crawler = socket.create_connection(("127.0.0.1", port))
            body = single()
            crawler.sendall(body[:-3] if number % 2 else body[:60])  # half stop in the body, half in the head
            crawlers.append(crawler)
        for _ in range(20):
            large = HTTPConnection("127.0.0.1", port, timeout=10)
            head = single().decode("latin-1").replace(f"Content-Length: {2 * CAMPAIGN.k}", "Content-Length: 10000000")
            large.connect()
            large.sock.sendall(head.encode("latin-1"))
            large.close()
        loud = send(port, [single() for _ in range(4000)], CONNECTIONS)
        expect(loud, 201)
        shares.append(loud.rate / quiet)
        for crawler in crawlers:
            crawler.close()
    return shares


def overload(port, factor=30):
    """Ask over many more connections than the service takes on; return the answers and the time to recover."""
    measured = send(port, [single() for _ in range(20_000)], factor * CONNECTIONS)
    start = time.perf_counter()
    while True:
        after = send(port, [single()], 1)
        if set(after.statuses) == {201} and after.latencies[0] < 0.1:
            return measured, time.perf_counter() - start


def main():
    with (
        tempfile.TemporaryDirectory(prefix="privge-bench-", dir=Path.cwd()) as folder,
        services(Path(folder)) as running,
    ):
        rows = measure(running)
        print(
            f"{'':21} {'singles/s':>10} {'p99 ms':>7} {'CPU us':>7} {'batched/s':>10} {'CPU us':>7} {'memory MB':>10}"
        )
        for name, row in rows.items():
            middle = {key: statistics.median(values) for key, values in row.items()}
            print(
                f"{name:21} {middle['rate']:10,.0f} {middle['p99']:7.1f} {middle['cpu']:7.0f} {middle['batch']:10,.0f} "
                f"{middle['batch_cpu']:7.0f} {row['memory'][0]:4.0f} -> {row['memory'][-1]:.0f}"
            )
        for key, what in (("rate", "singles a second"), ("batch", "batched reports a second")):
            for peer in (EACH, GROUP):
                ratios = sorted(a / b for a, b in zip(rows[PRIVGE][key], rows[peer][key], strict=True))
                print(f"{what}: {statistics.median(ratios):.2f} times {peer} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
        port, worker = running[PRIVGE]
        shares = sorted(under_attack(port))
        print(f"with 300 crawlers: {statistics.median(shares):.0%} of the rate ({shares[0]:.0%} to {shares[-1]:.0%})")
        measured, recovered = overload(port)
        print(f"overload: {dict(measured.statuses)}; recovered in {recovered:.2f} s; memory {memory(worker):.0f} MB")


if __name__ == "__main__":
    main()
