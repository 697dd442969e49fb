"""``privge campaign``: write the public contract of a collection, read one, publish it."""

import json
from pathlib import Path

import click
from click.core import ParameterSource

from privge.campaign import Campaign
from privge.cli.options import INPUT, OUTPUT, check_output, existing, json_option
from privge.errors import BadData, InvalidCampaign, ServiceRefused
from privge.mechanisms import LAWS, MAX_LEVELS


@click.group()
def campaign() -> None:
    """Write the public contract of a collection, show one, or publish it."""


@campaign.command()
@click.option("--from", "source", type=INPUT, help="Campaign in TOML or JSON, instead of the options below.")
@click.option("--dimensions", type=click.IntRange(1), help="How many features a person has.")
@click.option("--names-file", type=INPUT, help="Or their names, one on each line.")
@click.option("--low", type=float, default=0.0, show_default=True, help="Public lower bound of every feature.")
@click.option("--high", type=float, default=1.0, show_default=True, help="Public upper bound of every feature.")
@click.option("--mechanism", type=click.Choice(list(LAWS)), default="hds", show_default=True, help="What devices run.")
@click.option("--epsilon", type=float, help="Privacy budget of a person's whole report.")
@click.option("--k", type=click.IntRange(1), help="Features a person reports.  [default: epsilon / 2.5, at least 1]")
@click.option("--levels", type=click.IntRange(2, MAX_LEVELS), help="Input levels of the grid.  [default: 1025]")
@click.option("--out-of-bounds", type=click.Choice(["clip", "midpoint", "refuse"]), default="clip", show_default=True,
              help="What a value outside the bounds becomes (refuse: simulations only).")  # fmt: skip
@click.option("--missing", type=click.Choice(["midpoint", "low", "high", "refuse"]), default="midpoint",
              show_default=True, help="What a missing value counts as (refuse: simulations only).")  # fmt: skip
@click.option("--purpose", default="", help="Why you ask, in words for the person who is asked.")
@click.option("--opens", help="Time with a zone, such as 2027-01-01T00:00:00Z.")
@click.option("--closes", help="Time with a zone; no report is taken after it.")
@click.option("--retention", "retention_days", type=click.IntRange(0), help="Days after closing to keep the reports.")
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the canonical document goes (.json).")
def new(source: Path | None, names_file: Path | None, output: Path, **options: object) -> None:
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
        _refuse_options()
        made = Campaign.load(existing(source))
    else:
        made = _from_options(names_file, options)
    made.save(output)
    click.echo(f"Campaign {made.id} is in {output}")


def _refuse_options() -> None:
    """Refuse options that the file decides; ignoring them would mislead."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name not in ("source", "output"):
            raise click.UsageError(f"{parameter.opts[0]} has no effect with --from, which brings its own campaign.")


def _from_options(names_file: Path | None, options: dict[str, object]) -> Campaign:
    document = {field: value for field, value in options.items() if value is not None}
    if (names_file is None) == ("dimensions" not in document):
        raise click.UsageError("Give either --dimensions or --names-file.")
    if names_file is not None:
        document["names"] = names = _names(existing(names_file))
        document["dimensions"] = len(names)
    try:
        return Campaign.from_document(document)
    except InvalidCampaign as error:
        raise click.UsageError(str(error)) from error


def _names(path: Path) -> list[str]:
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError:
        raise BadData(f"{path}: this is no text in UTF-8") from None
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
    """Check a campaign, and show what it asks and what it promises."""
    shown = Campaign.load(existing(path))
    if as_json:
        click.echo(json.dumps({"id": shown.id, "document": shown.to_document()}))
        return
    for label, value in _facts(shown):
        click.echo(f"{label:13} {value}")


@campaign.command()
@click.argument("path", metavar="FILE", type=INPUT)
@click.option("--service", "origin", required=True, metavar="URL", help="https://host, what comes before /v1.")
@click.option("--admin-token-file", type=INPUT, help="The operator's secret.  [default: PRIVGE_ADMIN_TOKEN]")
@click.option("--insecure-http", is_flag=True, help="Allow plain http to another machine: others can read along.")
def publish(path: Path, origin: str, admin_token_file: Path | None, *, insecure_http: bool) -> None:
    """Add a campaign to a service, and print the address that devices need.

    Publishing the same campaign again changes nothing.

    \b
    Example:
      privge campaign publish campaign.json --service https://example.org --admin-token-file admin
    """
    from privge.collect.service.credentials import ADMIN_VARIABLE, read_admin_token
    from privge.device.address import Address
    from privge.device.web import Service

    published = Campaign.load(existing(path))
    token = read_admin_token(admin_token_file)
    if token is None:
        raise click.UsageError(f"Give --admin-token-file, or the secret in {ADMIN_VARIABLE}.")
    url = f"{origin.rstrip('/')}/v1/campaigns/{published.id}"
    service = Service(Address.parse(url, insecure_http=insecure_http))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        answer = service.ask(
            "POST", f"{service.address.base}/v1/campaigns", body=published.to_json().encode(), headers=headers
        )
    finally:
        service.close()
    if answer.status not in (200, 201):
        raise ServiceRefused(answer.status, f"the service refuses the campaign with {answer.status}: {answer.detail}")
    click.echo(url)


def _facts(shown: Campaign) -> list[tuple[str, str]]:
    names = "" if shown.names is None else f": {', '.join(shown.names[:5])}{', ...' if len(shown.names) > 5 else ''}"
    return [
        ("campaign", shown.id),
        ("purpose", shown.purpose or "not stated"),
        ("asks", f"{shown.k} of {shown.dimensions:,} features{names}"),
        ("bounds", f"{_span(shown.low)} to {_span(shown.high)}"),
        ("epsilon", f"{shown.epsilon:g} for the whole report ({shown.mechanism}, {shown.law.levels} levels)"),
        ("realised", f"{shown.sampled.realised_epsilon:.6g}, from the exact integers of the law"),
        ("opens", shown.opens or "at once"),
        ("closes", shown.closes or "when it is closed by hand"),
        ("retention", "not stated" if shown.retention_days is None else f"{shown.retention_days} days after closing"),
    ]


def _span(bound: float | tuple[float, ...]) -> str:
    return f"{bound:g}" if isinstance(bound, float) else f"{min(bound):g}..{max(bound):g}, by feature"
