"""The embedded store: one SQLite file.

*Durability.* Write-ahead log with ``synchronous=FULL``: a commit returns after the log is on the disk, and a process
may be killed at any moment.

*One writer.* A lock within the process and ``BEGIN IMMEDIATE`` between processes. Readers have their own connections
and wait for nobody.

*Erasure.* Codes are overwritten in place (the migration says why that reaches every copy), then the log is moved into
the file and cut to nothing. What a disk, a file system or an older backup keeps is beyond a store's reach.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from privge._files.atomic import atomic_path
from privge.collect.stores.log import UNNAMED
from privge.collect.stores.migrating import Migration, migrations, prepare
from privge.collect.stores.session import Row, Session
from privge.collect.stores.sql import SqlStore
from privge.errors import BadData, StoreMismatch, StoreUnavailable

_WAIT = 10.0  # seconds to wait for another process
_LOG_PAGES = 16_000  # 64 MB of log before it is moved into the file: a page that changed often is moved once
_CACHE_KIB = 32 * 1024  # of pages: what one transaction changes in the index of a million random ids stays in it
_SPARE = 8 * 2**20  # bytes that must be free on the disk to be ready
_STEPS = migrations("sqlite")


class SqliteSession:
    """A transaction of SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (what a database takes)
        """Run one statement and return its rows."""
        return self._connection.execute(sql, values).fetchall()

    def insert(self, reports: Sequence[Row]) -> None:
        """Insert reports."""
        self._connection.executemany(
            "INSERT INTO reports (sequence, campaign, node, day, codes) VALUES (?, ?, ?, ?, ?)", reports
        )


class SqliteStore(SqlStore):
    """A store in one file.

    Parameters
    ----------
    path
        The file; made if it is not there, unless ``create`` is False.
    lifetime_epsilon
        The most a node may spend over all campaigns.
    create
        Whether to make a file that is not there.
    upgrade
        Whether to bring the tables of an older version up to date.
    by
        Who is written down in the log if tables are made or changed.
    """

    _blank = "zeroblob(length(codes))"

    def __init__(
        self,
        path: str | PathLike[str],
        lifetime_epsilon: float | None = None,
        *,
        create: bool = True,
        upgrade: bool = False,
        by: str = UNNAMED,
    ) -> None:
        super().__init__(lifetime_epsilon)
        self.path = Path(path)
        if not self.path.exists():
            if not create:
                raise StoreMismatch(f"{self.path}: no such store")
            _make(self.path)
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        self.migrated = self._prepare(upgrade=upgrade, by=by)
        self._tidy()

    def _prepare(self, *, upgrade: bool, by: str) -> int:
        """Make the tables of an empty file; return how many steps were applied."""
        with self._writing() as session:
            tables = {name for (name,) in session.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and "migrations" not in tables:
                raise StoreMismatch(f"{self.path}: this is a database of something else")
            return prepare(session, self._steps, new=not tables, upgrade=upgrade, by=by)

    def _tidy(self) -> None:
        """Finish the erasure that a killed process may have begun: cut the log, unless somebody is reading it."""
        if self._writer is not None:
            self._writer.execute("PRAGMA busy_timeout = 0")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._writer.execute(f"PRAGMA busy_timeout = {int(_WAIT * 1000)}")

    @property
    def _steps(self) -> list[Migration]:
        return _STEPS

    @contextmanager
    def _reading(self) -> Iterator[SqliteSession]:
        with self._translated():
            connection = self._readers.pop() if self._readers else self._connect(read_only=True)
            with _transaction(connection, "BEGIN") as session:
                yield session
            self._keep(connection)

    def _keep(self, connection: sqlite3.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._readers.append(connection)

    @contextmanager
    def _writing(self) -> Iterator[SqliteSession]:
        with self._lock, self._translated():
            connection = self._writer or self._connect()
            self._writer = None  # whatever fails, the next call begins with a new connection
            with _transaction(connection, "BEGIN IMMEDIATE") as session:
                yield session
            self._writer = connection

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnavailable("the store was closed")
        connection = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        try:
            if read_only:
                connection.execute("PRAGMA query_only = ON")
            else:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
                connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", type(error).__name__)
            if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
                raise StoreMismatch(f"{self.path}: this is not a store, or it is damaged ({name})") from None
            raise StoreUnavailable(f"{self.path}: the store cannot be used now ({name})") from None
        except UnicodeDecodeError:  # names and settings in the file itself that are not text
            raise StoreMismatch(f"{self.path}: this is not a store, or it is damaged") from None

    def _among(self, keys: list[bytes]) -> tuple[str, list[Any]]:
        return f"IN ({','.join('?' * len(keys))})", keys

    def _scrub(self) -> None:
        """Move the log into the file and cut it; waits for readers."""
        with self._lock, self._translated():
            connection = self._writer = self._writer or self._connect()
            (busy, _, _), *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if busy:
            raise StoreUnavailable(f"{self.path}: a reader holds the log, so removed bytes are still in it; try again")

    def ready(self) -> bool:
        """Say whether a report could be stored now."""
        try:
            disk = os.statvfs(self.path.parent)
            with self._writing():
                return disk.f_bavail * disk.f_frsize >= _SPARE
        except (StoreUnavailable, StoreMismatch, OSError):
            return False

    def _integrity(self, session: Session) -> list[str]:
        damage = [str(line) for (line,) in session.rows("PRAGMA integrity_check") if line != "ok"]
        strays = session.rows("PRAGMA foreign_key_check")
        return damage + ([f"{len(strays)} rows belong to no campaign"] if strays else [])

    def size(self) -> int:
        """Return the bytes of all files of the store."""
        files = (self.path.with_name(self.path.name + suffix) for suffix in ("", "-wal", "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())

    def backup(self, target: Path) -> None:
        """Copy the store while it is in use; the copy is complete or absent."""
        if target.exists():
            raise BadData(f"{target}: there is a file already, and a backup replaces nothing")
        with (
            self._translated(),
            atomic_path(target) as partial,
            closing(self._connect(read_only=True)) as source,
            closing(sqlite3.connect(partial, isolation_level=None)) as copy,
        ):
            partial.chmod(0o600)
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it

    def close(self) -> None:
        """Let go of files and connections."""
        with self._lock:
            self._closed = True
            for connection in (*self._readers, self._writer):
                if connection is not None:
                    connection.close()
            self._readers.clear()
            self._writer = None


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[SqliteSession]:
    """Commit what the block does; a connection on which anything fails is closed."""
    try:
        connection.execute(begin)
        yield SqliteSession(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise


def _make(path: Path) -> None:
    """Make an empty file that only its owner can read; SQLite gives the log the same rights."""
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise StoreUnavailable(f"{path}: the store cannot be made ({error.strerror})") from error
