"""From a store's address to the store."""

from privge._imports import needed
from privge.collect.stores.log import UNNAMED
from privge.collect.stores.rules import LIFETIME_EPSILON
from privge.collect.stores.store import Store
from privge.errors import BadData


def open_store(
    url: str,
    lifetime_epsilon: float | None = LIFETIME_EPSILON,
    *,
    create: bool = True,
    upgrade: bool = False,
    by: str = UNNAMED,
) -> Store:
    """Open a store; an empty database gets its tables.

    Parameters
    ----------
    url
        ``sqlite:///relative.db``, ``sqlite:////absolute.db``, a bare path (SQLite), or ``postgresql://...``.
    lifetime_epsilon
        The most a node may spend over all campaigns; None sets no limit.
    create
        Whether to make a store that is not there.
    upgrade
        Whether to bring the tables of an older version up to date; otherwise they are refused.
    by
        Who is written down in the log if tables are made or changed.
    """
    scheme, separator, rest = url.partition("://")
    if separator and scheme in ("postgresql", "postgres"):
        with needed("a PostgreSQL store"):
            from privge.collect.stores.postgres import PostgresStore

        return PostgresStore(url, lifetime_epsilon, create=create, upgrade=upgrade, by=by)
    from privge.collect.stores.sqlite import SqliteStore

    path = _path(scheme, separator, rest, url)
    return SqliteStore(path, lifetime_epsilon, create=create, upgrade=upgrade, by=by)


def _path(scheme: str, separator: str, rest: str, url: str) -> str:
    """Return the path of an SQLite store; an address of another kind may hold a password and is not repeated."""
    if not separator:
        path = url
    elif scheme != "sqlite":
        raise BadData(f"a store is sqlite:///path, a bare path or postgresql://..., not {scheme}://")
    elif not rest.startswith("/"):
        raise BadData("an SQLite store is sqlite:///relative.db or sqlite:////absolute.db")
    else:
        path = rest[1:]
    if not path or path == ":memory:":
        raise BadData("an SQLite store needs the path of a file")
    return path
