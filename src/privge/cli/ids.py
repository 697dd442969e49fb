"""Options about the ids in tables: which column, and whether text means integers."""

from dataclasses import dataclass

import click

from privge.cli.declared import flag, option
from privge.cli.options import in_parts


@dataclass(frozen=True, kw_only=True)
class IdOptions:
    """How the ids of a table are read."""

    id_column: str = option(
        "--id-column", metavar="NAME", default="id", help="Column of the ids in a table of nodes, features or labels."
    )
    integer_ids: bool = flag("--integer-ids", about="Ids in text files are integers, not text; 007 is refused.")

    def refuse_for(self, place: str) -> None:
        """Refuse what has no effect on a folder or an address, where ids have a name and a type already."""
        if in_parts(place) and self.integer_ids:
            raise click.UsageError(f"--integer-ids has no effect with {place}, where ids have a type already.")
        if in_parts(place) and self.id_column != "id":
            raise click.UsageError(f"--id-column has no effect with {place}, where the column of ids is called id.")
