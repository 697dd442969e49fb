"""Options that several commands share."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from privge.errors import BadData

Command = Callable[..., Any]
INPUT = click.Path(path_type=Path, dir_okay=False)
OUTPUT = click.Path(path_type=Path, dir_okay=False, writable=True)
PLACE = str  # click's own paths would take the two slashes of an address for one


def in_parts(place: str) -> bool:
    """Say whether an input is a folder of Parquet files, or an address, which always stands for one."""
    return "://" in place or place.endswith("/") or Path(place).is_dir()


def given(name: str) -> bool:
    """Say whether a value was written on the command line, rather than taken by default."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect; ignoring them would mislead."""
    wanted = set(names)
    for parameter in click.get_current_context().command.params:
        if parameter.name in wanted and given(parameter.name):
            raise click.UsageError(f"{parameter.opts[0]} has no effect {why}.")


class Finite(click.FloatRange):
    """A number in a range; click lets NaN through every range, and infinity through an open one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Convert as `click.FloatRange` does, and refuse what is not finite."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"must be a finite number, got {number}", param, ctx)
        return number


class FiniteOrAuto(Finite):
    """A number in a range, or ``auto``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Convert as `Finite` does, and leave ``auto`` as it is."""
        return value if value == "auto" else super().convert(value, param, ctx)


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


def input_option(name: str, about: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Add a file to read; a command gets it as ``<name>_path``."""
    return click.option(f"--{name}", f"{name}_path", type=INPUT, required=required, help=about)


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one machine-readable object on stdout.")(command)
