"""``privge contribute``: one person's private report, from their own device."""

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click

from privge.campaign import Campaign
from privge.cli.declared import file_option, flag, option, options_into
from privge.cli.options import Finite, existing, json_option, naming, refuse_given
from privge.cli.terminal import one_line
from privge.device.contribute import Contribution
from privge.device.contribute import contribute as send_one
from privge.device.folder import default_folder
from privge.device.ledger import DEFAULT_CAPS
from privge.device.memory import Memory
from privge.errors import BadData
from privge.perturbation import FeatureVector
from privge.perturbation.columns import listed
from privge.perturbation.fitting import check_values

_TOKEN = "PRIVGE_TOKEN"  # noqa: S105 (the name of a variable)


@dataclass(frozen=True, kw_only=True)
class ValueOptions:
    """Which campaign asks, and for which values."""

    url: str = option(
        "--campaign",
        metavar="URL",
        help="https://host/v1/campaigns/ and the id; with --check, a campaign in TOML or JSON.",
        required=True,
    )
    features_path: Path = file_option(
        "--features", about="Your values (.json): a list in order, or an object by name. They stay here.", required=True
    )
    check: bool = flag("--check", about="Only say, to you alone, how many of your values do not fit; contact nobody.")


@dataclass(frozen=True, kw_only=True)
class PersonOptions:
    """Who contributes, and how much they are ready to spend."""

    token_file: Path | None = file_option(
        "--token-file", about=f"The token that the platform gave you.  [default: ${_TOKEN}]"
    )
    folder: Path | None = option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        help="Where your ledger and finished reports are.  [default: privge in your data folder]",
    )
    max_epsilon: float | None = option(
        "--max-epsilon",
        type=Finite(0),
        help=f"Your cap for one campaign; remembered.  [at first {DEFAULT_CAPS.campaign:g}]",
    )
    lifetime_epsilon: float | None = option(
        "--lifetime-epsilon",
        type=Finite(0),
        help=f"Your cap for all campaigns; remembered.  [at first {DEFAULT_CAPS.lifetime:g}]",
    )
    insecure_http: bool = flag("--insecure-http", about="Allow plain http to another machine: others can read along.")


@click.command()
@options_into(asked=ValueOptions, person=PersonOptions)
@json_option
def contribute(asked: ValueOptions, person: PersonOptions, *, as_json: bool) -> None:
    """Send one private report of your own to a campaign.

    The campaign is fetched and checked and your caps are applied before your token is shown. The report is drawn once,
    with your operating system's randomness, and kept. The service is asked whether it would take it; only then is it
    entered in your ledger and sent. Run the command again after any failure: the same bytes are sent, never a second
    draw. Whatever your values are, the same happens: those that are missing, no numbers or out of bounds are replaced
    by the campaign's public rule, and you are told how many.

    With --check the campaign is a file, and you are told how many of all your values are missing or out of bounds;
    nobody is contacted, nothing is drawn or spent, and the exit code is 0 whatever your values are.

    \b
    Examples:
      privge contribute --check --campaign campaign.json --features me.json
      privge contribute --campaign https://example.org/v1/campaigns/3f... --features me.json --token-file me.token
    """
    path = existing(asked.features_path)
    if asked.check:
        refuse_given((field.name for field in fields(PersonOptions)), "with --check, which contacts nobody")
        click.echo(_checked(_campaign_file(asked.url), path, as_json=as_json))
        return
    place = default_folder() if person.folder is None else person.folder
    done = send_one(
        asked.url,
        lambda: read_values(path),
        token=_token(person.token_file),
        folder=place,
        max_epsilon=person.max_epsilon,
        lifetime_epsilon=person.lifetime_epsilon,
        insecure_http=person.insecure_http,
    )
    click.echo(json.dumps(asdict(done)) if as_json else _sentence(done, Memory(place)))


def _campaign_file(place: str) -> Campaign:
    if "://" in place:
        raise click.UsageError("--check contacts nobody: give the campaign's document as a file, not its address.")
    return Campaign.load(existing(Path(place)))


def _checked(campaign: Campaign, path: Path, *, as_json: bool) -> str:
    """Say how many values do not fit; it goes to the person's own screen and nowhere else."""
    values = read_values(path)
    with naming(path):
        found = check_values(campaign, values)
    if as_json:
        counts = {"values": found.features, "missing": len(found.missing), "outside": len(found.outside)}
        return json.dumps({"campaign": campaign.id, **counts})
    lines = [f"Of {found.features:,} values (only you are told; nothing was drawn, sent or spent):"]
    for features, what in ((found.missing, "missing or not numbers"), (found.outside, "outside the campaign's bounds")):
        names = f": {listed([_name(campaign, feature) for feature in features])}" if features else ""
        lines.append(f"  {len(features):,} {what}{names}")
    return "\n".join(lines)


def _name(campaign: Campaign, feature: int) -> str:
    names = campaign.raw_names
    return f"number {feature}" if names is None else one_line(names[feature])


def read_values(path: Path) -> FeatureVector:
    """Read one person's values; no message quotes any of them."""
    try:
        # A strange letter in a note is not a reason to stop.
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
        values = json.loads(text, parse_constant=lambda _name: None, parse_int=float)
    except (ValueError, RecursionError):
        raise BadData(f"{path}: this is not JSON") from None  # the cause may quote a value
    if not isinstance(values, list | dict):
        raise BadData(f"{path}: give a list of values in order, or an object from feature name to value")
    return values


def _token(path: Path | None) -> str:
    try:
        token = os.environ.get(_TOKEN, "") if path is None else existing(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadData(f"{path}: this is not a token") from None
    if not token.strip():
        raise click.UsageError(f"Give the platform's token in --token-file or in ${_TOKEN}.")
    return token.strip()


def _treated(done: Contribution) -> str:
    """Say how many values did not fit. It goes to the person's own screen, after everything was sent."""
    counts = [(done.missing, "missing or not numbers"), (done.outside, "outside the campaign's bounds")]
    words = " and ".join(f"{count} {what}" for count, what in counts if count)
    return f"  of the values asked for, {words}: replaced by the campaign's rule (only you are told)\n" if words else ""


def _sentence(done: Contribution, memory: Memory) -> str:
    caps = memory.ledger().caps
    drawn = "drawn now, once" if done.drawn else "the one drawn before, never a second one"
    stored = "stored" if done.new else "it was stored already"
    return (
        f"One private report is at campaign {done.campaign[:12]}: {stored}\n"
        f"  the report was {drawn}\n{_treated(done)}"
        f"  epsilon {done.epsilon:g} of at most {caps.campaign:g} for a campaign; "
        f"{done.spent:g} of {caps.lifetime:g} spent in your life\n"
        f"  ledger and report are in {memory.folder}"
    )
