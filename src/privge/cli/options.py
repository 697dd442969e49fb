"""Options that several commands share."""

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from privge.campaign import Campaign
from privge.mechanisms import LAWS, MAX_LEVELS

Command = Callable[..., Any]
INPUT = click.Path(path_type=Path, dir_okay=False)
OUTPUT = click.Path(path_type=Path, dir_okay=False, writable=True)


def campaign_options(command: Command) -> Command:
    """Add the options that describe a campaign for a simulation."""
    options = [
        click.option(
            "--mechanism",
            type=click.Choice(list(LAWS)),
            default="hds",
            show_default=True,
            help="none, structure: controls.",
        ),
        click.option("--epsilon", type=float, help="Privacy budget of a person's whole report; not for the controls."),
        click.option(
            "--k", type=click.IntRange(1), help="Features a person reports.  [default: epsilon / 2.5, at least 1]"
        ),
        click.option("--low", type=float, default=0.0, show_default=True, help="Public lower bound of every feature."),
        click.option("--high", type=float, default=1.0, show_default=True, help="Public upper bound of every feature."),
        click.option("--levels", type=click.IntRange(2, MAX_LEVELS), help="Input levels of the grid.  [default: 1025]"),
        click.option("--seed", type=click.IntRange(0), help="Repeat the noise. NOT PRIVATE; for research."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def simulated_campaign(
    dimensions: int, mechanism: str, epsilon: float | None, k: int | None, low: float, high: float, levels: int | None
) -> Campaign:
    """Build the campaign that the options describe."""
    return Campaign(
        dimensions=dimensions, low=low, high=high, mechanism=mechanism, epsilon=epsilon, k=k, levels=levels,
        purpose="simulation on the command line",
    )  # fmt: skip


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one machine-readable object on stdout.")(command)


def peak_bytes() -> int:
    """Return the largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
