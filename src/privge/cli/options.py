"""Options that several commands share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from privge.cli.fields import field_option
from privge.errors import BadData

Command = Callable[..., Any]
INPUT = click.Path(path_type=Path, dir_okay=False)
OUTPUT = click.Path(path_type=Path, dir_okay=False, writable=True)
PLACE = str  # click's own paths would take the two slashes of an address for one


def in_parts(place: str) -> bool:
    """Say whether an input is a folder of Parquet files, or an address, which always stands for one."""
    return "://" in place or place.endswith("/") or Path(place).is_dir()


def cluster_option(command: Command) -> Command:
    """Add ``--cluster``."""
    return click.option(
        "--cluster", metavar="ADDRESS",
        help="Let a Dask cluster do it: tcp:// or tls://HOST:8786, or local. See `privge cluster`.",
    )(command)  # fmt: skip


def campaign_options(command: Command) -> Command:
    """Add the options that describe a campaign for a simulation."""
    options: list[Callable[[Command], Command]] = [
        field_option("mechanism", help="none, structure: controls."),
        field_option("epsilon", help="Privacy budget of a person's whole report; not for the controls."),
        field_option("k"),
        field_option(
            "low", default=None, help="Public lower bound of every feature.  [default: 0, if no value lies below]"
        ),
        field_option(
            "high", default=None, help="Public upper bound of every feature.  [default: 1, if no value lies above]"
        ),
        field_option("levels"),
        field_option("missing", help="What a missing value counts as; an even grid has no midpoint."),
        click.option("--seed", type=click.IntRange(0), help="Repeat the noise. NOT PRIVATE; for research."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def refuse_campaign_options(instead: str, *, allowed: tuple[str, ...] = ()) -> None:
    """Refuse options of a simulated campaign that something else already decides; ignoring them would mislead."""
    context = click.get_current_context()
    for name in ("mechanism", "epsilon", "k", "low", "high", "levels", "missing", "seed"):
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in allowed:
            raise click.UsageError(f"--{name} has no effect with {instead}, which brings its own campaign.")


def existing(path: Path) -> Path:
    """Return the path of a file that is there."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    return path


def check_output(path: Path, *suffixes: str) -> None:
    """Refuse, before the work, a place where its result could not be written."""
    if path.suffix not in suffixes:
        raise click.BadParameter(f"the name must end in {' or '.join(suffixes)}", param_hint="--output")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}", param_hint="--output")


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put the name of the file that the data came from before the message of an error."""
    try:
        yield
    except BadData as error:
        raise BadData(f"{path}: {error}") from error


def integer_ids_option(command: Command) -> Command:
    """Add ``--integer-ids``."""
    return click.option(
        "--integer-ids",
        is_flag=True,
        help="Ids in text files are integers, not text; 007 is refused.",
    )(command)


def refuse_integer_ids(place: str) -> None:
    """Refuse ``--integer-ids`` where nothing is read from text."""
    if in_parts(place):
        raise click.UsageError(f"--integer-ids has no effect with {place}, where ids have a type already.")


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one machine-readable object on stdout.")(command)
