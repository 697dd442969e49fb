"""A real PostgreSQL in a temporary folder, reachable only through a socket in it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

_WHERE = ("/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt", "/usr/pgsql")


def find_binaries() -> Path | None:
    """Return the folder of initdb and pg_ctl, of the newest version."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).resolve().parent
    folders = [path.parent for root in _WHERE for path in Path(root).glob("**/bin/initdb")]
    return max(folders, default=None)


def required() -> bool:
    return os.environ.get("CI") in ("1", "true") or os.environ.get("PRIVGE_REQUIRE_POSTGRES") == "1"


class PostgresServer:
    """A server that lives as long as the tests; it does not run as root, so root runs it as nobody."""

    def __init__(self, binaries: Path) -> None:
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="privge-pg-"))
        self._as: dict[str, object] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self._run("initdb", "-D", "data", "-U", "privge", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.binaries / program, *arguments], cwd=self.folder, check=True, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as,
        )  # fmt: skip

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=200 -c fsync=off"  # no power cut here
        self._run("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "log", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-t", "60", "-m", mode, "stop")

    @property
    def url(self) -> str:
        return f"postgresql://privge@/postgres?host={self.folder}"

    def empty(self) -> str:
        """Return the address of the database, with nothing in it and nobody connected."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            connection.execute("DROP SCHEMA IF EXISTS privge CASCADE")
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def server_or_skip() -> PostgresServer:
    binaries = find_binaries()
    if binaries is None and required():
        pytest.fail("PostgreSQL is required here, but initdb is nowhere: install it or put its programs on PATH")
    if binaries is None:
        pytest.skip("no PostgreSQL on this machine: install it to test this store")
    return PostgresServer(binaries)
