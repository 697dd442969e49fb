"""``privge submit``: an operator simulates devices, or passes on reports of many, in batches."""

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.campaign import Campaign
from privge.cli.options import INPUT, existing, json_option, naming
from privge.cli.progress import progress_bar
from privge.cli.token import keys_option
from privge.device.address import Address
from privge.device.contribute import fetch_campaign
from privge.device.folder import default_folder
from privge.device.outbox import Outbox
from privge.device.web import Service
from privge.errors import BadData
from privge.graph import read_features, read_ids
from privge.graph.columns import read_table
from privge.graph.readers import Features
from privge.ids import Ids
from privge.reports import Reports

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_BATCH = 5_000
_GOOD = {"stored", "same"}
_HOUR = 3_600


@click.command()
@click.option("--campaign", "url", required=True, metavar="URL", help="https://host/v1/campaigns/ and the id.")
@click.option("--batch", "batch_path", type=INPUT,
              help="Private features, to simulate devices: a table with id (and token), or .npz.")  # fmt: skip
@click.option("--reports", "reports_path", type=INPUT, help="Or finished reports (.parquet), to pass them on.")
@keys_option
@click.option("--tokens", "tokens_path", type=INPUT, help="Instead of keys, a table with the columns id and token.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False),
              help="Where finished reports are kept.  [default: privge/submit in your data folder]")  # fmt: skip
@click.option("--size", type=click.IntRange(1, _MAX_BATCH), default=1_000, show_default=True,
              help="Reports in one request.")  # fmt: skip
@click.option("--insecure-http", is_flag=True, help="Allow plain http to another machine: others can read along.")
@json_option
def submit(
    url: str, batch_path: Path | None, reports_path: Path | None, keys_file: Path | None, tokens_path: Path | None,
    state: Path | None, size: int, *, insecure_http: bool, as_json: bool,
) -> None:  # fmt: skip
    """Send the reports of many people to a campaign, in batches.

    For simulations, and for operators who hold the data of people without a device. Every report is drawn once and kept
    before it is sent; run the command again after any failure, and it goes on where it stopped with the same bytes.
    Exit code 0 says that every report is stored.

    \b
    Examples:
      privge submit --campaign https://example.org/v1/campaigns/3f... --batch users.parquet --keys-file keys
      privge submit --campaign https://example.org/v1/campaigns/3f... --reports reports.parquet --tokens tokens.csv
    """
    if (batch_path is None) == (reports_path is None):
        raise click.UsageError("Give either --batch (features, to simulate devices) or --reports (finished).")
    start = time.monotonic()
    service = Service(Address.parse(url, insecure_http=insecure_http))
    try:
        campaign = fetch_campaign(service)
        token_of = _tokens(campaign.id, keys_file, tokens_path or batch_path)
        outbox = Outbox((default_folder() / "submit" if state is None else state) / campaign.id, campaign)
        ids, drawn = _drawn(outbox, batch_path) if batch_path else _taken(outbox, reports_path)  # type: ignore[arg-type]
        reports = outbox.reports()
        rows = outbox.rows_of(reports, ids)
        known = outbox.acknowledged(service.address.origin, len(reports))[rows]
        outcomes = _send(service, outbox, reports, rows[~known], token_of, size)
    finally:
        service.close()
    summary = {
        "campaign": campaign.id, "reports": len(ids), "drawn": drawn, "acknowledged_before": int(known.sum()),
        "outcomes": dict(sorted(outcomes.items())), "seconds": round(time.monotonic() - start, 3),
    }  # fmt: skip
    click.echo(json.dumps(summary) if as_json else _sentence(summary, outcomes, outbox))
    if not set(outcomes) <= _GOOD:
        click.get_current_context().exit(1)


def _drawn(outbox: Outbox, path: Path) -> tuple[Ids, int]:
    """Draw for whoever has no report yet."""
    features = read_features(path, leave_out=("token",))
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)
    with naming(path):
        return features.ids, outbox.draw(_in_order(features, outbox.campaign), features.ids)


def _in_order(features: Features, campaign: Campaign) -> "NDArray[np.float64]":
    """Return the columns as the campaign names them; without names on either side, as they stand."""
    if features.names is None or campaign.names is None:
        return features.matrix
    if set(features.names) != set(campaign.names):
        raise BadData("the columns are not the features that the campaign asks for")
    return features.matrix[:, [features.names.index(name) for name in campaign.names]]


def _taken(outbox: Outbox, path: Path) -> tuple[Ids, int]:
    """Keep finished reports; nothing is drawn."""
    reports = Reports.from_parquet(existing(path))
    with naming(path):
        outbox.take(reports)
    return reports.ids, 0


def _tokens(campaign: str, keys_file: Path | None, table_path: Path | None) -> Callable[[str | int], str]:
    """Return what gives each node its token: a table that has them, or the platform's key."""
    if keys_file is None and table_path is not None and table_path.suffix != ".npz":
        table = read_table(table_path)
        if "token" in table.column_names:
            return _from_table(table_path, table["token"].to_pylist())
    from privge.collect.service.credentials import read_keys
    from privge.collect.tokens import mint

    key, expires = read_keys(keys_file)[0], int(time.time()) + _HOUR
    return lambda node: mint(key, node=node, campaign=campaign, expires=expires)


def _from_table(path: Path, column: list[object]) -> Callable[[str | int], str]:
    tokens = dict(zip(map(str, read_ids(path).tolist()), column, strict=True))

    def token_of(node: str | int) -> str:
        if not (token := tokens.get(str(node))):
            raise BadData(f"{path}: there is no token for one of the nodes")
        return str(token)

    return token_of


def _send(
    service: Service, outbox: Outbox, reports: Reports, rows: "NDArray[np.int64]", token_of: Callable[[str | int], str],
    size: int,
) -> Counter[str]:  # fmt: skip
    from privge.device.batches import send_batches

    with progress_bar("Sending") as progress:
        return send_batches(
            service,
            reports,
            rows.tolist(),
            token_of=token_of,
            acknowledge=lambda good: outbox.acknowledge(service.address.origin, good),
            size=size,
            progress=progress,
        )


def _sentence(summary: dict[str, object], outcomes: Counter[str], outbox: Outbox) -> str:
    counts = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in outcomes.most_common())
    return (
        f"{summary['reports']:,} reports of campaign {outbox.campaign.id[:12]}: {counts or 'nothing left to send'}\n"
        f"  {summary['drawn']:,} drawn now; {summary['acknowledged_before']:,} were acknowledged before\n"
        f"  the finished reports are in {outbox.folder}"
    )
