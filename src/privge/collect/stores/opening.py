"""From a store's address to the store. A kind of store is known to every command by its entry in `KINDS`."""

from collections.abc import Callable
from dataclasses import dataclass

from privge._imports import needed
from privge.collect.stores.log import UNNAMED
from privge.collect.stores.rules import LIFETIME_EPSILON
from privge.collect.stores.store import Store
from privge.errors import BadData


@dataclass(frozen=True, slots=True)
class Opening:
    """How a store is opened: see `open_store`."""

    lifetime_epsilon: float | None
    create: bool
    upgrade: bool
    by: str


@dataclass(frozen=True, slots=True)
class StoreKind:
    """One kind of store.

    Its module is loaded only when one is opened: an install may lack the driver of a database.

    Parameters
    ----------
    called, address
        What people call its database, and what its addresses look like: for help texts and messages.
    schemes
        What its addresses begin with.
    on_server
        Whether a server keeps it: then several processes may write, and an address may hold a password.
    opened
        Opens it, from its address.
    """

    called: str
    schemes: tuple[str, ...]
    address: str
    on_server: bool
    opened: Callable[[str, Opening], Store]


def _sqlite(url: str, how: Opening) -> Store:
    from privge.collect.stores.sqlite import SqliteStore

    return SqliteStore(_path(url), how.lifetime_epsilon, create=how.create, upgrade=how.upgrade, by=how.by)


def _postgres(url: str, how: Opening) -> Store:
    with needed("a PostgreSQL store"):
        from privge.collect.stores.postgres import PostgresStore

    return PostgresStore(url, how.lifetime_epsilon, create=how.create, upgrade=how.upgrade, by=how.by)


SQLITE = StoreKind("SQLite", ("sqlite",), "sqlite:///path, a bare path (SQLite)", on_server=False, opened=_sqlite)
POSTGRES = StoreKind("PostgreSQL", ("postgresql", "postgres"), "postgresql://...", on_server=True, opened=_postgres)

KINDS = (SQLITE, POSTGRES)
"""Every kind of store."""

ADDRESSES = ", or ".join((", ".join(kind.address for kind in KINDS[:-1]), KINDS[-1].address))
"""What the address of a store looks like, for help texts and messages."""


def kind_of(url: str) -> StoreKind:
    """Return the kind of store that an address stands for; one that is unknown may hold a password: it is not told."""
    scheme, separator, _ = url.partition("://")
    found = [kind for kind in KINDS if scheme in kind.schemes] if separator else [SQLITE]
    if not found:
        raise BadData(f"a store is {ADDRESSES}, not {scheme}://")
    return found[0]


def called(*, on_server: bool) -> str:
    """Return what the databases on a server are called, or the others."""
    return " or ".join(kind.called for kind in KINDS if kind.on_server == on_server)


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
        ``sqlite:///relative.db``, ``sqlite:////absolute.db``, a bare path (SQLite), or the address of another of
        `KINDS`, such as ``postgresql://...``.
    lifetime_epsilon
        The most a node may spend over all campaigns; None sets no limit.
    create
        Whether to make a store that is not there.
    upgrade
        Whether to bring the tables of an older version up to date; otherwise they are refused.
    by
        Who is written down in the log if tables are made or changed.
    """
    return kind_of(url).opened(url, Opening(lifetime_epsilon, create, upgrade, by))


def _path(url: str) -> str:
    """Return the path of an SQLite store."""
    _, separator, rest = url.partition("://")
    if separator and not rest.startswith("/"):
        raise BadData("an SQLite store is sqlite:///relative.db or sqlite:////absolute.db")
    path = rest[1:] if separator else url
    if not path or path == ":memory:":
        raise BadData("an SQLite store needs the path of a file")
    return path
