"""``privge submit``: an operator simulates devices, or passes on reports of many, in batches."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click
import numpy as np

from privge._files.formats import MATRIX_NAMES
from privge._imports import require
from privge._typing import Progress
from privge.campaign import Campaign
from privge.cli.declared import file_option, flag, option, options_into, place_option
from privge.cli.ids import IdOptions
from privge.cli.options import json_option, refuse_given
from privge.cli.people import Piece, feature_pieces, report_pieces, token_source
from privge.cli.progress import progress_bar
from privge.cli.terminal import one_line
from privge.cli.token import keys_field
from privge.device.address import Address
from privge.device.contribute import fetch_campaign
from privge.device.folder import default_folder
from privge.device.outbox import Outbox
from privge.device.shards import with_shards_of
from privge.device.web import Client
from privge.errors import PrivgeError
from privge.ids import Ids
from privge.wire.limits import MAX_BATCH
from privge.wire.messages import HELD, NOT_ASKED, OPEN, OTHER_ROUND
from privge.wire.tokens import TokenOf

_GOOD = {"stored", "same"}


@dataclass(frozen=True, kw_only=True)
class PeopleOptions:
    """Whose reports are sent, and to which campaign."""

    url: str = option("--campaign", required=True, metavar="URL", help="https://host/v1/campaigns/ and the id.")
    batch_place: str | None = place_option(
        "--batch",
        about="Private features, to simulate devices: a table with id (and token), "
        f"{MATRIX_NAMES}, or a folder of Parquet files.",
    )
    reports_place: str | None = place_option(
        "--reports", about="Or finished reports, to pass them on: .parquet, or a folder."
    )

    def check(self, ids: IdOptions) -> None:
        """Refuse what does not go together."""
        if (self.batch_place is None) == (self.reports_place is None):
            raise click.UsageError("Give either --batch (features, to simulate devices) or --reports (finished).")
        if self.batch_place is None:
            refuse_given(("integer_ids", "id_columns"), "with --reports, where ids have a type already")
        else:
            ids.refuse_for(self.batch_place)


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    """Where people's tokens come from."""

    keys_file: Path | None = keys_field()
    tokens_path: Path | None = file_option("--tokens", about="Instead of keys, a table with the columns id and token.")

    def check(self) -> None:
        """Refuse two sources."""
        if self.keys_file is not None and self.tokens_path is not None:
            raise click.UsageError("Give either --keys-file or --tokens.")

    @property
    def beside(self) -> bool:
        """Whether tokens may stand beside the features."""
        return self.keys_file is None and self.tokens_path is None


@dataclass(frozen=True, kw_only=True)
class SendingOptions:
    """How reports are sent, and where they are kept."""

    state: Path | None = option(
        "--state",
        type=click.Path(path_type=Path, file_okay=False),
        help="Where finished reports are kept.  [default: privge/submit in your data folder]",
    )
    size: int = option("--size", type=click.IntRange(1, MAX_BATCH), default=1_000, help="Reports in one request.")
    insecure_http: bool = flag("--insecure-http", about="Allow plain http to another machine: others can read along.")


@click.command()
@options_into(people=PeopleOptions, ids=IdOptions, tokens=TokenOptions, sending=SendingOptions)
@json_option
def submit(
    people: PeopleOptions, ids: IdOptions, tokens: TokenOptions, sending: SendingOptions, *, as_json: bool
) -> None:
    """Send the reports of many people to a campaign, in batches.

    For simulations, and for operators who hold the data of people without a device. The service is asked first: only
    for whom it would store a report is one drawn, once, and kept before it is sent. Run the command again after any
    failure, and it goes on where it stopped with the same bytes; with another --state, whoever has a report is left
    alone. It ends with exit code 0 if a report of everybody is stored, and as a failure if somebody was refused. Of a
    folder, or an address such as s3://lab/users, one part is in memory at a time.

    A token, where a table has them, must name the node of its row. Reports that were drawn with a seed are refused.

    \b
    Examples:
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users.parquet --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users/ --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --reports reports.parquet --tokens tokens.csv
    """
    people.check(ids)
    tokens.check()
    require("sending batches", "msgspec")
    start = time.monotonic()
    totals = _Totals()
    with closing(Client(Address.parse(people.url, insecure_http=sending.insecure_http))) as client:
        campaign = fetch_campaign(client)
        token_of = token_source(campaign.id, tokens.keys_file, tokens.tokens_path)
        outbox = Outbox((sending.state or default_folder() / "submit") / campaign.id, campaign)
        with progress_bar("Sending") as progress:
            for piece in _pieces(people, ids, campaign, beside=tokens.beside):
                _submit_piece(client, outbox, piece, token_of(piece), sending.size, totals, progress)
    summary = totals.summary(campaign.id, time.monotonic() - start)
    click.echo(json.dumps(summary) if as_json else _sentence(summary, totals.outcomes, outbox))
    if not set(totals.outcomes) <= _GOOD:
        click.get_current_context().exit(PrivgeError.exit_code)


def _pieces(people: PeopleOptions, ids: IdOptions, campaign: Campaign, *, beside: bool) -> Iterator[Piece]:
    if people.batch_place is None:
        return report_pieces(str(people.reports_place))
    return feature_pieces(people.batch_place, campaign, ids, beside=beside)


@dataclass
class _Totals:
    """What the pieces so far add up to."""

    reports: int = 0
    drawn: int = 0
    acknowledged_before: int = 0
    held_before: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    def summary(self, campaign: str, seconds: float) -> dict[str, object]:
        """Return what a machine may want to know."""
        return {
            "campaign": campaign,
            "reports": self.reports,
            "drawn": self.drawn,
            "acknowledged_before": self.acknowledged_before,
            "held_before": self.held_before,
            "outcomes": dict(sorted(self.outcomes.items())),
            "seconds": round(seconds, 3),
        }


def _submit_piece(
    client: Client, outbox: Outbox, piece: Piece, token_of: TokenOf, size: int, totals: _Totals, progress: Progress
) -> None:
    """Keep a report of everybody in a piece whom the service would take, then send what it has not acknowledged."""
    from privge.device.batches import ask_batches, send_batches

    origin = client.address.origin
    campaign = with_shards_of(client, outbox.campaign, piece.ids.tolist())
    outbox = replace(outbox, campaign=campaign)
    absent = outbox.absent(piece.ids)
    reasons = _known_before(outbox, piece.ids[absent])
    asked = [place for place, reason in enumerate(reasons) if reason == OPEN]
    for place, reason in zip(
        asked, ask_batches(client, piece.ids[absent[asked]].tolist(), token_of=token_of, size=size), strict=True
    ):
        reasons[place] = reason
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


def _known_before(outbox: Outbox, ids: Ids) -> list[str]:
    """Say of whom a report could be stored, by public data and by what was drawn here, before the service is asked."""
    assignment, elsewhere = outbox.campaign.assignment, outbox.elsewhere(ids)
    asked = np.ones(len(ids), dtype=np.bool_) if assignment is None else assignment.asks(ids.tolist())
    reasons: list[str] = np.where(~asked, NOT_ASKED, np.where(elsewhere, OTHER_ROUND, OPEN)).tolist()
    return reasons


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
