"""The private folder of a device: nobody else reads it, one process at a time writes it, nothing is half-written."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from privge._files import lock
from privge._files.atomic import atomic_path
from privge.errors import BadData

_OWN = re.compile(r"\.(ledger\.json|[0-9a-f]{64}\.json|part-\d+\.parquet)\..*\.?partial")


def default_folder() -> Path:
    """Return ``privge`` in this user's data folder: ``XDG_DATA_HOME``, or ``~/.local/share``."""
    home = os.environ.get("XDG_DATA_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "share") / "privge"


def private_folder(path: Path) -> Path:
    """Make a folder, and those above it, that only this user can open; one that others can open is refused."""
    try:
        for folder in (*reversed(path.parents), path):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        mode = path.stat().st_mode
    except OSError as error:
        raise BadData(f"{path}: cannot be used as a private folder ({error.strerror})") from error
    if mode & 0o077:
        raise BadData(f"{path}: other users can open this folder; close it first: chmod 700 {path}")
    return path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: whoever else wants it waits. The system drops it when the process ends, however it ends.

    What a process that died left half-written is removed: it may be a draw that must not stay beside the next one.
    """
    with lock.locked(folder / ".lock"):
        for place in (folder, folder / "prepared", folder / "reports"):
            for leftover in place.glob(".*.partial"):
                if _OWN.fullmatch(leftover.name):  # the folder may hold files of others
                    leftover.unlink(missing_ok=True)
        yield


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that is complete or absent, and is still there after the power fails."""
    with atomic_path(path) as partial:
        partial.touch(mode=0o600)
        partial.write_bytes(content)
    sync_folder(path.parent)


def move_durably(path: Path, folder: Path) -> None:
    """Move a file to a folder beside its own; it is in one of the two, also after the power fails."""
    path.rename(folder / path.name)
    for changed in (folder, path.parent):
        sync_folder(changed)


def sync_folder(folder: Path) -> None:
    """Make the names of the files in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
