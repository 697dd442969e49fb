"""Files out of a zip archive: only those that are asked for, only what they must be, and all or none."""

import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from privge._files.atomic import atomic_path
from privge.datasets.cache import difference
from privge.datasets.description import DataFile
from privge.errors import DatasetCorrupt

_UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)


def extract(archive: Path, files: Sequence[DataFile], folder: Path) -> None:
    """Write files of an archive into a folder, under their own names.

    The paths inside the archive decide nothing: a file is found by the last part of its name. An archive with a path
    that leads out of its folder is refused all the same.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            found = {file: _read(opened, file) for file in files}
    except DatasetCorrupt as error:
        raise DatasetCorrupt(f"{archive}: {error}") from error
    except _UNREADABLE as error:
        raise DatasetCorrupt(f"{archive}: not a readable zip archive ({error})") from error
    for file, data in found.items():
        with atomic_path(folder / file.name) as partial:
            partial.write_bytes(data)


def _read(archive: zipfile.ZipFile, file: DataFile) -> bytes:
    members = archive.infolist()
    for member in members:
        if _leads_out(member):
            raise DatasetCorrupt(f"the path {member.filename!r} leads out of the folder; nothing was taken")
    wanted = PurePosixPath(file.name).name
    matching = [member for member in members if PurePosixPath(member.filename).name == wanted]
    if len(matching) != 1:
        raise DatasetCorrupt(f"{len(matching)} files are called {wanted}")
    with archive.open(matching[0]) as stream:  # the size in the archive's table is only a claim
        data = stream.read(file.largest + 1)
    problem = difference(data, file)
    if problem is not None:
        raise DatasetCorrupt(f"{wanted}: {problem}")
    return data


def _leads_out(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    rooted = path.is_absolute() or bool(PureWindowsPath(member.filename).drive)
    return rooted or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16)
