"""The tables of a store, as numbered SQL files for each database; applied in order, each once."""

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol

from privge.errors import StoreMismatch


class Runner(Protocol):
    """Whatever runs a statement: a session of a store."""

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (what a database takes)
        """Run one statement and return its rows."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step."""

    number: int
    statements: tuple[str, ...]


def migrations(dialect: str) -> list[Migration]:
    """Return the steps of ``sqlite`` or ``postgresql``, in order."""
    folder = files("privge.collect.stores").joinpath("migrations", dialect)
    scripts = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql"))
    return [Migration(int(name[:4]), _statements(script)) for name, script in scripts]


def _statements(script: str) -> tuple[str, ...]:
    """Return the statements, each of which ends with a semicolon at the end of a line; a trigger has others within."""
    bare = re.sub(r"--.*", "", script)
    return tuple(
        statement.strip() for statement in re.split(r";[ \t]*$", bare, flags=re.MULTILINE) if statement.strip()
    )


def migrate(runner: Runner, steps: list[Migration]) -> int:
    """Apply the steps that are missing, inside the caller's transaction; return how many."""
    runner.rows("CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY)")
    done = version(runner)
    _refuse_newer(done, steps)
    missing = [step for step in steps if step.number > done]
    for step in missing:
        for statement in step.statements:
            runner.rows(statement)
        runner.rows("INSERT INTO migrations (number) VALUES (?)", step.number)
    return len(missing)


def version(runner: Runner) -> int:
    """Return the number of the newest step that was applied."""
    return int(runner.rows("SELECT coalesce(max(number), 0) FROM migrations")[0][0])


def check_version(found: int, steps: list[Migration]) -> None:
    """Refuse a store whose tables are newer or older than this program's."""
    _refuse_newer(found, steps)
    if found < steps[-1].number:
        raise StoreMismatch(
            f"the store has version {found} of the tables, this program needs {steps[-1].number}: "
            "make a backup and run `privge store migrate`"
        )


def _refuse_newer(found: int, steps: list[Migration]) -> None:
    if found > steps[-1].number:
        raise StoreMismatch(
            f"the store has version {found} of the tables, this program knows only up to {steps[-1].number}: "
            "use the newer privge that wrote it"
        )
