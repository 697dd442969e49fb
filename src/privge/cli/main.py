"""The command line: one file a command; errors become one line and an exit code."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from privge.cli.failures import DEBUG, EXIT_CODES, explained
from privge.cli.remarks import show_remarks
from privge.cli.terminal import harmless_streams, one_line
from privge.errors import BadData

COMMANDS = (
    "analyse",
    "audit",
    "campaign",
    "classify",
    "cluster",
    "contribute",
    "convert",
    "datasets",
    "demo",
    "embed",
    "evaluate",
    "example",
    "explain",
    "law",
    "perturb",
    "plan",
    "profile",
    "recommend",
    "report",
    "reproduce",
    "serve",
    "similar",
    "simulate",
    "store",
    "submit",
    "teach",
    "token",
    "tune",
)
"""A command ``name`` is ``privge.cli.name.name``; it is imported when it is asked for, and no other with it."""


class _Group(click.Group):
    """Find commands by name; whatever goes wrong becomes one line on stderr and an exit code."""

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
        except EOFError as error:  # of which click would say no more than "Aborted!"
            raise BadData("a file ends too early") from error

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 (click's own signature)
        with harmless_streams():
            try:
                return super().main(*args, **kwargs)
            except Exception as error:
                if os.environ.get(DEBUG):
                    raise
                problem, code = explained(error)
                click.echo(f"Error: {one_line(problem)}", err=True)
                sys.exit(code)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"Exit codes: {EXIT_CODES}. {DEBUG}=1 shows where in the code a failure arose; that may quote data.",
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
