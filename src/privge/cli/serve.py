"""``privge serve``: take reports from devices."""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privge._imports import require
from privge.cli.actor import user
from privge.cli.declared import file_option, option, options_into
from privge.cli.options import existing
from privge.cli.passwords import shows_password
from privge.cli.token import keys_field
from privge.collect.stores.opening import ADDRESSES, called, kind_of
from privge.collect.stores.rules import LIFETIME_EPSILON

if TYPE_CHECKING:
    from privge.collect.service.server import Pages
    from privge.collect.service.settings import Settings


def _cap(_context: click.Context, _parameter: click.Parameter, value: str) -> float | None:
    """Read a number above 0; ``none`` sets no limit."""
    try:
        cap = math.inf if value.strip().lower() == "none" else float(value)
    except ValueError:
        cap = math.nan
    if not cap > 0:
        raise click.BadParameter("must be a number above 0, or none")
    return None if math.isinf(cap) else cap


def _seconds(name: str, default: float, about: str, *, most: float = 600) -> Any:  # noqa: ANN401 (a field)
    """Declare a time."""
    allowed = click.FloatRange(0, most, min_open=True)
    return option(name, type=allowed, default=default, help=about)


@dataclass(frozen=True, kw_only=True)
class AddressOptions:
    """Where to listen."""

    host: str = option("--host", default="127.0.0.1", help="Where to listen; behind a proxy, keep it local.")
    port: int = option("--port", type=click.IntRange(0, 65_535), default=8080, help="0 takes a free one.")
    workers: int = option(
        "--workers",
        type=click.IntRange(1, 64),
        default=1,
        help=f"Processes. {called(on_server=False)} has one writer, so exactly 1; "
        f"{called(on_server=True)} takes several.",
    )
    tls_cert: Path | None = file_option(
        "--tls-cert", about="Certificate chain (PEM); without one, put a TLS proxy in front."
    )
    tls_key: Path | None = file_option("--tls-key", about="Its private key (PEM), readable by you alone.")


@dataclass(frozen=True, kw_only=True)
class AccessOptions:
    """Who may do what."""

    keys_file: Path | None = keys_field()
    admin_token_file: Path | None = file_option(
        "--admin-token-file", about="Secret of the operator, 32 characters or more.  [default: PRIVGE_ADMIN_TOKEN]"
    )
    origins: tuple[str, ...] = option(
        "--allow-origin", multiple=True, help="Web origin whose pages may send reports; repeatable."
    )


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """How much is taken from one node, and how long anything may take."""

    lifetime_epsilon: float | None = option(
        "--lifetime-epsilon",
        callback=_cap,
        metavar="NUMBER",
        default=f"{LIFETIME_EPSILON:g}",
        help="The most a node may spend over all campaigns; none sets no limit.",
    )
    rate: float = option(
        "--rate",
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        help="Requests a second that one node may make in the long run.",
    )
    burst: int = option("--burst", type=click.IntRange(1), default=20, help="And at once.")
    body_seconds: float = _seconds("--body-seconds", 10.0, "Time in which a body must arrive.")
    head_seconds: float = _seconds("--head-seconds", 15.0, "Time in which a request must begin and its head arrive.")
    summary_seconds: float = _seconds("--summary-seconds", 60.0, "How often the log sums up the requests.", most=86_400)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """What the pages for people show."""

    strings: Path | None = file_option("--strings", about="The contribution page in another language (TOML).")
    graph: Path | None = file_option("--graph", about="Edges, for the operator's room: where people take part.")
    labels: Path | None = file_option("--labels", about="Public classes (id, label): colours of its maps.")
    embeddings: Path | None = option(
        "--embeddings",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        metavar="FOLDER",
        help="Embeddings, of which the room says whether they are stale.",
    )


@click.command()
@click.option(
    "--store",
    "store_url",
    required=True,
    envvar="PRIVGE_STORE",
    help=f"{ADDRESSES}  [default: PRIVGE_STORE]",
)
@options_into(access=AccessOptions, where=AddressOptions, limits=LimitOptions, shown=PageOptions)
def serve(
    store_url: str, access: AccessOptions, where: AddressOptions, limits: LimitOptions, shown: PageOptions
) -> None:
    """Take reports from devices, show people what is stored about them, and erase it on request.

    A report is acknowledged when it is on the disk. SIGTERM stops: what is under way is finished first. Logs are JSON
    lines on stderr and hold no body, address or node id. The page at / says what can be asked; people
    are asked at /c/ and the id of a campaign, and the operator's room is at /operator.

    \b
    Examples:
      privge token keygen -o keys
      privge serve --store reports.db --keys-file keys --admin-token-file admin
      PRIVGE_STORE=postgresql://... privge serve --keys-file keys --workers 4
    """
    require("the service", "granian", "jinja2", "msgspec", "starlette", extra="serve")
    from privge.collect.service.server import Listening, run

    _check(store_url, where)
    address = Listening(where.host, where.port, where.tls_cert, where.tls_key, head_seconds=limits.head_seconds)
    run(
        store_url,
        _settings(access, limits),
        address,
        workers=where.workers,
        lifetime_epsilon=limits.lifetime_epsilon,
        by=user(None),
        pages=_pages(store_url, shown),
        ready=lambda listening: click.echo(f"Listening on {listening.url}"),
    )


def _settings(access: AccessOptions, limits: LimitOptions) -> "Settings":
    from privge.collect.service.credentials import read_admin_token, read_keys
    from privge.collect.service.settings import Limits, Settings

    return Settings(
        keys=read_keys(access.keys_file),
        admin_token=read_admin_token(access.admin_token_file),
        limits=Limits(rate=limits.rate, burst=limits.burst, body_seconds=limits.body_seconds),
        origins=access.origins,
        summary_seconds=limits.summary_seconds,
    )


def _pages(store_url: str, shown: PageOptions) -> "Pages":
    from privge.pages.contribution.page import ContributionPage
    from privge.pages.operations import operations
    from privge.pages.room.options import RoomOptions

    for path in (shown.graph, shown.labels, shown.strings):
        if path is not None:
            existing(path)
    if shown.strings is not None:
        ContributionPage(shown.strings)  # what is wrong with it is told here, not in a worker
    command = "postgresql://..." if kind_of(store_url).on_server else store_url
    return partial(operations, RoomOptions(shown.graph, shown.labels, shown.embeddings, command), shown.strings)


def _check(store_url: str, where: AddressOptions) -> None:
    from privge.collect.service.credentials import check_private

    kind = kind_of(store_url)
    if where.workers > 1 and not kind.on_server:
        others = called(on_server=True)
        raise click.UsageError(f"{kind.called} has one writer: use --workers 1, or a {others} store.")
    if kind.on_server and shows_password(click.get_current_context(), "store_url", store_url):
        raise click.UsageError("Everybody on this machine can see a password in --store; use PRIVGE_STORE instead.")
    if (where.tls_cert is None) != (where.tls_key is None):
        raise click.UsageError("TLS needs both --tls-cert and --tls-key.")
    if where.tls_cert is not None and where.tls_key is not None:
        existing(where.tls_cert)
        check_private(existing(where.tls_key))
