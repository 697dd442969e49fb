"""What is known about a dataset before it is there: its files, their publisher, and what they hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from privge.datasets.contents import Blob, Contents
from privge.datasets.dataset import Statistics

LARGEST_FILE: Final = 64 * 2**20
"""Bytes that a file may have whose size nobody wrote down."""

Reader = Callable[[Mapping[str, Blob]], Contents]


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
    def sha256(self) -> str:
        """Their checksum."""


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
    role
        What the reader of the format calls it.
    name
        Path inside the folder of the dataset.
    size, sha256
        What its bytes must be. A size that nobody wrote down is None.
    source
        Where it is published: an address of its own, or the archive that holds it.
    """

    role: str
    name: str
    size: int | None
    sha256: str
    source: str | Archive

    @property
    def url(self) -> str:
        """The address to get it from."""
        return self.source if isinstance(self.source, str) else self.source.url

    @property
    def largest(self) -> int:
        """The largest number of bytes that it may have."""
        return LARGEST_FILE if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Description:
    """A dataset of the catalogue.

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
