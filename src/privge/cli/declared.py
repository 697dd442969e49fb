"""Options of a command as fields of frozen dataclasses: each is declared once, where its value lives."""

from collections.abc import Callable
from dataclasses import field, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from privge.cli.options import INPUT, PLACE, Command


def option(*names: str, **attributes: Any) -> Any:  # noqa: ANN401 (the field has the type that click converts to)
    """Declare a field that is an option, as `click.option` does; its value has the name of the field.

    A default is shown, unless it is nothing.
    """
    shown = {"show_default": True} if attributes.get("default") not in (None, "") else {}
    return field(metadata={"names": names, "attributes": {**shown, **attributes}})


def place_option(*names: str, about: str, **attributes: Any) -> Any:  # noqa: ANN401 (a field)
    """Declare a path or an address."""
    return option(*names, type=PLACE, metavar="PLACE", help=about, **attributes)


def file_option(*names: str, about: str, **attributes: Any) -> Any:  # noqa: ANN401 (a field)
    """Declare a file to read."""
    return option(*names, type=INPUT, help=about, **attributes)


def folder_option(name: str, *, about: str, **attributes: Any) -> Any:  # noqa: ANN401 (a field)
    """Declare a folder, which need not be there yet."""
    return option(name, type=click.Path(path_type=Path, file_okay=False), help=about, **attributes)


def flag(name: str, *, about: str) -> Any:  # noqa: ANN401 (a field)
    """Declare something that is so or not."""
    return option(name, is_flag=True, help=about)


def options_into(**groups: type) -> Callable[[Command], Command]:
    """Add the options of each group of a command; the command gets one object for each group, by its name."""

    def add(command: Command) -> Command:
        @wraps(command)
        def called(**values: Any) -> Any:  # noqa: ANN401 (whatever click hands over)
            taken = {name: _taken(kind, values) for name, kind in groups.items()}
            return command(**taken, **values)

        for kind in reversed(groups.values()):
            for declared in reversed(fields(kind)):
                attributes = declared.metadata["attributes"]
                called = click.option(*declared.metadata["names"], declared.name, **attributes)(called)
        return called

    return add


def _taken(kind: type, values: dict[str, Any]) -> Any:  # noqa: ANN401 (an object of that type)
    return kind(**{declared.name: values.pop(declared.name) for declared in fields(kind)})
