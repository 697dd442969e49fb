"""``privge submit``: an operator simulates devices, or passes on reports of many, in batches."""

import json
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import click
import numpy as np

from privge._imports import require
from privge._typing import Progress
from privge.cli.options import INPUT, PLACE, integer_ids_option, json_option, refuse_integer_ids
from privge.cli.people import Piece, feature_pieces, report_pieces, token_source
from privge.cli.progress import progress_bar
from privge.cli.terminal import one_line
from privge.cli.token import keys_option
from privge.device.address import Address
from privge.device.contribute import fetch_campaign
from privge.device.folder import default_folder
from privge.device.outbox import Outbox
from privge.device.web import Client
from privge.wire.limits import MAX_BATCH
from privge.wire.messages import HELD, OPEN
from privge.wire.tokens import TokenOf

_GOOD = {"stored", "same"}


@click.command()
@click.option("--campaign", "url", required=True, metavar="URL", help="https://host/v1/campaigns/ and the id.")
@click.option("--batch", "batch_place", type=PLACE, metavar="PLACE",
              help="Private features, to simulate devices: a table with id (and token), .npz, or a folder of Parquet "
              "files.")  # fmt: skip
@click.option("--reports", "reports_place", type=PLACE, metavar="PLACE",
              help="Or finished reports, to pass them on: .parquet, or a folder of them.")  # fmt: skip
@integer_ids_option
@keys_option
@click.option("--tokens", "tokens_path", type=INPUT, help="Instead of keys, a table with the columns id and token.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False),
              help="Where finished reports are kept.  [default: privge/submit in your data folder]")  # fmt: skip
@click.option("--size", type=click.IntRange(1, MAX_BATCH), default=1_000, show_default=True,
              help="Reports in one request.")  # fmt: skip
@click.option("--insecure-http", is_flag=True, help="Allow plain http to another machine: others can read along.")
@json_option
def submit(
    url: str, batch_place: str | None, reports_place: str | None, keys_file: Path | None, tokens_path: Path | None,
    state: Path | None, size: int, *, integer_ids: bool, insecure_http: bool, as_json: bool,
) -> None:  # fmt: skip
    """Send the reports of many people to a campaign, in batches.

    For simulations, and for operators who hold the data of people without a device. The service is asked first: only
    for whom it would store a report is one drawn, once, and kept before it is sent. Run the command again after any
    failure, and it goes on where it stopped with the same bytes; with another --state, whoever has a report is left
    alone. Exit code 0 says that a report of everybody is stored, 1 that somebody was refused. Of a folder, or an
    address such as s3://lab/users, one part is in memory at a time.

    A token, where a table has them, must name the node of its row. Reports that were drawn with a seed are refused.

    \b
    Examples:
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users.parquet --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users/ --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --reports reports.parquet --tokens tokens.csv
    """
    if (batch_place is None) == (reports_place is None):
        raise click.UsageError("Give either --batch (features, to simulate devices) or --reports (finished).")
    if keys_file is not None and tokens_path is not None:
        raise click.UsageError("Give either --keys-file or --tokens.")
    if integer_ids:
        if batch_place is None:
            raise click.UsageError("--integer-ids has no effect with --reports, where ids have a type already.")
        refuse_integer_ids(batch_place)
    require("sending batches", "msgspec")
    start = time.monotonic()
    totals = _Totals()
    with closing(Client(Address.parse(url, insecure_http=insecure_http))) as client:
        campaign = fetch_campaign(client)
        token_of = token_source(campaign.id, keys_file, tokens_path)
        outbox = Outbox((default_folder() / "submit" if state is None else state) / campaign.id, campaign)
        beside = campaign.id if keys_file is None and tokens_path is None else None
        pieces = (
            report_pieces(reports_place)
            if reports_place is not None
            else feature_pieces(batch_place or "", campaign.names, campaign=beside, integer_ids=integer_ids)
        )
        with progress_bar("Sending") as progress:
            for piece in pieces:
                _submit_piece(client, outbox, piece, token_of(piece), size, totals, progress)
    summary = {
        "campaign": campaign.id, "reports": totals.reports, "drawn": totals.drawn,
        "acknowledged_before": totals.acknowledged_before, "held_before": totals.held_before,
        "outcomes": dict(sorted(totals.outcomes.items())),
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
    held_before: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def _submit_piece(
    client: Client, outbox: Outbox, piece: Piece, token_of: TokenOf, size: int, totals: _Totals, progress: Progress
) -> None:
    """Keep a report of everybody in a piece whom the service would take, then send what it has not acknowledged."""
    from privge.device.batches import ask_batches, send_batches

    origin = client.address.origin
    absent = outbox.absent(piece.ids)
    reasons = ask_batches(client, piece.ids[absent].tolist(), token_of=token_of, size=size)
    refused = absent[np.array([reason != OPEN for reason in reasons], dtype=np.bool_)]
    taken = np.setdiff1d(np.arange(len(piece.ids)), refused)
    totals.drawn += piece.keep(outbox, taken)
    totals.held_before += reasons.count(HELD)
    totals.outcomes.update(reason for reason in reasons if reason not in (OPEN, HELD))
    totals.reports += len(refused)
    for number, rows in outbox.places(piece.ids[taken]):
        reports = outbox.part(number)
        known = outbox.acknowledged(origin, number, len(reports))[rows]
        before = totals.reports + int(known.sum())
        totals.outcomes += send_batches(
            client,
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
    counts = ", ".join(f"{count:,} {one_line(reason).replace('_', ' ')}" for reason, count in outcomes.most_common())
    return (
        f"{summary['reports']:,} reports of campaign {outbox.campaign.id[:12]}: {counts or 'nothing left to send'}\n"
        f"  {summary['drawn']:,} drawn now; {summary['acknowledged_before']:,} were acknowledged before; "
        f"{summary['held_before']:,} were stored before by another state\n"
        f"  the finished reports are in {outbox.folder}"
    )
