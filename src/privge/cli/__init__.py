"""The command line: one file a command; errors become one line and an exit code."""

from importlib.metadata import version
from typing import Any

import click

from privge.cli.datasets import datasets
from privge.cli.demo import demo
from privge.cli.embed import embed
from privge.cli.law import law
from privge.cli.perturb import perturb
from privge.cli.remarks import show_remarks
from privge.cli.report import report
from privge.cli.reproduce import reproduce
from privge.cli.similar import similar
from privge.cli.tune import tune
from privge.errors import PrivgeError


class _Group(click.Group):
    """Turn the package's own errors into one line on stderr and their exit code."""

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
@click.version_option(version("privge"), package_name="privge")
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


for command in (datasets, demo, embed, law, perturb, report, reproduce, similar, tune):
    main.add_command(command)

__all__ = ["main"]
