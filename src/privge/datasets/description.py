"""What is known about a dataset before it is there: its files, their publisher, and what they hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from privge.datasets.contents import Blob, Contents, NamedContents
from privge.datasets.dataset import Statistics

LARGEST_FILE: Final = 64 * 2**20
"""Bytes that a file may have whose size nobody wrote down."""

Reader = Callable[[Mapping[str, Blob]], Contents | NamedContents]


class Published(Protocol):
    """Bytes on the web: where they are, and what they must be."""

    @property
    def url(self) -> str:
        """An https address, or http on this machine."""

    @property
    def size(self) -> int | None:
        """How many they are; None if nobody wrote it down."""

    @property
    def largest(self) -> int:
        """How many they may be."""

    @property
    def sha256(self) -> str | None:
        """Their checksum; None if nobody wrote it down."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip archive that holds files of a dataset.

    Its bytes are checked before any file is taken out of it.

    Parameters
    ----------
    url
        Where it is published: https, or http on this machine.
    size, sha256
        What its bytes must be.
    """

    url: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """Name of the file at the end of the address."""
        return self.url.rsplit("/", 1)[-1]

    @property
    def largest(self) -> int:
        """The largest number of bytes that it may have."""
        return self.size


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a dataset.

    Parameters
    ----------
    role, name
        What the reader of the format calls it, and its path inside the folder of the dataset.
    size, sha256
        What its bytes must be; None where nobody wrote it down. Without a checksum nothing is checked.
    source
        Where it is published: an address of its own, or the archive that holds it; None if it is somebody's own.
    """

    role: str
    name: str
    size: int | None
    sha256: str | None
    source: str | Archive | None

    @property
    def url(self) -> str:
        """The address to get it from; empty if there is none."""
        return self.source.url if isinstance(self.source, Archive) else self.source or ""

    @property
    def largest(self) -> int:
        """The largest number of bytes that it may have."""
        return LARGEST_FILE if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Description:
    """A dataset of the catalogue, or of somebody's own folder.

    Parameters
    ----------
    name, title
        Name of its folder and on the command line; name to read.
    licence, homepage
        What the publisher states, and where.
    files
        The files that are read.
    read
        Reader of the format.
    low, high
        Public bounds of every feature. Values beyond them are clipped, as a device would.
    statistics
        What the files must turn out to hold; None where that is not fixed.
    paper_edges
        Number of edges that the paper prints; None for datasets that it does not use.
    folder
        Where the files are, if it is somebody's own; None for a folder of this name among the datasets.
    """

    name: str
    title: str
    licence: str
    homepage: str
    files: tuple[DataFile, ...]
    read: Reader
    low: float = 0.0
    high: float = 1.0
    statistics: Statistics | None = None
    paper_edges: int | None = None
    folder: Path | None = None
