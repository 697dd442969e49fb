"""All files of a dataset that are not there yet, from where they are published."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privge._typing import Progress
from privge.datasets.archive import extract
from privge.datasets.cache import DataDirectory, by_hand
from privge.datasets.description import Archive, DataFile, Description
from privge.datasets.download import RETRIES, Retries, download
from privge.errors import DatasetCorrupt, DatasetMissing


def fetch(
    description: Description,
    directory: DataDirectory,
    *,
    progress: Progress | None = None,
    retries: Retries = RETRIES,
) -> None:
    """Download the files of a dataset that are not there. Files that are there stay as they are."""
    missing = directory.missing(description)
    if not missing or any(file.source is None for file in missing):
        return  # there is nowhere to get somebody's own from; whoever reads them says so
    folder = directory.folder(description)
    try:
        with _alone_in(folder):
            _fetch(description, directory, progress, retries)
    except DatasetMissing as error:
        otherwise = f"without a network: {by_hand(description, directory)}"
        raise DatasetMissing(f"{description.name}: {error}; {otherwise}") from error
    except OSError as error:
        raise DatasetMissing(f"{description.name}: {folder} cannot be written ({error})") from error


def _fetch(description: Description, directory: DataDirectory, progress: Progress | None, retries: Retries) -> None:
    missing = directory.missing(description)  # another process may have fetched them meanwhile
    sources = list(dict.fromkeys(file.source if isinstance(file.source, Archive) else file for file in missing))
    sizes = [source.largest for source in sources]
    for position, source in enumerate(sources):
        report = _offset(progress, sum(sizes[:position]), sum(sizes))
        if isinstance(source, Archive):
            _fetch_archive(description, directory, source, report, retries)
        else:
            _fetch_file(description, directory.place(description, source), source, report, retries)


def _fetch_file(
    description: Description, target: Path, file: DataFile | Archive, report: Callable[[int], None], retries: Retries
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        download(file, target, progress=report, retries=retries)
        report(file.largest)
    except DatasetCorrupt as error:
        raise DatasetCorrupt(f"{description.name}: {file.name}: {error}; nothing of it was kept") from error
    finally:
        with suppress(OSError):
            target.parent.rmdir()  # if nothing came


def _fetch_archive(
    description: Description,
    directory: DataDirectory,
    archive: Archive,
    report: Callable[[int], None],
    retries: Retries,
) -> None:
    folder = directory.folder(description)
    target = folder / f".{archive.name}"  # beside whatever a person may have put there
    wanted = [file for file in directory.missing(description) if file.source == archive]
    try:
        _fetch_file(description, target, archive, report, retries)
        extract(target, wanted, folder)
    finally:
        target.unlink(missing_ok=True)


def _offset(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    """Return a callback for one file, out of the one for all of them."""

    def report(done: int) -> None:
        if progress is not None:
            progress(before + done, total)

    return report


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from fetching into the same folder; remove the folder if nothing came."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if sys.platform == "win32":
            yield
        else:
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            try:
                with suppress(OSError):  # some network file systems cannot
                    fcntl.flock(handle, fcntl.LOCK_EX)
                yield
            finally:
                os.close(handle)
    finally:
        with suppress(OSError):
            folder.rmdir()
