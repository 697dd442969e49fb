"""Arrays in NumPy's archive (``.npz``) from elsewhere: looked at from outside first, and unpacked only if that is safe.

A zip of a few thousand bytes can claim to hold a million times as much, and an array can claim any shape. So what the
archive and the headers of its arrays claim is compared with each other and with bounds before anything is unpacked.
What is read afterwards is never more than was claimed.
"""

import math
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from numpy.lib import format as npy
from numpy.typing import NDArray

from privge.errors import BadData

_SUFFIX = ".npy"
_LONGEST_HEADER = 10_000  # characters, as NumPy's own bound


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much an archive may hold.

    Parameters
    ----------
    entries
        Arrays, at most.
    unpacked
        Bytes of all of them together, at most.
    """

    entries: int
    unpacked: int


def read_archive(path: Path, bounds: Bounds) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive by name; what is too large, damaged or holds objects is refused unpacked.

    Parameters
    ----------
    path
        The file; messages do not name it.
    bounds
        What is too large.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_sizes(members, bounds)
            for member in members:
                with archive.open(member) as file:
                    _check_header(file, member)
            return {member.filename.removesuffix(_SUFFIX): _array(archive, member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, BadData):
            raise
        raise BadData(f"it is damaged, or not an archive of arrays ({type(error).__name__})") from error


def _check_sizes(members: list[zipfile.ZipInfo], bounds: Bounds) -> None:
    if len(members) > bounds.entries:
        raise BadData(f"it has {len(members):,} entries, where {bounds.entries:,} are the most; it is not unpacked")
    if len({member.filename for member in members}) < len(members):
        raise BadData("two of its entries have the same name; it is not unpacked")
    total = sum(member.file_size for member in members)
    if total > bounds.unpacked:
        most = f"{bounds.unpacked / 2**20:,.0f} are the most"
        raise BadData(f"it would be {total / 2**20:,.0f} MiB unpacked, where {most}; it is not unpacked")


def _check_header(file: IO[bytes], member: zipfile.ZipInfo) -> None:
    """Compare the size that an array claims with the size that the archive claims for it; no number is read."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise BadData(f"{member.filename!r} has an unknown format of arrays")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(file, max_header_size=_LONGEST_HEADER)
    if dtype.hasobject:
        raise BadData(f"{member.filename!r} holds objects, which are not read")
    if any(side < 0 for side in shape) or file.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
        raise BadData(f"{member.filename!r} is not as long as it claims; it is not unpacked")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
        if file.read(1):  # reaches the end, where the checksum is compared
            raise BadData(f"{member.filename!r} is longer than it claims")
    return array
