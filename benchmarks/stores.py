"""Putting reports of random ids into the stores: what makes it fast, and what was tried and does not.

python benchmarks/stores.py                       # a short run of both, for `make bench`
python benchmarks/stores.py sqlite 1000000        # settings of SQLite, before and now
python benchmarks/stores.py rows 500000           # ways to send rows to PostgreSQL
python benchmarks/stores.py partitions 3000000    # one table against one that is partitioned by node
"""

import os
import statistics
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np
import psycopg

import privge as pg
from postgres import postgres
from privge.collect.stores import Upload, open_store
from privge.collect.stores import postgres as postgres_store
from privge.collect.stores import sqlite as sqlite_store

CAMPAIGN = pg.Campaign(dimensions=500, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
DAY, BATCH, GROUP, ROUNDS, PARTITIONS = date(2027, 2, 3), 5_000, 20_000, 3, 32
COLUMNS = "reports (sequence, campaign, node, day, codes)"


def uploads(count, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, CAMPAIGN.law.outputs, (count, CAMPAIGN.k)).astype("<u2")
    ids = random.integers(0, 2**62, count).tolist()
    return [Upload(node, row.tobytes()) for node, row in zip(ids, codes, strict=True)]


def put(store, reports, batch=BATCH):
    """Store reports in durable transactions of so many; return the seconds."""
    start = time.perf_counter()
    for first in range(0, len(reports), batch):
        store.put(CAMPAIGN.id, reports[first : first + batch], day=DAY)
    return time.perf_counter() - start


def opened(address):
    store = open_store(address)
    store.add_campaign(CAMPAIGN)
    return store


def told(name, rates, rest=""):
    rates = sorted(rates)
    print(f"{name:44} {statistics.median(rates):9,.0f}/s ({rates[0]:,.0f} to {rates[-1]:,.0f}) {rest}", flush=True)


def written():
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["wchar"])


def sqlite(count):
    """Put random ids: the former settings, today's, and today's with transactions as large as the queue."""
    reports = uploads(count)
    ways = {
        "former: cache 8 MB, log 16 MB, by 5,000": (8, 4_000, BATCH),
        "now: cache 32 MB, log 64 MB, by 5,000": (32, 16_000, BATCH),
        "now, by 20,000 (batches that wait together)": (32, 16_000, GROUP),
    }
    rates, traffic = {name: [] for name in ways}, {}
    for _ in range(ROUNDS):
        for name, (cache, log, batch) in ways.items():
            sqlite_store._CACHE_KIB, sqlite_store._LOG_PAGES = cache * 1024, log
            with tempfile.TemporaryDirectory(prefix="privge-bench-", dir=Path.cwd()) as folder:
                store, before = opened(f"{folder}/reports.db"), written()
                rates[name].append(count / put(store, reports, batch))
                traffic[name] = (written() - before) / count
                store.close()
    print(f"SQLite, {count:,} random ids")
    for name, found in rates.items():
        told(name, found, f"{traffic[name]:,.0f} bytes written a report")


def by_unnest(session, reports):
    arrays = [list(column) for column in zip(*reports, strict=True)]
    kinds = ("bigint", "integer", "bytea", "integer", "bytea")
    values = ", ".join(f"%b::{kind}[]" for kind in kinds)
    session._connection.execute(f"INSERT INTO {COLUMNS} SELECT * FROM unnest({values})", arrays)  # noqa: S608 (constants)


def one_by_one(session, reports):
    with session._connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {COLUMNS} VALUES (%s, %s, %s, %s, %s)", reports)  # noqa: S608 (constants)


def staged(session, reports):
    connection = session._connection
    made = "CREATE TEMPORARY TABLE IF NOT EXISTS arrived (LIKE reports INCLUDING DEFAULTS) ON COMMIT DELETE ROWS"
    connection.execute(made)
    into = f"COPY {COLUMNS.replace('reports', 'arrived')} FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(into) as copy:
        copy.set_types(["int8", "int4", "bytea", "int4", "bytea"])
        for report in reports:
            copy.write_row(report)
    names = COLUMNS.partition(" ")[2].strip("()")
    connection.execute(f"INSERT INTO {COLUMNS} SELECT {names} FROM arrived ON CONFLICT DO NOTHING")  # noqa: S608 (constants)


