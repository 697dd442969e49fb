"""A password in the arguments of a command: everybody on the machine can see it in the list of processes."""

from urllib.parse import parse_qs, urlsplit

import click
from click.core import ParameterSource

_INSTEAD = "give the address in PRIVGE_STORE, or leave the password to PGPASSFILE (~/.pgpass)"


def shows_password(context: click.Context, name: str, url: str | None) -> bool:
    """Say whether an address with a password in it was typed."""
    if url is None or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:  # whoever opens it says what is wrong with it
        return False
    return parts.password is not None or "password" in parse_qs(parts.query)


def warn_of_password(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
    """Warn, as the callback of an option that takes the address of a store."""
    if shows_password(context, parameter.name or "", url):
        click.echo(f"Warning: everybody on this machine can see the password in --store; {_INSTEAD}", err=True)
    return url
