"""``privge submit``: an operator simulates devices, or passes on reports of many, in batches."""

import json
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click

from privge._typing import Progress
from privge.cli.options import INPUT, PLACE, json_option
from privge.cli.people import Piece, TokenOf, feature_pieces, report_pieces, token_source
from privge.cli.progress import progress_bar
from privge.cli.token import keys_option
from privge.device.address import Address
from privge.device.contribute import fetch_campaign
from privge.device.folder import default_folder
from privge.device.outbox import Outbox
from privge.device.web import Service

_MAX_BATCH = 5_000
_GOOD = {"stored", "same"}


@click.command()
@click.option("--campaign", "url", required=True, metavar="URL", help="https://host/v1/campaigns/ and the id.")
@click.option("--batch", "batch_place", type=PLACE, metavar="PLACE",
              help="Private features, to simulate devices: a table with id (and token), .npz, or a folder of Parquet "
              "files.")  # fmt: skip
@click.option("--reports", "reports_place", type=PLACE, metavar="PLACE",
              help="Or finished reports, to pass them on: .parquet, or a folder of them.")  # fmt: skip
@keys_option
@click.option("--tokens", "tokens_path", type=INPUT, help="Instead of keys, a table with the columns id and token.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False),
              help="Where finished reports are kept.  [default: privge/submit in your data folder]")  # fmt: skip
@click.option("--size", type=click.IntRange(1, _MAX_BATCH), default=1_000, show_default=True,
              help="Reports in one request.")  # fmt: skip
@click.option("--insecure-http", is_flag=True, help="Allow plain http to another machine: others can read along.")
@json_option
def submit(
    url: str, batch_place: str | None, reports_place: str | None, keys_file: Path | None, tokens_path: Path | None,
    state: Path | None, size: int, *, insecure_http: bool, as_json: bool,
) -> None:  # fmt: skip
    """Send the reports of many people to a campaign, in batches.

    For simulations, and for operators who hold the data of people without a device. Every report is drawn once and kept
    before it is sent; run the command again after any failure, and it goes on where it stopped with the same bytes.
    Exit code 0 says that every report is stored. Of a folder, or an address such as s3://lab/users, one part is in
    memory at a time.

    \b
    Examples:
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users.parquet --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users/ --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --reports reports.parquet --tokens tokens.csv
    """
    if (batch_place is None) == (reports_place is None):
        raise click.UsageError("Give either --batch (features, to simulate devices) or --reports (finished).")
    start = time.monotonic()
    totals = _Totals()
    with closing(Service(Address.parse(url, insecure_http=insecure_http))) as service:
        campaign = fetch_campaign(service)
        token_of = token_source(campaign.id, keys_file, tokens_path)
        outbox = Outbox((default_folder() / "submit" if state is None else state) / campaign.id, campaign)
        with progress_bar("Sending") as progress:
            columns = campaign.names
            for piece in feature_pieces(batch_place, columns) if batch_place else report_pieces(reports_place or ""):
                _submit_piece(service, outbox, piece, token_of(piece), size, totals, progress)
    summary = {
        "campaign": campaign.id, "reports": totals.reports, "drawn": totals.drawn,
        "acknowledged_before": totals.acknowledged_before, "outcomes": dict(sorted(totals.outcomes.items())),
        "seconds": round(time.monotonic() - start, 3),
    }  # fmt: skip
    click.echo(json.dumps(summary) if as_json else _sentence(summary, totals.outcomes, outbox))
    if not set(totals.outcomes) <= _GOOD:
        click.get_current_context().exit(1)


@dataclass
class _Totals:
    """What the pieces so far add up to."""

    reports: int = 0
    drawn: int = 0
    acknowledged_before: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def _submit_piece(
    service: Service, outbox: Outbox, piece: Piece, token_of: TokenOf, size: int, totals: _Totals, progress: Progress
) -> None:
    """Keep a report of everybody in a piece, then send what the service has not acknowledged."""
    from privge.device.batches import send_batches

    origin = service.address.origin
    totals.drawn += piece.keep(outbox)
    for number, rows in outbox.places(piece.ids):
        reports = outbox.part(number)
        known = outbox.acknowledged(origin, number, len(reports))[rows]
        before = totals.reports + int(known.sum())
        totals.outcomes += send_batches(
            service,
            reports,
            rows[~known].tolist(),
            token_of=token_of,
            acknowledge=partial(outbox.acknowledge, origin, number),
            size=size,
            progress=partial(_onwards, progress, before, piece.total),
        )
        totals.reports += len(rows)
        totals.acknowledged_before += int(known.sum())
        progress(totals.reports, piece.total)


def _onwards(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    progress(before + done, total)


def _sentence(summary: dict[str, object], outcomes: Counter[str], outbox: Outbox) -> str:
    counts = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in outcomes.most_common())
    return (
        f"{summary['reports']:,} reports of campaign {outbox.campaign.id[:12]}: {counts or 'nothing left to send'}\n"
        f"  {summary['drawn']:,} drawn now; {summary['acknowledged_before']:,} were acknowledged before\n"
        f"  the finished reports are in {outbox.folder}"
    )
