"""``privge store``: look after the reports that were collected."""

import json
import math
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from privge.cli.actor import as_option, user
from privge.cli.options import OUTPUT, Command, json_option
from privge.cli.passwords import warn_of_password
from privge.cli.terminal import one_line
from privge.collect.plausibility import Unexplained, unexplained
from privge.collect.publishing import NEVER_ENDS
from privge.collect.stores.log import Act
from privge.collect.stores.opening import ADDRESSES, open_store
from privge.collect.stores.rules import without_end
from privge.collect.stores.store import NoBackup
from privge.curator import find_campaign
from privge.errors import BadData, PrivgeError


def _store_option(command: Command) -> Command:
    text = f"{ADDRESSES}  [default: PRIVGE_STORE]"
    return click.option("--store", "url", required=True, envvar="PRIVGE_STORE", callback=warn_of_password, help=text)(
        command
    )


@click.group()
def store() -> None:
    """Look after the reports that were collected: counts, checks, backups, retention, erasure, and who did what."""


@store.command()
@_store_option
@json_option
def stats(url: str, *, as_json: bool) -> None:
    """Show the campaigns of a store with their counts, and its size."""
    opened = open_store(url, create=False)
    try:
        states, size = opened.campaigns(), opened.size()
    finally:
        opened.close()
    rows = [
        {
            "campaign": state.campaign.id,
            "purpose": state.campaign.purpose,
            "epsilon": state.campaign.epsilon,
            "k": state.campaign.k,
            "open": state.open,
            "reports": state.reports,
            "erased": state.erased,
        }
        for state in states
    ]
    if as_json:
        click.echo(json.dumps({"bytes": size, "campaigns": rows}))
        return
    for row in rows:
        click.echo(_line(row))
    click.echo(f"{sum(state.reports for state in states):,} reports in {size / 1e6:,.1f} MB")


def _line(row: dict[str, Any]) -> str:
    state = "open" if row["open"] else "closed"
    purpose = f"  {one_line(row['purpose'])}" if row["purpose"] else ""
    return f"{row['campaign'][:12]}  {state:6}  {row['reports']:>11,} reports  {row['erased']:>7,} erased{purpose}"


@store.command()
@_store_option
@click.option("--lifetime-epsilon", type=click.FloatRange(0, min_open=True), help="Also check that no node spent more.")
@json_option
def verify(url: str, lifetime_epsilon: float | None, *, as_json: bool) -> None:
    """Look at every row: damage, codes that do not fit, wrong counts, nodes above the cap, false reports.

    Of each campaign it says how many reports, at least, its law could not have given whatever people's values are.
    Honest reports are never counted. Liars who imitate the law cannot be seen, so none found does not mean none there.

    It ends with the exit code for bad data if something is wrong.
    """
    opened = open_store(url, _finite(lifetime_epsilon), create=False)
    try:
        problems = opened.verify()
        false = [] if problems else unexplained(opened)
        states = [] if problems else opened.campaigns()
    finally:
        opened.close()
    said = [*problems, *(_accusation(each) for each in false if each.false)]
    for state in states:
        if state.open and without_end(state.campaign):
            click.echo(f"Warning: campaign {state.campaign.id[:12]}: {NEVER_ENDS}", err=True)
    if as_json:
        shares = [asdict(each) | {"share": each.share} for each in false]
        click.echo(json.dumps({"problems": said, "unexplained": shares}))
    else:
        for line in said or ["Everything is as it must be."]:
            click.echo(one_line(line))
    if said:
        click.get_current_context().exit(BadData.exit_code)


def _accusation(found: Unexplained) -> str:
    return (
        f"campaign {found.campaign[:12]}: at least {found.false:,} of {found.reports:,} reports ({found.share:.1%}) "
        "are false: its law does not give such codes, whatever the values"
    )


def _finite(lifetime_epsilon: float | None) -> float | None:
    if lifetime_epsilon is not None and not math.isfinite(lifetime_epsilon):
        raise click.BadParameter("must be a finite number", param_hint="--lifetime-epsilon")
    return lifetime_epsilon


@store.command()
@_store_option
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the copy goes; it must not exist.")
def backup(url: str, output: Path) -> None:
    """Copy a store in a file while it is in use. A database server has its own tool, such as pg_dump.

    A backup keeps reports that are erased later. Let it expire within the time that you promise for erasure.
    """
    if not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {output.parent}", param_hint="--output")
    opened = open_store(url, create=False)
    try:
        opened.backup(output)
    except NoBackup as error:
        raise click.UsageError(str(error)) from error
    finally:
        opened.close()
    click.echo(f"A copy of the store is in {output}")


@store.command()
@_store_option
@as_option
def migrate(url: str, name: str | None) -> None:
    """Make the tables, or bring those of an older version up to date; nothing happens if they are."""
    opened = open_store(url, upgrade=True, by=user(name))
    opened.close()
    steps = opened.migrated
    click.echo(f"{steps} step{'s' if steps != 1 else ''} applied" if steps else "The tables are up to date")


@store.command()
@_store_option
@as_option
def retire(url: str, name: str | None) -> None:
    """Delete the reports of campaigns whose retention is over. Run it every day."""
    opened = open_store(url, create=False)
    try:
        retired = opened.retire(datetime.now(UTC).date(), by=user(name))
    finally:
        opened.close()
    click.echo(f"{retired:,} reports deleted")


@store.command()
@_store_option
@click.option("--node", prompt=True, help="Whose reports; asked for if left out, so that no shell remembers it.")
@click.option("--campaign", metavar="ID", help="One campaign: its id, or how it begins.  [default: all]")
@as_option
def erase(url: str, node: str, campaign: str | None, name: str | None) -> None:
    """Erase the reports of a node. It cannot send others for the same campaigns, and gets no budget back.

    Embeddings made before still reflect the report: make them anew. A node that the store does not know is a failure.
    """
    from privge.collect.stores.keys import key_of

    try:
        key_of(node)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--node") from error
    opened = open_store(url, create=False)
    try:
        wanted = None if campaign is None else find_campaign(opened, campaign)
        erased = opened.erase(node, campaign=wanted, by=user(name))
    finally:
        opened.close()
    if not erased.campaigns and not erased.before:
        raise PrivgeError(
            "there is no report of this node, and nothing was erased; ids are compared letter by letter, so look for "
            "a typing error"
        )
    if not erased.campaigns:
        click.echo("Nothing was left to erase: it was erased before, or its retention is over")
        return
    click.echo(f"{_reports(len(erased.campaigns))} erased")
    for stale in erased.campaigns:
        click.echo(f"  embeddings of campaign {stale[:12]} are stale")


@store.command()
@_store_option
@json_option
def log(url: str, *, as_json: bool) -> None:
    """Show what operators did: made, migrated, published, closed, erased, retired; who and when.

    It names no node. Of an erasure, and of what the service does by itself, only the day is kept.
    """
    opened = open_store(url, create=False)
    try:
        acts = opened.log()
    finally:
        opened.close()
    if as_json:
        click.echo(json.dumps([asdict(act) for act in acts]))
        return
    for act in acts:
        click.echo(f"{act.when:20}  {act.kind:9}  {_what(act):26}  {one_line(act.by)}")


def _what(act: Act) -> str:
    if act.kind in ("made", "migrated"):
        return f"tables of version {act.count}"
    where = "all campaigns" if act.campaign is None else act.campaign[:12]
    return where if act.count is None else f"{where}, {_reports(act.count)}"


def _reports(count: int) -> str:
    return f"{count:,} report{'s' if count != 1 else ''}"
