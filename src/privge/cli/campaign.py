"""``privge campaign``: write the public contract of a collection, read one, publish and close it."""

import json
import math
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge._files.columns import read_ids
from privge.campaign import Assignment, Campaign
from privge.campaign.campaign import shards_beside
from privge.cli.actor import user
from privge.cli.declared import options_into
from privge.cli.fields import asked_fields
from privge.cli.ids import IdOptions
from privge.cli.operator import ServiceOptions, asking
from privge.cli.options import INPUT, OUTPUT, check_output, existing, json_option, naming, refuse_given
from privge.cli.passwords import warn_of_password
from privge.cli.shown import facts, table, warn
from privge.cli.taught import campaign_of_question
from privge.collect.publishing import check_times, warnings_of
from privge.errors import BadData, InvalidCampaign, ServiceRefused
from privge.wire import paths
from privge.wire.messages import JSON_TYPE, REPORT_TYPE

if TYPE_CHECKING:
    from privge.device.web import Reply


@click.group()
def campaign() -> None:
    """Write the public contract of a collection, show one, publish it, or close it."""


@campaign.command()
@click.option("--from", "source", type=INPUT, help="Campaign in TOML or JSON, instead of the options below.")
@click.option(
    "--question", type=INPUT, help="What `privge teach question` wrote: its question and who may be asked it."
)
@click.option("--members", type=INPUT, help="Table of ids: only these people are asked.")
@options_into(ids=IdOptions)
@asked_fields
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the canonical document goes (.json).")
def new(
    source: Path | None, question: Path | None, members: Path | None, ids: IdOptions, output: Path, **asked: object
) -> None:
    """Write the canonical document of a campaign: checked, with its integer law, named by its hash.

    Bounds, purpose and times cannot be changed afterwards: another document is another campaign. Who is asked, if not
    everybody, is in a folder beside the document, which names it by its hashes.

    \b
    Examples:
      privge campaign new --dimensions 500 --epsilon 1 --k 5 --purpose "Shared topics" -o campaign.json
      privge campaign new --names-file features.txt --low 0 --high 10 --epsilon 2 -o campaign.json
      privge campaign new --from campaign.toml -o campaign.json
      privge campaign new --from teach.toml --members teachers.csv -o teach.json
      privge campaign new --question question.json -o ask.json
    """
    check_output(output, ".json")
    if source is not None:
        refuse_given(asked, "with --from, which brings its own campaign")
        made = Campaign.load(existing(source))
        with naming(source):
            check_times(made, datetime.now(UTC))
    elif question is not None:
        made = _current(campaign_of_question(existing(question), asked))
    else:
        made = _from_options(asked)
    if members is not None:
        made = _for_members(made, existing(members), ids)
    warn(made)
    made.save(output)
    click.echo(f"Campaign {made.id} is in {output}")


def _for_members(made: Campaign, path: Path, ids: IdOptions) -> Campaign:
    """Ask only the people of a table."""
    if made.assignment is not None:
        raise click.UsageError("The campaign says itself who is asked; leave out --members.")
    people = read_ids(path, integer_ids=ids.integer_ids, column=ids.column_in("members"))
    with naming(path):
        return replace(made, assignment=Assignment.members(people.tolist()))


def _from_options(asked: dict[str, object]) -> Campaign:
    document = {name: value for name, value in asked.items() if value is not None}
    if ("names" in document) == ("dimensions" in document):
        raise click.UsageError("Give either --dimensions or --names-file.")
    if isinstance(path := document.get("names"), Path):
        document["names"] = names = _names(existing(path))
        document["dimensions"] = len(names)
    return _current(document)


def _current(document: dict[str, object]) -> Campaign:
    """Return the campaign of a document; what is wrong with it, or over already, is the fault of an option."""
    try:
        made = Campaign.from_document(document)
        check_times(made, datetime.now(UTC))
    except InvalidCampaign as error:
        raise click.UsageError(str(error)) from error
    return made


def _names(path: Path) -> list[str]:
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError:
        raise BadData(f"{path}: this is not text in UTF-8") from None
    if not names:
        raise BadData(f"{path}: there is no name in it")
    for number, name in enumerate(names, 1):
        if not name:
            raise BadData(f"{path}: line {number} is empty")
    return names


