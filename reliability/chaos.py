"""The chaos suite: kills, lost answers, sieges, broken disks and databases, wrong clocks, erasure, fuzz, a model."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import psycopg

from reliability import databases, postgres
from reliability.clocks import rotate_keys, skew_devices, skew_platform
from reliability.crashes import kill_on_sqlite, kill_under_load
from reliability.delivery import lose_answers, speak_at_once
from reliability.disks import fill_disk, limit_files, turn_read_only
from reliability.erasing import count_files, erase_under_load
from reliability.fuzz import decoders, follow_schema, spoiled_requests
from reliability.liars import wait_for_liars
from reliability.model import services_agree, stores_agree
from reliability.reading import read_among_many
from reliability.server import Server
from reliability.siege import besiege, dripping_bodies, idle_batches, idle_singles
from reliability.table import NotPossible, Scenario, main

Measure = Callable[[Path], tuple[str, bool]]


def scenarios() -> Sequence[Scenario]:
    """Return the promises of this suite."""
    lost = "0 acknowledged lost, 0 duplicates, ready again in < 2 s"
    outage = "503, no damage, recovers by itself"
    held = "every honest report stored; honest rate ≥ 90 %"
    return (
        Scenario("SIGKILL under load, 50 times, SQLite", lost, _judged(partial(kill_on_sqlite, kills=50))),
        Scenario("SIGKILL under load, 10 times, PostgreSQL", lost, _with_postgres(_kill_on_postgres)),
        Scenario(
            "Response swallowed after the commit, 20 % of requests",
            "clients converge; rows = people; bytes identical",
            _judged(partial(lose_answers, devices=150, proxied=20_000)),
        ),
        Scenario("100 different reports of one node at once, SQLite", "1 stored, 99 × 409", _at_once),
        Scenario(
            "100 different reports of one node at once, PostgreSQL, 2 workers", "1 stored, 99 × 409",
            _with_postgres(lambda folder, server: _at_once(folder, store=server.empty(), workers=2)),
        ),
        Scenario(
            "Siege: 24 idle batches of 4 MiB, of strangers, of 8 people with a token, and of 1", held,
            _judged(partial(besiege, besiegers=idle_batches, rounds=40, reports=1_500)),
        ),
        Scenario(
            "Siege: 520 idle singles of 26 people with a token", held,
            _judged(partial(besiege, besiegers=idle_singles, rounds=40, reports=1_500)),
        ),
        Scenario(
            "Siege: 520 reports and 26 batches that drip, a byte a second", held,
            _judged(partial(besiege, besiegers=dripping_bodies, drip=True, rounds=40, reports=1_500)),
        ),
        Scenario(
            "A service that drips heads or bodies, says 100 Continue for ever, or nothing",
            "a device gives up within 1.5 times the timeout; a line says that it waits", _judged(wait_for_liars),
        ),
        Scenario(
            "40 campaigns of 1.5 MB beside the one that is asked about", "GET /v1/me and the list: ≤ 2 times as long",
            _judged(read_among_many),
        ),
        Scenario("Disk full, SQLite", outage, _fill),
        Scenario("Writing forbidden, SQLite", outage, _judged(partial(limit_files, seconds=3))),
        Scenario("File system turns read-only, SQLite", "503, no damage, goes on when it is repaired", turn_read_only),
        Scenario("Read-only, PostgreSQL", outage, _with_postgres(_judged_on(databases.refuse_writes, seconds=3))),
        Scenario("Restarted, PostgreSQL", outage, _with_postgres(_judged_on(databases.restart, seconds=3))),
        Scenario("Clocks ± 1 day, key rotation", "0 valid reports refused", _clocks),
        Scenario("Erasure, SQLite", "bytes nowhere: store, write-ahead log, service log, next export", _erase),
        Scenario(
            "Erasure, PostgreSQL", "in no query and no export (files: see below)", _with_postgres(_erase_on_postgres),
        ),
        Scenario("Fuzz", "≥ 100,000 inputs, no 5xx, no bytes of bodies in log or store", _fuzz),
        Scenario("Model: upload, replay, erase, close, rotate, crash, SQLite", "they agree; ledger ≤ cap", _model),
        Scenario(
            "Model: upload, replay, erase, close, rotate, crash, PostgreSQL", "they agree; ledger ≤ cap",
            _with_postgres(_model),
        ),
    )  # fmt: skip


def _judged(measure) -> Measure:
    def judged(folder: Path) -> tuple[str, bool]:
        result = measure(folder)
        return str(result), result.kept

    return judged


def _judged_on(measure, **options):
    def judged(folder: Path, server: postgres.PostgresServer) -> tuple[str, bool]:
        result = measure(folder, server, **options)
        return str(result), result.kept

    return judged


def _with_postgres(measure) -> Measure:
    def measured(folder: Path) -> tuple[str, bool]:
        if not postgres.available():
            raise NotPossible("PostgreSQL is not installed here")
        with postgres.postgres() as server:
            return measure(folder, server)

    return measured


def _kill_on_postgres(folder: Path, database: postgres.PostgresServer) -> tuple[str, bool]:
    server = Server(folder, "--workers", "2", store=database.empty())
    with server:
        result = kill_under_load(server, kills=10)
    return str(result), result.kept


def _at_once(folder: Path, *, store: str = "", workers: int = 1) -> tuple[str, bool]:
    told = speak_at_once(folder, store=store, workers=workers)
    return told, told == "1 stored, 99 × 409, 1 row"


def _fill(folder: Path) -> tuple[str, bool]:
    result = fill_disk(folder, seconds=3)
    return f"{result}; /readyz {result.ready}", result.kept and result.ready == 503


def _clocks(folder: Path) -> tuple[str, bool]:
    tokens, rotations, devices = (folder / name for name in ("tokens", "rotations", "devices"))
    for place in (tokens, rotations, devices):
        place.mkdir()
    skewed = skew_platform(tokens, people=500)
    rotated = rotate_keys(rotations, rotations=4, people=300)
    refusals = skew_devices(devices)
    refused = sum(count for status, count in (skewed + rotated).items() if status not in (200, 201))
    total = sum((skewed + rotated).values())
    return f"{refused} of {total:,} tokens, {len(refusals)} of 6 devices refused", not refused and not refusals


def _erase(folder: Path) -> tuple[str, bool]:
    result = erase_under_load(folder, people=1_200, kills=8)
    wide = folder / "wide"
    wide.mkdir()
    other = erase_under_load(wide, people=300, kills=2, k=500)  # reports of several pages
    return f"{result}; k = 500: {other}", result.kept and other.kept


def _erase_on_postgres(folder: Path, server: postgres.PostgresServer) -> tuple[str, bool]:
    result = erase_under_load(folder, people=1_200, kills=8, store=server.empty())
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    heap, log = (server.folder / "data" / name for name in ("base", "pg_wal"))
    remains = [count_files(place.rglob("*"), result.victims) for place in (heap, log)]
    text = str(result).replace("found 0 times in files, ", "")
    return f"{text}; remains in {remains[0]} files of tables and {remains[1]} of the write-ahead log", result.kept


def _fuzz(folder: Path) -> tuple[str, bool]:
    sockets, schema = folder / "sockets", folder / "schema"
    sockets.mkdir()
    schema.mkdir()
    spoiled = spoiled_requests(sockets, requests=100_000)
    followed, fine = follow_schema(schema, examples=50)
    inputs = decoders(examples=34_000)
    return f"{spoiled}; {followed}; {inputs}", spoiled.kept and fine


def _model(_: Path, server: postgres.PostgresServer | None = None) -> tuple[str, bool]:
    store = stores_agree(server, examples=300 if server is None else 60, steps=40)
    service = services_agree(server, examples=12, steps=30)
    return f"agree in {store} and {service}", True


if __name__ == "__main__":
    main("chaos", scenarios, __doc__)
