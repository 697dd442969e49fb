"""A folder that several processes share: a local or network path, or any address that fsspec knows.

Files are NumPy arrays and small JSON documents. Each is complete or absent: on a file system it is written beside its
target and renamed; an object store shows an object only when all of it has arrived. Writing the same file twice is
harmless, which is what lets a task be run again after a fault.
"""

import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from privge._files.atomic import atomic_path
from privge._imports import needed
from privge.errors import BadData

_Read = TypeVar("_Read")

_TRIES = 8  # of reading a header beside other threads


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its path or address.

    Parameters
    ----------
    address
        ``/shared/run``, ``s3://bucket/run``, ``memory://run``.
    """

    address: str

    @classmethod
    def of(cls, place: "str | os.PathLike[str] | Folder") -> "Folder":
        """Return the folder that a path, an address or a folder names; a path as it is seen from anywhere."""
        if isinstance(place, Folder):
            return place
        address = os.fspath(place)
        return cls(address if "://" in address else os.path.abspath(address))  # noqa: PTH100 (keeps symbolic links)

    @classmethod
    def containing(cls, file: str | os.PathLike[str]) -> tuple["Folder", str]:
        """Return the folder and the name of a file that a path or an address names."""
        address = os.fspath(file)
        folder, slash, name = address.rpartition("/")
        return cls(folder or slash or "."), name

    @property
    def path(self) -> Path | None:
        """The path, if the folder lies in a file system, where arrays can be memory-mapped."""
        if self.address.startswith("file://"):
            return Path(self.address.removeprefix("file://"))
        return None if "://" in self.address else Path(self.address)

    def sub(self, name: str) -> "Folder":
        """Return a folder inside this one."""
        return Folder(f"{self.address.rstrip('/')}/{name}")

    def file(self, name: str) -> str:
        """Return the path or address of a file inside this folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def exists(self, name: str = "") -> bool:
        """Say whether a file is there."""
        if self.path is not None:
            return (self.path / name).exists()
        system, root = self._system()
        return bool(system.exists(f"{root}/{name}"))

    def names(self, suffix: str = "") -> list[str]:
        """Return the names of the finished files, sorted; those that begin with a dot or underscore are not data."""
        if self.path is not None:
            found = [entry.name for entry in self.path.iterdir()] if self.path.is_dir() else []
        else:
            system, root = self._system()
            entries = system.ls(root, detail=False) if system.exists(root) else []
            found = [entry.rstrip("/").rsplit("/", 1)[-1] for entry in entries]
        return sorted(name for name in found if name.endswith(suffix) and not name.startswith((".", "_")))

    def make(self) -> None:
        """Make the folder if it is absent."""
        if self.path is not None:
            self.path.mkdir(parents=True, exist_ok=True)
        else:
            system, root = self._system()
            system.makedirs(root, exist_ok=True)

    @contextmanager
    def writing(self, name: str, *, once: bool = False) -> Iterator[BinaryIO]:
        """Yield a file to write; it has its name only when all of it is written.

        With ``once`` a file that is there already is never replaced: `FileExistsError`. For an address the bytes are
        gathered first, because closing an object half-way, after an error, would make it look finished.
        """
        if self.path is not None:
            with atomic_path(self.path / name, once=once) as partial, partial.open("wb") as file:
                yield file
            return
        gathered = io.BytesIO()
        yield gathered
        system, root = self._system()
        system.pipe_file(f"{root}/{name}", gathered.getvalue(), mode="create" if once else "overwrite")

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to read."""
        if self.path is not None:
            with (self.path / name).open("rb") as file:
                yield file
            return
        system, root = self._system()
        with system.open(f"{root}/{name}", "rb") as file:
            yield file

    def write(self, name: str, array: NDArray[Any]) -> int:
        """Write an array as ``.npy``, complete or not at all, and return its bytes."""
        self.make()
        with self.writing(name) as file:
            np.save(file, array)
        return array.nbytes

    @contextmanager
    def create(self, name: str, shape: tuple[int, ...], kind: DTypeLike) -> Iterator[NDArray[Any]]:
        """Yield an array to be filled, memory-mapped where possible; at the end it is the file, or nothing is."""
        if self.path is None:
            array: NDArray[Any] = np.empty(shape, dtype=kind)
            yield array
            self.write(name, array)
            return
        self.path.mkdir(parents=True, exist_ok=True)
        with atomic_path(self.path / name) as partial:
            mapped = npy.open_memmap(partial, mode="w+", dtype=np.dtype(kind), shape=shape)
            with partial.open("r+b") as file:  # a full disk is an error now, not a bus error while the array is filled
                os.posix_fallocate(file.fileno(), 0, max(1, partial.stat().st_size))
            yield mapped
            mapped.flush()

    def read(self, name: str, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """Return rows ``first`` to ``last`` of an array: memory-mapped where possible, else only those are read."""
        if self.path is not None:
            return _mapped(self.path / name)[first:last]
        system, root = self._system()
        with system.open(f"{root}/{name}", "rb") as file:
            shape, kind = _header(file)
            _, end, _ = slice(first, last).indices(shape[0])
            width = kind.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            file.seek(first * width, os.SEEK_CUR)
            raw = file.read(max(0, end - first) * width)
        return np.frombuffer(raw, dtype=kind).reshape(-1, *shape[1:])

    def write_document(self, name: str, document: dict[str, Any]) -> None:
        """Write a JSON document, complete or not at all."""
        self.make()
        with self.writing(name) as file:
            file.write(json.dumps(document, indent=1).encode())

    def document(self, name: str) -> dict[str, Any]:
        """Return a JSON document."""
        try:
            with self.reading(name) as file:
                document: object = json.loads(file.read())
        except (ValueError, RecursionError, OSError) as error:
            raise BadData(f"{self.address}/{name}: {error}") from error
        if not isinstance(document, dict):
            raise BadData(f"{self.address}/{name}: this is not a JSON object")
        return document

    def remove(self, names: Sequence[str]) -> None:
        """Remove files; those that are gone already do not matter."""
        for name in names:
            if self.path is not None:
                (self.path / name).unlink(missing_ok=True)
                continue
            system, root = self._system()
            if system.exists(f"{root}/{name}"):
                system.rm_file(f"{root}/{name}")

    def remove_leftovers(self) -> None:
        """Remove what processes that died left half-written; an object store keeps nothing of the kind."""
        for leftover in self.path.glob(".*.partial") if self.path is not None else ():
            leftover.unlink(missing_ok=True)

    def claim(self, purpose: str) -> None:
        """Mark a folder as ours, before anything in it is replaced or removed; one with other files is refused."""
        mark = f"_{purpose}.json"
        if self.exists(mark):
            return
        if self.exists() and (others := self.names()):
            raise BadData(f"{self.address}: there are other files here, such as {others[0]}; give a folder of its own")
        self.write_document(mark, {"purpose": purpose})

    def clear(self) -> None:
        """Remove the folder and everything in it."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        system, root = self._system()
        if system.exists(root):
            system.rm(root, recursive=True)

    def _system(self) -> tuple[Any, str]:
        """Return fsspec's file system and the folder's place in it."""
        with needed("an address"):
            from fsspec.core import url_to_fs
        try:
            system, root = url_to_fs(self.address, use_listings_cache=False)  # others write here too
        except (ImportError, ValueError) as error:  # a protocol that fsspec lacks a package for, or does not know
            raise BadData(f"{self.address}: {error}") from error
        return system, root.rstrip("/")


