"""PostgreSQL is restarted, or takes no writes for a while, as after a failover."""

from pathlib import Path

import psycopg

from reliability.postgres import PostgresServer
from reliability.server import Server
from reliability.traffic import Outage, suffer


def restart(folder: Path, postgres: PostgresServer, *, seconds: float) -> Outage:
    """Stop PostgreSQL without warning under load and start it again."""
    with Server(folder, "--workers", "2", store=postgres.empty()) as server:
        return suffer(server, postgres.stop, postgres.start, seconds=seconds)


def refuse_writes(folder: Path, postgres: PostgresServer, *, seconds: float) -> Outage:
    """Make PostgreSQL read-only under load, and writable again."""

    def set_read_only(value: str) -> None:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
            connection.execute("SELECT pg_reload_conf()")

    with Server(folder, "--workers", "2", store=postgres.empty()) as server:
        try:
            return suffer(server, lambda: set_read_only("on"), lambda: set_read_only("off"), seconds=seconds)
        finally:
            set_read_only("off")
