"""``privge campaign``: write the public contract of a collection, read one, publish and close it."""

import json
import math
import os
import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.campaign import Campaign
from privge.cli.actor import as_field, user
from privge.cli.declared import file_option, flag, option, options_into
from privge.cli.options import INPUT, OUTPUT, check_output, existing, json_option, naming, refuse_given
from privge.cli.shown import facts, table, warn
from privge.collect.publishing import check_times, warnings_of
from privge.errors import BadData, InvalidCampaign, ServiceRefused
from privge.mechanisms import LAWS, MAX_LEVELS

if TYPE_CHECKING:
    from privge.device.web import Answer


@click.group()
def campaign() -> None:
    """Write the public contract of a collection, show one, publish it, or close it."""


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """The fields of a campaign; each is a field of its document, and left out of it if it is left out here."""

    dimensions: int | None = option("--dimensions", type=click.IntRange(1), help="How many features a person has.")
    low: float = option("--low", type=float, default=0.0, help="Public lower bound of every feature.")
    high: float = option("--high", type=float, default=1.0, help="Public upper bound of every feature.")
    mechanism: str = option("--mechanism", type=click.Choice(list(LAWS)), default="hds", help="What devices run.")
    epsilon: float | None = option("--epsilon", type=float, help="Privacy budget of a person's whole report.")
    k: int | None = option(
        "--k", type=click.IntRange(1), help="Features a person reports.  [default: epsilon / 2.5, at least 1]"
    )
    levels: int | None = option(
        "--levels", type=click.IntRange(2, MAX_LEVELS), help="Input levels of the grid.  [default: 1025]"
    )
    out_of_bounds: str = option(
        "--out-of-bounds",
        type=click.Choice(["clip", "midpoint", "refuse"]),
        default="clip",
        help="What a value outside the bounds becomes (refuse: simulations only).",
    )
    missing: str = option(
        "--missing",
        type=click.Choice(["midpoint", "low", "high", "refuse"]),
        default="midpoint",
        help="What a missing value counts as (refuse: simulations only).",
    )
    purpose: str = option("--purpose", default="", help="Why you ask, in words for the person who is asked.")
    opens: str | None = option("--opens", help="Time with a zone, such as 2027-01-01T00:00:00Z.")
    closes: str | None = option("--closes", help="Time with a zone; no report is taken after it.")
    retention_days: int | None = option(
        "--retention", type=click.IntRange(0), help="Days to keep the reports after --closes."
    )


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """Who acts, when a service is asked as its operator."""

    admin_token_file: Path | None = file_option(
        "--admin-token-file", about="The operator's secret.  [default: PRIVGE_ADMIN_TOKEN]"
    )
    name: str | None = as_field()
    insecure_http: bool = flag("--insecure-http", about="Allow plain http to another machine: others can read along.")


@campaign.command()
@click.option("--from", "source", type=INPUT, help="Campaign in TOML or JSON, instead of the options below.")
@click.option("--names-file", type=INPUT, help="Names of the features, one on each line, instead of --dimensions.")
@options_into(asked=DocumentOptions)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the canonical document goes (.json).")
def new(source: Path | None, names_file: Path | None, asked: DocumentOptions, output: Path) -> None:
    """Write the canonical document of a campaign: checked, with its integer law, named by its hash.

    Bounds, purpose and times cannot be changed afterwards: another document is another campaign.

    \b
    Examples:
      privge campaign new --dimensions 500 --epsilon 1 --k 5 --purpose "Shared topics" -o campaign.json
      privge campaign new --names-file features.txt --low 0 --high 10 --epsilon 2 -o campaign.json
      privge campaign new --from campaign.toml -o campaign.json
    """
    check_output(output, ".json")
    if source is not None:
        decided = ("names_file", *(field.name for field in fields(DocumentOptions)))
        refuse_given(decided, "with --from, which brings its own campaign")
        made = Campaign.load(existing(source))
        with naming(source):
            check_times(made, datetime.now(UTC))
    else:
        made = _from_options(names_file, asked)
    warn(made)
    made.save(output)
    click.echo(f"Campaign {made.id} is in {output}")


def _from_options(names_file: Path | None, asked: DocumentOptions) -> Campaign:
    document = {field: value for field, value in asdict(asked).items() if value is not None}
    if (names_file is None) == ("dimensions" not in document):
        raise click.UsageError("Give either --dimensions or --names-file.")
    if names_file is not None:
        document["names"] = names = _names(existing(names_file))
        document["dimensions"] = len(names)
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
        spent = {"epsilon_each": shown.epsilon / shown.k, "realised_epsilon": shown.sampled.realised_epsilon}
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
    url = _url(origin, published.id)
    answer = _ask(url, "/v1/campaigns", published.to_json().encode(), operator)
    if answer.status not in (200, 201):
        raise ServiceRefused(answer.status, f"the service refuses the campaign with {answer.status}: {answer.detail}")
    click.echo(url)


@campaign.command()
@click.argument("campaign_id", metavar="ID")
@click.option("--service", "origin", metavar="URL", help="https://host, what comes before /v1.")
@click.option("--store", "store_url", metavar="URL", help="Or the store itself.  [default: PRIVGE_STORE]")
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
    answer = _ask(url, f"/v1/campaigns/{campaign_id}/close", None, operator)
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
    return f"{origin.rstrip('/')}/v1/campaigns/{campaign_id}"


def _ask(url: str, path: str, body: bytes | None, operator: ServiceOptions) -> "Answer":
    """Ask a service as its operator."""
    from privge.collect.service.credentials import ADMIN_VARIABLE, read_admin_token
    from privge.device.address import Address
    from privge.device.web import Service

    token = read_admin_token(operator.admin_token_file)
    if token is None:
        raise click.UsageError(f"Give --admin-token-file, or the secret in {ADMIN_VARIABLE}.")
    headers = {"Authorization": f"Bearer {token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if operator.name is not None:
        headers["Privge-Operator"] = operator.name
    service = Service(Address.parse(url, insecure_http=operator.insecure_http))
    try:
        return service.ask("POST", f"{service.address.base}{path}", body=body, headers=headers)
    finally:
        service.close()