def _mapped(path: Path) -> NDArray[Any]:
    """Return an array of at least one dimension, mapped; whatever else is a `ValueError`."""
    try:
        mapped: NDArray[Any] = _beside_threads(lambda: npy.open_memmap(path, mode="r"))
    except (SyntaxError, TokenError, OverflowError, TypeError) as error:
        raise ValueError("this is not an array of NumPy") from error
    if not mapped.ndim:
        raise ValueError("this is one number, not an array of them")
    return mapped


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:  # noqa: ANN401 (whatever fsspec opens)
    """Read the header of an array; whatever is none, or none of plain numbers in rows, is a `ValueError`."""
    place = file.tell()

    def parsed() -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        file.seek(place)
        version = npy.read_magic(file)
        return (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(file)

    try:
        shape, fortran, kind = _beside_threads(parsed)
    except (SyntaxError, TokenError, OverflowError, TypeError) as error:
        raise ValueError("this is not an array of NumPy") from error
    if not shape or kind.hasobject or (fortran and len(shape) > 1):
        raise ValueError("this is not an array of numbers, row by row")
    return shape, kind


def _beside_threads(read: Callable[[], _Read]) -> _Read:
    """Read a header, again if Python fails at it.

    NumPy parses headers as Python. There, version 3.11 counts the depth of nesting for all threads together; if another
    thread parses meanwhile, the count is wrong in the end and the call fails with a `SystemError`, for no fault of the
    file.
    """
    for _ in range(_TRIES - 1):
        with suppress(SystemError):
            return read()
    return read()
