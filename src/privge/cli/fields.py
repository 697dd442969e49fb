"""Options that stand for fields of a campaign, made from the one place that states them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from privge.campaign.campaign import FIELDS
from privge.campaign.features import Bound, Names
from privge.campaign.field import Kind
from privge.campaign.kinds import Choice, Integer, Maybe
from privge.campaign.privacy import Budget, Grid, Mechanism, Share
from privge.cli.declared import option
from privge.cli.one_of import OneOf
from privge.cli.options import Command
from privge.mechanisms import laws


def asked_fields(command: Command) -> Command:
    """Add an option for every field that the command line asks for."""
    for name in reversed([name for name, field in FIELDS.items() if field.asked]):
        command = field_option(name)(command)
    return command


def field_option(name: str, **instead: Any) -> Callable[[Command], Command]:  # noqa: ANN401 (click's own)
    """Return the option of one field; what is said otherwise here goes to `click.option` instead."""
    flag, attributes = _stated(name, instead)
    return click.option(flag, name, **attributes)


def campaign_field(name: str, **instead: Any) -> Any:  # noqa: ANN401 (a field of that type)
    """Declare a field of a group of options (`privge.cli.declared`) that stands for one of a campaign."""
    flag, attributes = _stated(name, instead)
    return option(flag, **attributes)


def _stated(name: str, instead: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    field = FIELDS[name]
    if field.asked is None:
        raise LookupError(f"the field {name!r} is not asked for on the command line")
    default = field.default if field.asked.default is None else field.asked.default
    stated = {"type": option_type(field.kind), "default": default, "help": field.asked.help, **instead}
    seen = stated["default"] not in (None, "")
    return field.asked.flag or f"--{name.replace('_', '-')}", {"show_default": seen, **stated}


def option_type(kind: Kind[Any]) -> Any:  # noqa: ANN401 (whatever click takes)
    """Return what an option for a kind of field takes; text if nothing else is known."""
    taken: Any = None
    match kind:
        case Maybe():
            taken = option_type(kind.kind)
        case Integer() | Grid():
            taken = click.IntRange(kind.least, kind.most)
        case Share():
            taken = click.IntRange(1)
        case Bound() | Budget():
            taken = float
        case Choice():
            taken = click.Choice(list(kind.meanings))
        case Mechanism():
            taken = OneOf(laws)
        case Names():
            taken = click.Path(path_type=Path, dir_okay=False)
    return taken
