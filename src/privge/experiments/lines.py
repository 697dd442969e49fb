"""Files of JSON lines that survive a crash: a line is on the disk before the next begins; one cut off is dropped."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privge.errors import BadData


def append_line(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record; it is on the disk when this returns."""
    _drop_unfinished_line(path)
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def complete_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are complete, with their numbers from 1; none if there is no file."""
    if path.is_file():
        yield from enumerate(path.read_bytes().split(b"\n")[:-1], start=1)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from adding to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadData(f"{folder}: another run is writing here; wait for it or choose another --results") from None
        yield


def _drop_unfinished_line(path: Path) -> None:
    if not path.exists():
        return
    content = path.read_bytes()
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        os.truncate(path, complete)
