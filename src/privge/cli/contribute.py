"""``privge contribute``: one person's private report, from their own device."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from privge.cli.options import INPUT, existing, json_option
from privge.device.contribute import Contribution
from privge.device.contribute import contribute as send_one
from privge.device.folder import default_folder
from privge.device.ledger import DEFAULT_CAPS
from privge.device.memory import Memory
from privge.errors import BadData
from privge.perturbation import FeatureVector

_TOKEN = "PRIVGE_TOKEN"  # noqa: S105 (the name of a variable)


@click.command()
@click.option("--campaign", "url", required=True, metavar="URL", help="https://host/v1/campaigns/ and the id.")
@click.option("--features", "features_path", type=INPUT, required=True,
              help="Your values (.json): a list in order, or an object by name. They stay here.")  # fmt: skip
@click.option("--token-file", type=INPUT, help=f"The token that the platform gave you.  [default: ${_TOKEN}]")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False),
              help="Where your ledger and finished reports are.  [default: privge in your data folder]")  # fmt: skip
@click.option("--max-epsilon", type=click.FloatRange(0),
              help=f"Your cap for one campaign; remembered.  [at first {DEFAULT_CAPS.campaign:g}]")  # fmt: skip
@click.option("--lifetime-epsilon", type=click.FloatRange(0),
              help=f"Your cap for all campaigns; remembered.  [at first {DEFAULT_CAPS.lifetime:g}]")  # fmt: skip
@click.option("--insecure-http", is_flag=True, help="Allow plain http to another machine: others can read along.")
@json_option
def contribute(
    url: str, features_path: Path, token_file: Path | None, folder: Path | None, max_epsilon: float | None,
    lifetime_epsilon: float | None, *, insecure_http: bool, as_json: bool,
) -> None:  # fmt: skip
    """Send one private report of your own to a campaign.

    The campaign is fetched and checked and your caps are applied before your token is shown. The report is drawn once,
    with your operating system's randomness, and kept. The service is asked whether it would take it; only then is it
    entered in your ledger and sent. Run the command again after any failure: the same bytes are sent, never a second
    draw. Whatever your values are, the same happens: those that are missing, no numbers or out of bounds are replaced
    by the campaign's public rule, and you are told how many.

    \b
    Example:
      privge contribute --campaign https://example.org/v1/campaigns/3f... --features me.json --token-file me.token
    """
    for name, value in (("--max-epsilon", max_epsilon), ("--lifetime-epsilon", lifetime_epsilon)):
        if value is not None and not value < float("inf"):
            raise click.BadParameter("must be a finite number", param_hint=name)
    path = existing(features_path)
    place = default_folder() if folder is None else folder
    done = send_one(
        url, lambda: read_values(path), token=_token(token_file), folder=place, max_epsilon=max_epsilon,
        lifetime_epsilon=lifetime_epsilon, insecure_http=insecure_http,
    )  # fmt: skip
    click.echo(json.dumps(asdict(done)) if as_json else _sentence(done, Memory(place)))


def read_values(path: Path) -> FeatureVector:
    """Read one person's values; no message quotes any of them."""
    try:
        text = path.read_bytes().decode(
            "utf-8-sig", errors="replace"
        )  # a strange letter in a note is no reason to stop
        values = json.loads(text, parse_constant=lambda _name: None, parse_int=float)
    except (ValueError, RecursionError):
        raise BadData(f"{path}: this is no JSON") from None  # the cause may quote a value
    if not isinstance(values, list | dict):
        raise BadData(f"{path}: give a list of values in order, or an object from feature name to value")
    return values


def _token(path: Path | None) -> str:
    try:
        token = os.environ.get(_TOKEN, "") if path is None else existing(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadData(f"{path}: this is no token") from None
    if not token.strip():
        raise click.UsageError(f"Give the platform's token in --token-file or in ${_TOKEN}.")
    return token.strip()


def _treated(done: Contribution) -> str:
    """Say how many values did not fit. It goes to the person's own screen, after everything was sent."""
    counts = [(done.missing, "missing or no numbers"), (done.outside, "outside the campaign's bounds")]
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
