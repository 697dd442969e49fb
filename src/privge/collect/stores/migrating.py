"""The tables of a store, as numbered SQL files for each database; applied in order, each once."""

import re
from dataclasses import dataclass
from importlib.resources import files

from privge.collect.stores.log import Kind, note
from privge.collect.stores.session import Session
from privge.errors import StoreMismatch

_MIGRATE = "make a backup and run `privge store migrate`"


ROUNDS = 3
"""The version that knows rounds and shards."""

LEAST = 2
"""The version that a store is made with. What came later is made when the first campaign comes that needs it, so that a
store without such campaigns stays readable by programs that know no others."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step."""

    number: int
    statements: tuple[str, ...]


def migrations(dialect: str) -> list[Migration]:
    """Return the steps of a database, such as ``sqlite``, in order."""
    folder = files("privge.collect.stores").joinpath("migrations", dialect)
    scripts = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql"))
    return [Migration(int(name[:4]), _statements(script)) for name, script in scripts]


def _statements(script: str) -> tuple[str, ...]:
    """Return the statements, each of which ends with a semicolon at the end of a line; a trigger has others within."""
    bare = re.sub(r"--.*", "", script)
    return tuple(
        statement.strip() for statement in re.split(r";[ \t]*$", bare, flags=re.MULTILINE) if statement.strip()
    )


def prepare(session: Session, steps: list[Migration], *, new: bool, upgrade: bool, by: str) -> int:
    """Make the tables of a new store, or bring older ones up to date if asked to; return how many steps it took."""
    if not (new or upgrade):
        check_version(version(session), steps)
        return 0
    applied = migrate(session, steps if upgrade else [step for step in steps if step.number <= LEAST])
    if applied:
        note(session, Kind.MADE if new else Kind.MIGRATED, by, count=version(session))
    return applied


def extend(session: Session, steps: list[Migration], by: str) -> None:
    """Make the tables that only some campaigns need, inside the caller's transaction, unless they are there."""
    if migrate(session, steps):
        note(session, Kind.MIGRATED, by, count=steps[-1].number)


def migrate(session: Session, steps: list[Migration]) -> int:
    """Apply the steps that are missing, inside the caller's transaction; return how many."""
    session.rows("CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY)")
    done = version(session)
    _refuse_newer(done, steps)
    missing = [step for step in steps if step.number > done]
    for step in missing:
        for statement in step.statements:
            session.rows(statement)
        session.rows("INSERT INTO migrations (number) VALUES (?)", step.number)
    return len(missing)


def version(session: Session) -> int:
    """Return the number of the newest step that was applied."""
    return int(session.rows("SELECT coalesce(max(number), 0) FROM migrations")[0][0])


def check_version(found: int, steps: list[Migration]) -> None:
    """Refuse a store whose tables are newer than this program's, or too old."""
    _refuse_newer(found, steps)
    if found < LEAST:
        raise StoreMismatch(f"the store has version {found} of the tables, this program needs {LEAST}: {_MIGRATE}")


def _refuse_newer(found: int, steps: list[Migration]) -> None:
    if found > steps[-1].number:
        raise StoreMismatch(
            f"the store has version {found} of the tables, this program knows only up to {steps[-1].number}: "
            "use the newer privge that wrote it"
        )