def rows(count):
    """Send the same reports in different ways; each keeps outcomes, ledger, lock and durability as they are."""
    reports = uploads(count)
    session = postgres_store.PostgresSession
    ways = {
        "COPY into the table (what is done)": session.insert,
        "COPY into a staging table, then INSERT": staged,
        "INSERT of arrays": by_unnest,
        "INSERT of single rows": one_by_one,
    }
    rates = {name: [] for name in ways}
    with postgres() as server:
        for _ in range(ROUNDS):
            for name, way in ways.items():
                session.insert = way
                store = opened(server.empty())
                rates[name].append(count / put(store, reports))
                store.close()
    print(f"PostgreSQL, {count:,} random ids by {BATCH:,}")
    for name, found in rates.items():
        told(name, found)


def partition(address):
    """Put a table that is partitioned by node in the place of the one that a store makes."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET search_path TO privge")
        connection.execute("ALTER TABLE reports RENAME TO plain")
        connection.execute("CREATE TABLE reports (LIKE plain INCLUDING DEFAULTS) PARTITION BY HASH (node)")
        connection.execute("DROP TABLE plain")
        for number in range(PARTITIONS):
            connection.execute(
                f"CREATE TABLE reports_{number} PARTITION OF reports "
                f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            )
        connection.execute("CREATE INDEX ON reports (campaign, sequence)")
        connection.execute("CREATE UNIQUE INDEX ON reports (node, campaign)")


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def bytes_of(address):
    with psycopg.connect(address) as connection:
        return connection.execute(
            "SELECT sum(pg_relation_size(oid)), sum(pg_indexes_size(oid)) FROM pg_class "
            "WHERE relname ~ '^reports(_[0-9]+)?$' AND relkind IN ('r', 'p')"
        ).fetchone()


def partitions(count):
    """Fill both tables in turn; then read, ask, erase and vacuum."""
    step = min(count, 500_000)
    with postgres() as server:
        addresses = {"one table": server.database("plain"), f"{PARTITIONS} partitions": server.database("parts")}
        stores = {name: opened(address) for name, address in addresses.items()}
        partition(addresses[f"{PARTITIONS} partitions"])
        rates = {name: [] for name in stores}
        for number in range(count // step):
            some = uploads(step, number)
            for name, store in stores.items():
                rates[name].append(step / put(store, some))
        print(f"PostgreSQL, {count:,} random ids by {BATCH:,}, each {step:,} in turn")
        for name, store in stores.items():
            told(name, rates[name], f"the last {rates[name][-1]:,.0f}/s")
            table, indices = bytes_of(addresses[name])
            erasing = [seconds(lambda node=each.node, store=store: store.erase(node)) for each in some[:6]]
            asking = seconds(lambda store=store: store.ask(CAMPAIGN.id, [each.node for each in some[:BATCH]]))
            reading = seconds(lambda store=store: [len(block.ids) for block in store.read(CAMPAIGN.id)])
            print(
                f"    {table / count:.0f} + {indices / count:.0f} bytes a report; read {count / reading:,.0f}/s; "
                f"ask {BATCH / asking:,.0f}/s; first erasure {erasing[0]:.2f} s, "
                f"others {1000 * statistics.median(erasing[1:]):.0f} ms"
            )
            store.close()


def main():
    parts = {"sqlite": sqlite, "rows": rows, "partitions": partitions}
    if len(sys.argv) == 3:
        parts[sys.argv[1]](int(sys.argv[2]))
    else:
        sqlite(200_000)
        rows(100_000)


if __name__ == "__main__":
    os.umask(0o077)
    main()
