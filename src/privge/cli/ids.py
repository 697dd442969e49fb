"""Options about the ids in tables: which column, in all of them or in one, and whether text means integers."""

from dataclasses import dataclass, replace
from typing import Self

import click

from privge.cli.declared import flag, option
from privge.cli.options import in_parts

_TABLES = ("nodes", "features", "labels", "groups", "people", "erased", "attribute", "batch", "panel", "members")
"""Options that name a table with a column of ids, without their dashes; a command has some of them."""


def _stated(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a table that the command does not read, and a table or a default that is named twice."""
    here = [table for table in _TABLES if any(f"--{table}" in each.opts for each in ctx.command.params)]
    named = [_parted(value) for value in values]
    for table, column in named:
        if table and table not in here:
            there = f"TABLE is one of {', '.join(here)}" if here else "this command reads one table: give NAME alone"
            raise click.BadParameter(f"there is no table {table!r} here; {there}.", ctx, parameter)
        if not column:
            raise click.BadParameter("the name of the column is missing.", ctx, parameter)
    tables = [table for table, _ in named]
    for table in tables:
        if tables.count(table) > 1:
            raise click.BadParameter(f"it is given twice for {table or 'all tables'}.", ctx, parameter)
    return values


def _parted(value: str) -> tuple[str, str]:
    """Return table and column; no table stands for all of them."""
    table, equals, column = value.partition("=")
    return (table.removeprefix("--"), column) if equals else ("", value)


@dataclass(frozen=True, kw_only=True)
class IdOptions:
    """How the ids of tables are read."""

    id_columns: tuple[str, ...] = option(
        "--id-column",
        metavar="[TABLE=]NAME",
        multiple=True,
        callback=_stated,
        help="Column of the ids in tables. Where one table has another name for it: labels=person, for that of "
        "--labels alone; may be given several times.  [default: id]",
    )
    integer_ids: bool = flag("--integer-ids", about="Ids in text files are integers, not text; 007 is refused.")

    @property
    def id_column(self) -> str:
        """The column of ids in tables that no other name is given for."""
        return self.column_in("")

    def column_in(self, table: str) -> str:
        """Return the column of ids in a table, called as its option is."""
        named = dict(map(_parted, self.id_columns))
        return named.get(table, named.get("", "id"))

    def of(self, table: str) -> Self:
        """Return how the ids of one table are read."""
        return replace(self, id_columns=(f"={self.column_in(table)}",))

    def refuse_for(self, place: str) -> None:
        """Refuse what has no effect on a folder or an address, where ids have a name and a type already."""
        if in_parts(place) and self.integer_ids:
            raise click.UsageError(f"--integer-ids has no effect with {place}, where ids have a type already.")
        if in_parts(place) and self.id_column != "id":
            raise click.UsageError(f"--id-column has no effect with {place}, where the column of ids is called id.")
