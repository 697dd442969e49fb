"""When two files are the same: byte for byte, wherever the bytes are privge's own and not those of a library."""

import sqlite3
from contextlib import closing

import numpy as np
import pyarrow.parquet as pq

_OF_THE_DAY = {"at", "closed"}  # columns of a store that hold when it was written


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def same(kept, written):
    """Say whether two files of one name are the same."""
    kind = kept.suffix
    if kind == ".parquet" and pq.read_metadata(kept).created_by != pq.read_metadata(written).created_by:
        return pq.read_table(kept).equals(pq.read_table(written), check_metadata=True)
    if kind == ".npz":  # compressed by the machine's own library
        return _arrays(kept) == _arrays(written)
    if kind in (".db", ".sqlite"):  # whose pages carry counters, and the version of SQLite
        return rows(kept) == rows(written)
    return kept.read_bytes() == written.read_bytes()


def rows(path):
    """All tables, indices and triggers of a database, and their rows; but not the day on which they were written."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        tables = [name for kind, name, _ in made if kind == "table"]
        return made, {table: _rows(database, table) for table in tables}


def _rows(database, table):
    columns = [column for _, column, *_ in database.execute(f"PRAGMA table_info({table})")]
    kept = ", ".join(f'"{column}"' for column in columns if column not in _OF_THE_DAY)
    return sorted(database.execute(f"SELECT {kept} FROM {table}").fetchall())  # noqa: S608 (names of a fixture)


def _arrays(path):
    with np.load(path) as arrays:
        return {name: (arrays[name].dtype.str, arrays[name].tobytes()) for name in arrays.files}
