"""A PostgreSQL of our own for measurements: it waits for the disk, as a real one does."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from collect.stores.postgres_server import PostgresServer, find_binaries

SETTINGS = "-c listen_addresses='' -c max_connections=100 -c shared_buffers=512MB -c max_wal_size=8GB"


class Measured(PostgresServer):
    """The server of the tests, with fsync, the memory of a small machine, and its processor time."""

    def start(self):
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", f"-k {self.folder} {SETTINGS}", "start")
        self.pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def database(self, name):
        """Make a database and return its address."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url.replace("/postgres?", f"/{name}?")

    @property
    def processor(self):
        """Processor seconds of all processes of the server, those that have ended among them."""
        children = map(int, Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split())
        return sum(fields(self.pid)[11:15]) / 100 + sum(sum(fields(pid)[11:13]) for pid in children) / 100


def fields(pid):
    """Return the counters of a process, as `proc(5)` numbers them from the third one on."""
    return [int(field) if field.lstrip("-").isdigit() else 0 for field in stat(pid)]


def stat(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return ["0"] * 15


@contextmanager
def postgres():
    """Run a server; its folder is removed afterwards."""
    server = Measured(find_binaries())
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)
