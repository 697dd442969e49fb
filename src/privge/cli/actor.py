"""Who acts, for the log of a store."""

import os
import pwd
from typing import Any

import click

from privge.cli.declared import option
from privge.cli.options import Command
from privge.collect.stores.log import signed


def as_option(command: Command) -> Command:
    """Add ``--as``."""
    return click.option("--as", "name", **_attributes())(command)


def as_field() -> Any:  # noqa: ANN401 (a field)
    """Declare ``--as``."""
    return option("--as", **_attributes())


def _attributes() -> dict[str, Any]:
    return {"metavar": "NAME", "callback": _checked, "help": "Who acts, for the store's log."}


def user(name: str | None) -> str:
    """Return who is written down when somebody works on a store directly: the user of this machine, and their name."""
    try:
        proven = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as a number
        proven = f"user {os.getuid()}"
    return signed(name, proven)


def _checked(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    try:
        signed(name, "")
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return name
