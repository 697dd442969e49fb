"""``privge serve``: take reports from devices."""

import math
from pathlib import Path

import click

from privge._imports import require
from privge.cli.actor import user
from privge.cli.passwords import shows_password
from privge.cli.token import keys_option
from privge.collect.stores.rules import LIFETIME_EPSILON
from privge.errors import BadData

_FILE = click.Path(path_type=Path, dir_okay=False)


def _cap(_context: click.Context, _parameter: click.Parameter, value: str) -> float | None:
    """Read a number above 0; ``none`` sets no limit."""
    try:
        cap = math.inf if value.strip().lower() == "none" else float(value)
    except ValueError:
        cap = math.nan
    if not cap > 0:
        raise click.BadParameter("must be a number above 0, or none")
    return None if math.isinf(cap) else cap


@click.command()
@click.option("--store", "store_url", required=True, envvar="PRIVGE_STORE",
              help="sqlite:///path, a bare path (SQLite), or postgresql://...  [default: PRIVGE_STORE]")  # fmt: skip
@keys_option
@click.option("--admin-token-file", type=_FILE,
              help="Secret of the operator, 32 characters or more.  [default: PRIVGE_ADMIN_TOKEN]")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; behind a proxy, keep it local.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="0 takes a free one.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Processes. SQLite has one writer, so exactly 1; PostgreSQL takes several.")  # fmt: skip
@click.option("--tls-cert", type=_FILE, help="Certificate chain (PEM); without one, put a TLS proxy in front.")
@click.option("--tls-key", type=_FILE, help="Its private key (PEM), readable by you alone.")
@click.option("--lifetime-epsilon", callback=_cap, metavar="NUMBER", default=f"{LIFETIME_EPSILON:g}", show_default=True,
              help="The most a node may spend over all campaigns; none sets no limit.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True,
              help="Requests a second that one node may make in the long run.")  # fmt: skip
@click.option("--burst", type=click.IntRange(1), default=20, show_default=True, help="And at once.")
@click.option("--body-seconds", type=click.FloatRange(0, 600, min_open=True), default=10.0, show_default=True,
              help="Time in which a body must arrive.")  # fmt: skip
@click.option("--head-seconds", type=click.FloatRange(0, 600, min_open=True), default=15.0, show_default=True,
              help="Time in which a request must begin and its head arrive.")  # fmt: skip
@click.option("--summary-seconds", type=click.FloatRange(0, 86_400, min_open=True), default=60.0, show_default=True,
              help="How often the log sums up the requests.")  # fmt: skip
@click.option("--allow-origin", "origins", multiple=True, help="Web origin whose pages may send reports; repeatable.")
def serve(
    store_url: str, keys_file: Path | None, admin_token_file: Path | None, host: str, port: int, workers: int,
    tls_cert: Path | None, tls_key: Path | None, lifetime_epsilon: float | None, rate: float, burst: int,
    body_seconds: float, head_seconds: float, summary_seconds: float, origins: tuple[str, ...],
) -> None:  # fmt: skip
    """Take reports from devices, show people what is stored about them, and erase it on request.

    A report is acknowledged when it is on the disk. SIGTERM stops: what is under way is finished first. Logs are JSON
    lines on stderr and hold no body, address or node id. The page at / says what can be asked.

    \b
    Examples:
      privge token keygen -o keys
      privge serve --store reports.db --keys-file keys --admin-token-file admin
      PRIVGE_STORE=postgresql://... privge serve --keys-file keys --workers 4
    """
    require("the service", "granian", "msgspec", "starlette")
    from privge.collect.service.credentials import check_private, read_admin_token, read_keys
    from privge.collect.service.server import Listening, run
    from privge.collect.service.settings import Limits, Settings

    _check(store_url, workers, tls_cert, tls_key)
    if tls_key is not None:
        check_private(tls_key)
    settings = Settings(
        keys=read_keys(keys_file),
        admin_token=read_admin_token(admin_token_file),
        limits=Limits(rate=rate, burst=burst, body_seconds=body_seconds),
        origins=origins,
        summary_seconds=summary_seconds,
    )
    address = Listening(host, port, tls_cert, tls_key, head_seconds=head_seconds)
    run(
        store_url, settings, address, workers=workers, lifetime_epsilon=lifetime_epsilon, by=user(None),
        ready=lambda where: click.echo(f"Listening on {where.url}"),
    )  # fmt: skip


def _check(store_url: str, workers: int, tls_cert: Path | None, tls_key: Path | None) -> None:
    postgres = store_url.startswith(("postgresql://", "postgres://"))
    if workers > 1 and not postgres:
        raise click.UsageError("SQLite has one writer: use --workers 1, or a PostgreSQL store.")
    if postgres and shows_password(click.get_current_context(), "store_url", store_url):
        raise click.UsageError("Everybody on this machine can see a password in --store; use PRIVGE_STORE instead.")
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("TLS needs both --tls-cert and --tls-key.")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise BadData(f"{file}: no such file")
