"""The store for several service workers: PostgreSQL through psycopg 3 and its pool.

*Durability.* ``synchronous_commit`` is on: a commit returns after PostgreSQL's log is on the disk.

*One writer.* Every writing transaction holds one advisory lock until it is durable, so that workers decide one after
the other, sequence numbers become visible in order, and the cap holds over all campaigns. Workers commit whole batches,
so the lock is taken some hundred times a second, not once for each report. The unique key on (node, campaign) stands
behind it.

*Erasure.* When `erase` returns, no query gives the codes any more, and VACUUM has run over the table, so that no row
version with them is left. PostgreSQL does not overwrite what it frees. Remains of the bytes can be read from disk files
until they are written over: in free space of the table's pages (``VACUUM FULL reports`` writes the table anew), in the
write-ahead log until it is recycled, in its archive, in replicas' logs and in backups until they expire. If another
transaction is older than the erasure, VACUUM must leave the row version to it; a later VACUUM takes it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from privge.collect.stores.log import UNNAMED
from privge.collect.stores.migrating import Migration, migrations, prepare
from privge.collect.stores.session import Row, Session
from privge.collect.stores.sql import Known, SqlStore
from privge.collect.stores.statements import CampaignRow
from privge.collect.stores.store import NoBackup
from privge.errors import StoreMismatch, StoreUnavailable

_WAIT = 3.0  # seconds to wait for a connection; a device gives up after 30, and several transactions may wait in turn
_LOCK = 0x70726976  # "priv"; all workers take this one
_STEPS = migrations("postgresql")


class PostgresSession:
    """A transaction of PostgreSQL."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (what a database takes)
        """Run one statement and return its rows."""
        cursor = self._connection.execute(sql.replace("?", "%b"), values or None, binary=True)
        return [] if cursor.description is None else cursor.fetchall()

    def insert(self, reports: Sequence[Row]) -> None:
        """Insert reports."""
        columns = "COPY reports (sequence, campaign, node, day, codes) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(columns) as copy:
            copy.set_types(["int8", "int4", "bytea", "int4", "bytea"])
            for report in reports:
                copy.write_row(report)


class PostgresStore(SqlStore):
    """A store in the schema ``privge`` of a PostgreSQL database.

    Parameters
    ----------
    url
        ``postgresql://user@host/database``.
    lifetime_epsilon
        The most a node may spend over all campaigns; give every worker the same.
    create
        Whether to make the tables if there are none.
    upgrade
        Whether to bring the tables of an older version up to date.
    connections
        How many connections this process may hold.
    by
        Who is written down in the log if tables are made or changed.
    """

    _blank = "''"

    def __init__(
        self,
        url: str,
        lifetime_epsilon: float | None = None,
        *,
        create: bool = True,
        upgrade: bool = False,
        connections: int = 8,
        by: str = UNNAMED,
    ) -> None:
        super().__init__(lifetime_epsilon)
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=connections,
            timeout=_WAIT,
            reconnect_timeout=_WAIT,
            open=False,
            configure=_configure,
            check=ConnectionPool.check_connection,
            name="privge",
            kwargs={"connect_timeout": int(_WAIT), "tcp_user_timeout": int(1000 * _WAIT)},
        )
        self._pool.open()
        try:
            self.migrated = self._prepare(create=create, upgrade=upgrade, by=by)
        except BaseException:
            self._pool.close()
            raise

    def _prepare(self, *, create: bool, upgrade: bool, by: str) -> int:
        with self._writing() as session:  # the lock lets one worker at a time make the tables
            ((exists,),) = session.rows("SELECT to_regclass('privge.migrations') IS NOT NULL")
            if not exists and not create:
                raise StoreMismatch("the database does not hold a store")
            if not exists:
                session.rows("CREATE SCHEMA IF NOT EXISTS privge")
            return prepare(session, self._steps, new=not exists, upgrade=upgrade, by=by)

    @property
    def _steps(self) -> list[Migration]:
        return _STEPS

    @contextmanager
    def _reading(self) -> Iterator[PostgresSession]:
        with _translated(), self._pool.connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield PostgresSession(connection)

    @contextmanager
    def _writing(self) -> Iterator[PostgresSession]:
        with _translated(), self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            yield PostgresSession(connection)

    def _known(self, session: Session, row: CampaignRow, keys: list[bytes]) -> Known:
        """Look nodes up by their index; a table of which PostgreSQL has no statistics yet it would read as a whole."""
        session.rows("SET LOCAL enable_seqscan TO off")
        return super()._known(session, row, keys)

    def _among(self, keys: list[bytes]) -> tuple[str, list[Any]]:
        return "= ANY(?)", [keys]

    def _scrub(self) -> None:
        """Take removed row versions out of the table; see the top of this file for what may be left on the disk."""
        with _translated(), self._pool.connection() as connection:
            connection.autocommit = True
            try:
                connection.execute("VACUUM reports")
            finally:
                connection.autocommit = False

    def ready(self) -> bool:
        """Say whether a report could be stored now."""
        try:
            with self._writing() as session:
                return session.rows("SELECT current_setting('transaction_read_only')") == [("off",)]
        except StoreUnavailable:
            return False

    def _integrity(self, session: Session) -> list[str]:
        found = session.rows(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid "
            "AND indrelid IN ('reports'::regclass, 'campaigns'::regclass, 'erasures'::regclass, 'acts'::regclass)"
        )
        return [f"the index {name} is not valid" for (name,) in found]

    def size(self) -> int:
        """Return the bytes of the tables and their indices."""
        with self._reading() as session:
            found = session.rows(
                "SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint FROM unnest(ARRAY["
                "'reports', 'campaigns', 'erasures', 'acts', 'migrations', 'rounds', 'shards']) AS name "
                "WHERE to_regclass(name) IS NOT NULL"
            )
        return int(found[0][0])

    def backup(self, target: Path) -> None:  # noqa: ARG002 (as every store)
        """Refuse: PostgreSQL copies itself."""
        raise NoBackup("This is for SQLite; PostgreSQL has its own tools, such as pg_dump.")

    def close(self) -> None:
        """Let go of files and connections."""
        self._pool.close()


def _configure(connection: psycopg.Connection) -> None:
    connection.execute("SET synchronous_commit TO on")
    connection.execute("SET search_path TO privge")
    connection.commit()


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what psycopg raises into our own; its texts may name values and hosts, so only the kind is repeated."""
    try:
        yield
    except (PoolTimeout, PoolClosed) as error:
        raise StoreUnavailable(f"the database gives no connection ({type(error).__name__})") from None
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database cannot be used now ({type(error).__name__})") from None
