"""Putting reports of random ids into the stores: what makes it fast, and what was tried and does not.

python benchmarks/stores.py                       # a short run of both, for `make bench`
python benchmarks/stores.py sqlite 1000000        # settings of SQLite, before and now
python benchmarks/stores.py rows 500000           # ways to send rows to PostgreSQL
python benchmarks/stores.py partitions 3000000    # one table against one that is partitioned by node, with plans
"""

import os
import statistics
import sys
import tempfile
import time
from datetime import date
from itertools import islice
from pathlib import Path

import numpy as np
import psycopg

import privge as pg
from postgres import postgres
from privge.collect.stores import Upload, open_store
from privge.collect.stores import postgres as postgres_store
from privge.collect.stores import sqlite as sqlite_store

CAMPAIGN = pg.Campaign(dimensions=500, low=0, high=1, mechanism="hds", epsilon=1.0, k=5)
DAY, BATCH, GROUP, ROUNDS, PARTITIONS, PAGES = date(2027, 2, 3), 5_000, 20_000, 3, 32, 5
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
    """Put random ids: the former settings, today's, and today's with larger transactions."""
    reports = uploads(count)
    ways = {
        "former: cache 8 MB, log 16 MB, by 5,000": (8, 4_000, BATCH),
        "now: cache 32 MB, log 64 MB, by 5,000": (32, 16_000, BATCH),
        "now, but by 20,000": (32, 16_000, GROUP),
    }
    rates, traffic, logs = {name: [] for name in ways}, {}, {}
    for _ in range(ROUNDS):
        for name, (cache, log, batch) in ways.items():
            sqlite_store._CACHE_KIB, sqlite_store._LOG_PAGES = cache * 1024, log
            with tempfile.TemporaryDirectory(prefix="privge-bench-", dir=Path.cwd()) as folder:
                store, before = opened(f"{folder}/reports.db"), written()
                rates[name].append(count / put(store, reports, batch))
                traffic[name] = (written() - before) / count
                logs[name] = Path(f"{folder}/reports.db-wal").stat().st_size / 1e6
                store.close()
    print(f"SQLite, {count:,} random ids")
    for name, found in rates.items():
        told(name, found, f"{traffic[name]:,.0f} bytes written a report, log {logs[name]:.0f} MB")


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


def without_statistics(address):
    """Keep PostgreSQL from looking at the tables by itself."""
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relname ~ '^reports(_[0-9]+)?$' AND relkind = 'r'"
        )
        for (name,) in found.fetchall():
            connection.execute(f"ALTER TABLE privge.{name} SET (autovacuum_enabled = off)")


def bytes_of(address):
    with psycopg.connect(address) as connection:
        return connection.execute(
            "SELECT sum(pg_relation_size(oid)), sum(pg_indexes_size(oid)) FROM pg_class "
            "WHERE relname ~ '^reports(_[0-9]+)?$' AND relkind IN ('r', 'p')"
        ).fetchone()


def reading(store):
    """Return the reports a second of the first pages: what a plan that sorts all that is left is worst at."""
    start = time.perf_counter()
    count = sum(len(block.ids) for block in islice(store.read(CAMPAIGN.id), PAGES))
    return count / (time.perf_counter() - start)


def sorting(address):
    """Open a store that lets PostgreSQL sort pages, as the former version did."""
    configure = postgres_store._configure

    def let_sort(connection):
        configure(connection)
        connection.execute("SET enable_bitmapscan TO on")
        connection.commit()

    postgres_store._configure = let_sort
    try:
        store = open_store(address)
        store.ready()
        return store
    finally:
        postgres_store._configure = configure


def page_plan(address, count):
    """Return how PostgreSQL reads a page in the middle, on a connection like the store's."""
    page = (
        f"SELECT sequence, node, codes FROM reports WHERE campaign = 1 AND sequence > {count // 2} "  # noqa: S608
        f"AND sequence <= {count} AND erased = 0 ORDER BY sequence LIMIT 65536"
    )
    with psycopg.connect(address) as connection:
        postgres_store._configure(connection)
        lines = [line for (line,) in connection.execute(f"EXPLAIN (ANALYZE, BUFFERS) {page}")]
    shown = [line for line in lines if any(word in line for word in ("Scan", "Sort", "Merge", "Buffers"))]
    return "\n".join(f"        {line}" for line in [*shown[:5], f"{lines[-1]}, {len(lines)} lines"])


def log_bytes(server):
    with psycopg.connect(server.url) as connection:
        return int(connection.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()[0])


def partitions(count):
    """Fill both tables in turn; then read, ask and erase in turn, before and after PostgreSQL has looked at them."""
    step = min(count, 500_000)
    with postgres() as server:
        addresses = {"one table": server.database("plain"), f"{PARTITIONS} partitions": server.database("parts")}
        stores = {name: opened(address) for name, address in addresses.items()}
        partition(addresses[f"{PARTITIONS} partitions"])
        for address in addresses.values():
            without_statistics(address)
        rates, logs = ({name: [] for name in stores} for _ in range(2))
        for number in range(count // step):
            some = uploads(step, number)
            for name, store in stores.items():
                before = log_bytes(server)
                rates[name].append(step / put(store, some))
                logs[name].append((log_bytes(server) - before) / step)
        print(f"PostgreSQL, {count:,} random ids by {BATCH:,}, each {step:,} in turn")
        for name in stores:
            table, indices = bytes_of(addresses[name])
            rest = f"{table / count:.0f} + {indices / count:.0f} bytes a report, log {min(logs[name]):.0f}"
            told(name, rates[name], f"{rest} to {max(logs[name]):.0f}; the last {rates[name][-1]:,.0f}/s")
        nodes = [each.node for each in some[:BATCH]]
        former = {name: sorting(address) for name, address in addresses.items()}
        for when in ("no statistics", "after ANALYZE"):
            rows = {}
            for _ in range(ROUNDS):
                for name, store in stores.items():
                    rows.setdefault(f"{name}, {when}: read", []).append(reading(store))
                    rows.setdefault(f"{name}, {when}: read, may sort", []).append(reading(former[name]))
                    asked = BATCH / seconds(lambda store=store: store.ask(CAMPAIGN.id, nodes))
                    rows.setdefault(f"{name}, {when}: ask", []).append(asked)
            for name, found in rows.items():
                told(name, found)
            for name, address in addresses.items():
                print(f"{name}, {when}, a page in the middle:", page_plan(address, count), sep="\n", flush=True)
                with psycopg.connect(address, autocommit=True) as connection:
                    connection.execute("ANALYZE privge.reports")
        for store in former.values():
            store.close()
        for name, store in stores.items():
            erasing = [1000 * seconds(lambda node=node, store=store: store.erase(node)) for node in nodes[:8]]
            others = sorted(erasing[1:])
            middle = statistics.median(others)
            print(
                f"{name}: first erasure {erasing[0]:.0f} ms, others {middle:.0f} ({others[0]:.0f} to {others[-1]:.0f})"
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
