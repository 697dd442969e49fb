"""The command line: one file a command; errors become one line and an exit code."""

from importlib import import_module
from typing import Any

import click

from privge.cli.remarks import show_remarks
from privge.errors import PrivgeError

COMMANDS = (
    "campaign",
    "cluster",
    "contribute",
    "convert",
    "datasets",
    "demo",
    "embed",
    "example",
    "law",
    "perturb",
    "report",
    "reproduce",
    "serve",
    "similar",
    "store",
    "submit",
    "token",
    "tune",
)
"""A command ``name`` is ``privge.cli.name.name``; it is imported when it is asked for, and no other with it."""


class _Group(click.Group):
    """Find commands by name; turn the package's own errors into one line on stderr and their exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's own signature)
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"privge.cli.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (click's own signature)
        try:
            return super().invoke(ctx)
        except PrivgeError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failure, 2 wrong usage, 3 bad data.",
)
@click.version_option(package_name="privge")
@click.option("-q", "--quiet", is_flag=True, help="Leave out remarks, such as how many edges were dropped.")
def main(*, quiet: bool) -> None:
    """Graph embeddings from private features.

    Each person perturbs their features once, on their own device, under local differential privacy;
    a curator who knows only the graph spreads the reports over it.

    Start with `privge demo`: it shows the whole thing on a made-up network in a minute.

    \b
    Shell completion (bash; zsh and fish likewise):
      eval "$(_PRIVGE_COMPLETE=bash_source privge)"
    """
    show_remarks(quiet=quiet)


__all__ = ["main"]
