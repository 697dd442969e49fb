"""A PostgreSQL of our own in a temporary folder, if this machine has one."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from collect.stores.postgres_server import PostgresServer, find_binaries


def available() -> bool:
    """Say whether PostgreSQL is installed."""
    return find_binaries() is not None


@contextmanager
def postgres() -> Iterator[PostgresServer]:
    """Run a server; its folder is removed afterwards."""
    server = PostgresServer(find_binaries())
    server.start()
    try:
        yield server
    finally:
        with suppress(subprocess.CalledProcessError):  # a scenario may have left it stopped
            server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)