@campaign.command()
@click.argument("path", metavar="FILE", type=INPUT)
@json_option
def show(path: Path, *, as_json: bool) -> None:
    """Check a campaign, and show what it asks and what it promises: what a person needs to approve it."""
    shown = Campaign.load(existing(path))
    if as_json:
        spent = {"epsilon_each": shown.epsilon / shown.k, "realised_epsilon": shown.realised_epsilon}
        promise = {name: value if math.isfinite(value) else None for name, value in spent.items()}
        said = {"id": shown.id, **promise, "warnings": list(warnings_of(shown)), "document": shown.to_document()}
        click.echo(json.dumps(said))
        return
    for label, value in facts(shown):
        click.echo(f"{label:10} {value}")
    for line in ("", *table(shown)):
        click.echo(line)
    warn(shown)


@campaign.command()
@click.argument("path", metavar="FILE", type=INPUT)
@click.option("--service", "origin", required=True, metavar="URL", help="https://host, what comes before /v1.")
@options_into(operator=ServiceOptions)
def publish(path: Path, origin: str, operator: ServiceOptions) -> None:
    """Add a campaign to a service, and print the address that devices need.

    The shards of an assignment, in the folder beside the file, are added first: they are public, as the campaign is.
    Publishing the same campaign again changes nothing.

    \b
    Example:
      privge campaign publish campaign.json --service https://example.org --admin-token-file admin
    """
    published = Campaign.load(existing(path))
    published.check_for_devices()
    with naming(path):
        check_times(published, datetime.now(UTC))
    warn(published)
    shards = _shards(path, published)
    url = _url(origin, published.id)
    with asking(url, operator) as ask:
        for digest, content in shards.items():
            _accepted("a shard", ask("PUT", paths.shard(digest), content, REPORT_TYPE))
        _accepted("the campaign", ask("POST", paths.CAMPAIGNS, published.to_json().encode(), JSON_TYPE))
    click.echo(url)


def _shards(path: Path, published: Campaign) -> dict[str, bytes]:
    """Return the shards of a campaign by their ids; all of them must be in the folder beside the file."""
    assignment = published.assignment
    if assignment is None:
        return {}
    if not assignment.complete:
        absent = len(assignment.digests) - len(assignment.shards)
        raise BadData(f"{shards_beside(path)}: {absent:,} of the {len(assignment.digests):,} shards are not there")
    return {assignment.digests[number]: content for number, content in assignment.shards.items()}


def _accepted(what: str, answer: "Reply") -> None:
    if answer.status not in (200, 201):
        raise ServiceRefused(answer.status, f"the service refuses {what} with {answer.status}: {answer.detail}")


@campaign.command()
@click.argument("campaign_id", metavar="ID")
@click.option("--service", "origin", metavar="URL", help="https://host, what comes before /v1.")
@click.option(
    "--store",
    "store_url",
    metavar="URL",
    callback=warn_of_password,
    help="Or the store itself.  [default: PRIVGE_STORE]",
)
@options_into(operator=ServiceOptions)
def close(campaign_id: str, origin: str | None, store_url: str | None, operator: ServiceOptions) -> None:
    """Take no more reports for a campaign. Its days of retention begin; it cannot be opened again.

    With --store the first digits of the id are enough.

    \b
    Examples:
      privge campaign close 3f5a... --service https://example.org --admin-token-file admin
      privge campaign close 3f5a --store reports.db
    """
    if origin is None:
        store_url = store_url or os.environ.get("PRIVGE_STORE") or None
    if (origin is None) == (store_url is None):
        raise click.UsageError("Give either --service or --store.")
    if not re.fullmatch("[0-9a-f]+", campaign_id):
        raise click.BadParameter("an id is made of the digits 0-9 and a-f", param_hint="ID")
    if store_url is not None:
        closed, was_open = _close_in_store(store_url, campaign_id, user(operator.name))
        click.echo(f"Campaign {closed} {'is closed' if was_open else 'was closed before'}")
        return
    if len(campaign_id) != 64:
        raise click.BadParameter("a service needs all 64 digits of the id", param_hint="ID")
    url = _url(origin or "", campaign_id)
    with asking(url, operator) as ask:
        answer = ask("POST", paths.closing(campaign_id), None, None)
    if answer.status != 200:
        raise ServiceRefused(answer.status, f"the service refuses to close it with {answer.status}: {answer.detail}")
    click.echo(f"Campaign {campaign_id} is closed")


def _close_in_store(url: str, wanted: str, by: str) -> tuple[str, bool]:
    from privge.cli.sources import opened_store
    from privge.curator import find_campaign

    with opened_store(url) as store:
        found = find_campaign(store, wanted)
        return found, store.close_campaign(found, by=by)


def _url(origin: str, campaign_id: str) -> str:
    return f"{origin.rstrip('/')}{paths.campaign(campaign_id)}"
