"""The table: one row a promise, with its target, what was measured, and whether it was kept."""

import argparse
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reliability import ROOT

WORDS = {True: "kept  ", False: "MISSED", None: "      "}
MARKS = {True: "yes", False: "**no**", None: "–"}
PAGE = ROOT / "docs" / "reliability.md"


class NotPossible(Exception):
    """A scenario needs something that this machine or user does not have."""


@dataclass(frozen=True, slots=True)
class Row:
    """One promise, measured; ``kept`` is None if it could not be."""

    promise: str
    target: str
    measured: str
    kept: bool | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One promise, to be measured in a folder of its own."""

    promise: str
    target: str
    measure: Callable[[Path], tuple[str, bool]]

    def run(self, folder: Path) -> Row:
        """Measure; whatever breaks is a promise not kept."""
        try:
            measured, kept = self.measure(folder)
        except NotPossible as error:
            measured, kept = f"not measured: {error}", None
        except Exception as error:  # noqa: BLE001 (the other rows are still wanted)
            traceback.print_exc()
            measured, kept = f"{type(error).__name__}: {error}", False
        return Row(self.promise, self.target, measured, kept)


def main(name: str, scenarios: Callable[[], Sequence[Scenario]], description: str) -> None:
    """Run the scenarios of a suite, print its table, and end with 1 if a promise was not kept."""
    parser = argparse.ArgumentParser(prog=f"python -m reliability.{name}", description=description)
    parser.add_argument("--only", default="", help="only promises that contain this text")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/reliability.md")
    options = parser.parse_args()
    chosen = [each for each in scenarios() if options.only.lower() in each.promise.lower()]
    print(machine(), flush=True)
    rows = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no process and no mount is left behind
    with tempfile.TemporaryDirectory(prefix=".reliability-", dir=ROOT) as folder:  # a disk, where /tmp may be memory
        for number, scenario in enumerate(chosen):
            start = time.monotonic()
            place = Path(folder) / str(number)
            place.mkdir()
            rows.append(scenario.run(place))
            print(f"{line(rows[-1])}   [{time.monotonic() - start:.0f} s]", flush=True)
    kept, missed = (sum(row.kept is each for row in rows) for each in (True, False))
    print(f"{kept} promises kept, {missed} missed, {len(rows) - kept - missed} not measured")
    if options.markdown:
        write(PAGE, name, rows)
    sys.exit(1 if missed or not kept else 0)


def line(row: Row) -> str:
    """Return a row as text."""
    word, indent = WORDS[row.kept], "\n" + 9 * " "
    return f"{word} {row.promise}{indent}target    {row.target}{indent}measured  {row.measured}"


def machine() -> str:
    """Return what the figures were measured on, and what else was running."""
    models = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    busy = os.getloadavg()[1]
    day = datetime.now(UTC).date()
    model = models[0] if models else "an unknown processor"
    return f"{day}, {os.cpu_count()} cores of {model}, load average {busy:.1f}"


def write(page: Path, name: str, rows: Sequence[Row]) -> None:
    """Replace the block of a suite in a page."""
    begin, end = f"<!-- {name}: begin, written by python -m reliability.{name} --markdown -->", f"<!-- {name}: end -->"
    table = [f"Measured {machine()}:", "", "| | target | measured | kept |", "|---|---|---|---|"]
    table += [f"| {row.promise} | {row.target} | {row.measured} | {MARKS[row.kept]} |" for row in rows]
    text = page.read_text()
    if begin not in text or end not in text:
        raise ValueError(f"{page} has no block {begin}")
    head, rest = text.split(begin)
    page.write_text(f"{head}{begin}\n" + "\n".join(table) + f"\n{end}" + rest.split(end, 1)[1])
