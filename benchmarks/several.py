"""One, two and four processes of the service on one PostgreSQL: throughput, and what is the store's share of it.

Client, services and database share this machine's processors, so more processes than cores cannot be faster; what
counts is the processor time of each part for a report, and what the database waits for. All services run at the same
time, each on a database of its own in one server that waits for the disk, and are asked in turn.
"""

import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

import service
from postgres import fields, postgres
from privge.collect.service.credentials import write_keys
from privge.collect.stores import open_store
from service import CAMPAIGN, CONNECTIONS, KEY, PRIVGE, batch, expect, free_port, process, single
from service_client import send

PROCESSES, ROUNDS, SINGLES, BATCHES, AT_ONCE = (1, 2, 4), 3, 6_000, 24, 8
BATCH = service.BATCH = 2_000  # so that as many as are sent at once may wait at one process


@contextmanager
def services(server, folder):
    """Run a service of each size; give its port and processes."""
    write_keys(folder / "keys", [KEY])
    with ExitStack() as stack:
        running = {}
        for workers in PROCESSES:
            address, port = server.database(f"of_{workers}"), free_port()
            store = open_store(address)
            store.add_campaign(CAMPAIGN)
            store.close()
            command = [sys.executable, "-m", "privge", "serve", "--store", address, "--keys-file", f"{folder}/keys"]
            watching = stack.enter_context(process([*command, "--port", str(port), "--workers", str(workers)], port))
            running[workers] = (port, watching.pid)
        time.sleep(3)  # the port answers when the first of the processes is there
        yield running


def processor(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(sum(fields(int(child))[11:13]) for child in children) / 100


@contextmanager
def watched(server):
    """Look again and again at what the connections of services wait for."""
    seen, end = Counter(), threading.Event()

    def watch():
        with psycopg.connect(server.url, autocommit=True) as connection:
            while not end.wait(0.01):
                found = connection.execute(
                    "SELECT coalesce(wait_event, 'processor') FROM pg_stat_activity WHERE state <> 'idle' "
                    "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
                ).fetchall()
                seen.update(event for (event,) in found)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        end.set()
        thread.join()


def measure(server, port, pid, requests, connections, reports, status):
    """Return reports a second, microseconds of services and of the database for each, and the waits."""
    with watched(server) as waits:
        before = processor(pid), server.processor
        measured = send(port, requests, connections)
        spent, stored = processor(pid) - before[0], server.processor - before[1]
    expect(measured, status)
    return reports / measured.seconds, 1e6 * spent / reports, 1e6 * stored / reports, waits


def main():
    with tempfile.TemporaryDirectory(prefix="privge-bench-") as folder, postgres() as server:
        rows = {(what, workers): [] for what in ("singles", "batched") for workers in PROCESSES}
        with services(server, Path(folder)) as running:
            for _ in range(ROUNDS):
                for workers, (port, pid) in running.items():
                    alone = [single() for _ in range(SINGLES)]
                    row = measure(server, port, pid, alone, CONNECTIONS, SINGLES, 201)
                    rows["singles", workers].append(row)
                    many = [batch(PRIVGE) for _ in range(BATCHES)]
                    row = measure(server, port, pid, many, AT_ONCE, BATCHES * BATCH, 200)
                    rows["batched", workers].append(row)
    print(
        f"{'':8} {'processes':>9} {'reports/s':>22} {'service us':>10} {'store us':>8}  the store's connections were at"
    )
    for (what, workers), found in rows.items():
        rates = sorted(row[0] for row in found)
        spent, stored = (statistics.median(row[place] for row in found) for place in (1, 2))
        waits = sum((row[3] for row in found), Counter())
        shares = ", ".join(f"{event} {count / waits.total():.0%}" for event, count in waits.most_common(4))
        spread = f"{statistics.median(rates):,.0f} ({rates[0]:,.0f} to {rates[-1]:,.0f})"
        print(f"{what:8} {workers:9} {spread:>22} {spent:10.0f} {stored:8.0f}  {shares}")


if __name__ == "__main__":
    main()
