"""Parquet files, read such that Arrow's threads never hold anything of Python's.

Arrow decodes columns in threads of its own, and whichever of them is last lets go of the file; that may be after the
caller has its table. To let go of a Python file takes Python's lock. If Python is about to end, the thread does not get
it: it is ended in the middle of a C++ destructor, and with it the process, by ``terminate called without an active
exception`` and exit code 134. So a file on a disk is opened by Arrow itself, and a file that only Python can open, at
an address, is read by the calling thread alone.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from privge._files.folder import Folder


class Opened(NamedTuple):
    """A file, and whether several threads may read it: what to give as ``use_threads``."""

    parquet: pq.ParquetFile
    threads: bool


@contextmanager
def opened_parquet(folder: Folder, name: str) -> Iterator[Opened]:
    """Yield a file of a folder; its schema and number of rows are there without reading a row."""
    if folder.path is not None:
        with pa.OSFile(os.fsencode(folder.path / name)) as file, pq.ParquetFile(file) as parquet:
            yield Opened(parquet, threads=True)
        return
    with folder.reading(name) as file, pq.ParquetFile(file, pre_buffer=False) as parquet:
        yield Opened(parquet, threads=False)


def read_parquet(folder: Folder, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the table in a file of a folder, or only some of its columns."""
    with opened_parquet(folder, name) as (parquet, threads):
        return parquet.read(columns=None if columns is None else list(columns), use_threads=threads)
