"""The folder with the files of the datasets: one folder for each dataset; every file is checked when it is read."""

import hashlib
import os
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from privge.datasets.contents import Blob
from privge.datasets.description import DataFile, Description, Published
from privge.errors import DatasetCorrupt, DatasetMissing

_SHOWN = 3  # addresses that a message names


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """A folder with datasets.

    Parameters
    ----------
    path
        The folder; it need not exist.
    ours
        Whether only this package writes there, so that it may remove what is damaged.
    """

    path: Path
    ours: bool

    def place(self, description: Description, file: DataFile) -> Path:
        """Return where a file belongs."""
        return self.folder(description) / file.name

    def folder(self, description: Description) -> Path:
        """Return the folder of a dataset."""
        return self.path / description.name if description.folder is None else description.folder

    def missing(self, description: Description) -> tuple[DataFile, ...]:
        """Return the files of a dataset that are not there."""
        return tuple(file for file in description.files if not self.place(description, file).is_file())

    def read(self, description: Description) -> dict[str, Blob]:
        """Return the checked bytes of every file of a dataset, by role."""
        missing = self.missing(description)
        if missing and description.folder is not None:
            raise DatasetMissing(
                f"{self.folder(description)}: {', '.join(file.name for file in missing)} is not there; put it there, "
                "or correct [files] in dataset.toml"
            )
        if missing:
            raise DatasetMissing(
                f"{description.name}: {len(missing)} of {len(description.files)} files are missing; run "
                f"`privge datasets {description.name} --download`, or {by_hand(description, self)}"
            )
        return {file.role: self.read_file(description, file) for file in description.files}

    def read_file(self, description: Description, file: DataFile) -> Blob:
        """Return the bytes of one file that is there; refuse them if they are not the published ones."""
        path = self.place(description, file)
        if file.sha256 is None:
            return Blob(path)
        try:
            with path.open("rb") as stream:  # never more than a byte too many, whatever lies there
                data = stream.read(file.largest + 1)
        except OSError as error:
            raise DatasetMissing(f"{path}: cannot be read ({error.strerror})") from error
        problem = difference(data, file)
        if problem is None:
            return Blob(path, data)
        advice = "remove it and download it again"
        if self.ours and description.folder is None:
            path.unlink(missing_ok=True)
            advice = "it was removed; download it again"
        raise DatasetCorrupt(f"{path}: {problem}; {advice}")


def data_directory(given: str | PathLike[str] | None = None) -> DataDirectory:
    """Return the folder given, or that of the variable PRIVGE_DATA, or this user's cache."""
    chosen = given or os.environ.get("PRIVGE_DATA")
    if chosen:
        return DataDirectory(Path(chosen).expanduser(), ours=False)
    if sys.platform == "win32":
        cache = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    else:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return DataDirectory(Path(cache) / "privge", ours=True)


def difference(data: bytes, published: Published) -> str | None:
    """Return in words how bytes differ from the published ones, or None."""
    if published.size is not None and len(data) < published.size:
        return f"truncated: {len(data):,} bytes instead of {published.size:,}"
    if len(data) > published.largest:
        return "larger than the published file"
    found = hashlib.sha256(data).hexdigest()
    if published.sha256 is not None and found != published.sha256:
        return f"the checksum is not that of the published file: SHA-256 {found} instead of {published.sha256}"
    return None


def by_hand(description: Description, directory: DataDirectory) -> str:
    """Return in words where the files that are missing can be had and must be put."""
    names: dict[str, list[str]] = {}
    for file in directory.missing(description):
        names.setdefault(file.url, []).append(file.name)
    places = [f"{', '.join(together)} (from {url})" for url, together in names.items()]
    rest = [f"{len(places) - _SHOWN} more, see `privge datasets --json`"] if len(places) > _SHOWN else []
    return f"put {', '.join(places[:_SHOWN] + rest)} into {directory.folder(description)}"
