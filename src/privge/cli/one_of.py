"""A name out of a family to which other packages may add."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice


class OneOf(_Choice):
    """A choice whose names are looked up when they are needed.

    Parameters
    ----------
    members
        Returns the family by name. Saying whether it has a name must not need all names.
    """

    def __init__(self, members: Callable[[], Mapping[str, object]]) -> None:
        self._members, self.case_sensitive = members, True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All names, for help, completion and messages."""
        return tuple(self._members())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return a name that is there."""
        return value if value in self._members() else super().convert(value, param, ctx)


class NameOrFolder(OneOf):
    """A name of the family, or the place of a folder: whatever is written like a path."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return a name that is there, or a place as it is written."""
        from privge.datasets.folders import is_place

        own = is_place(str(value)) and value not in self._members()
        return value if own else super().convert(value, param, ctx)
