"""``privge token``: keys of a service, and tokens for devices."""

import re
import time
from pathlib import Path
from typing import Any

import click

from privge.cli.declared import file_option
from privge.cli.options import INPUT, OUTPUT
from privge.errors import BadData

_KEYS_HELP = "Signing keys, made by `privge token keygen`.  [default: PRIVGE_TOKEN_KEYS]"
_DAYS = click.FloatRange(0, 3650, min_open=True)


def keys_field() -> Any:  # noqa: ANN401 (a field)
    """Declare ``--keys-file``."""
    return file_option("--keys-file", about=_KEYS_HELP)


@click.group()
def token() -> None:
    """Make signing keys, and mint tokens for devices.

    A token says for which node a device speaks, in which campaign and until when. Whoever has the key can mint them:
    it belongs to the platform that knows its users, and to the service.
    """


@token.command()
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the keys go; only you will be able to read it.")
@click.option("--rotate", is_flag=True, help="Put a new key before the newest of this file, and drop the older one.")
def keygen(output: Path, *, rotate: bool) -> None:
    """Make a signing key.

    To rotate: `--rotate`, restart the service, mint with the new key; tokens of the key before stay valid until the
    next rotation.
    """
    from privge.collect.service.credentials import read_keys, write_keys
    from privge.wire.tokens import Key

    if output.exists() != rotate:
        raise BadData(
            f"{output}: " + ("there is no such file to rotate" if rotate else "exists; use --rotate to add a key")
        )
    keys = (Key.new(), *(read_keys(output)[:1] if rotate else ()))
    write_keys(output, keys)
    click.echo(
        f"{output} holds {len(keys)} key{'s' if rotate else ''}; new tokens are signed with {keys[0].id}.", err=True
    )


@token.command()
@click.option("--keys-file", type=INPUT, help=_KEYS_HELP)
@click.option("--node", required=True, help="The node that the device speaks for.")
@click.option("--integer", is_flag=True, help="The node id is a number, not a text.")
@click.option("--campaign", help="Id of the one campaign it is for.  [default: any]")
@click.option("--days", type=_DAYS, default=30.0, show_default=True, help="How long the token is valid.")
def mint(keys_file: Path | None, node: str, campaign: str | None, days: float, *, integer: bool) -> None:
    """Print a token for one node.

    \b
    Example:
      privge token mint --keys-file keys --node alice --days 7
    """
    from privge.collect.service.credentials import read_keys
    from privge.wire.tokens import mint as mint_token

    if integer and not re.fullmatch("0|-?[1-9][0-9]*", node):
        raise click.BadParameter(
            "must be a number in its plain spelling (7, not 007) with --integer", param_hint="--node"
        )
    expires = int(time.time() + 86_400 * days)
    who = int(node) if integer else node
    click.echo(mint_token(read_keys(keys_file)[0], node=who, campaign=campaign, expires=expires))
