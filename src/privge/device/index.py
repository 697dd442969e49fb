"""Which node's report is where in an outbox: on disk, so that a process does not grow with the number of people.

The index is derived from the outbox's parts and can be removed at any time: what it lacks is read from them again.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.ids import Ids, node_key

_TABLES = """
CREATE TABLE IF NOT EXISTS parts (part INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS nodes (node BLOB PRIMARY KEY, part INTEGER, line INTEGER) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class NodeIndex:
    """Part and row of every node; as everywhere, 17 and "17" are one node.

    Parameters
    ----------
    path
        An SQLite file in the private folder of the outbox.
    """

    path: Path

    def parts(self) -> set[int]:
        """Return the parts whose nodes are in the index."""
        with self._database() as database:
            return {part for (part,) in database.execute("SELECT part FROM parts")}

    def add(self, part: int, ids: Ids) -> None:
        """Add all nodes of a part, or none; a node that is in another part already is an error."""
        rows = ((_key(node), part, row) for row, node in enumerate(ids.tolist()))
        with self._database() as database, database:
            database.execute("INSERT INTO parts VALUES (?)", (part,))
            try:
                database.executemany("INSERT INTO nodes VALUES (?, ?, ?)", rows)
            except sqlite3.IntegrityError:
                raise BadData(f"{self.path.parent}: part {part} has a node that another part has already") from None

    def places(self, ids: Ids) -> NDArray[np.int64]:
        """Return part and row of each node, -1 and -1 where there is none."""
        query, none = "SELECT part, line FROM nodes WHERE node = ?", (-1, -1)
        with self._database() as database:
            found = [database.execute(query, (_key(node),)).fetchone() or none for node in ids.tolist()]
        return np.array(found, dtype=np.int64).reshape(len(ids), 2)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as database:
                database.executescript(_TABLES)
                yield database
        except sqlite3.DatabaseError as error:
            raise BadData(f"{self.path}: {error}; remove this file, and it is made again") from error


def _key(node: str | int) -> bytes:
    return hashlib.sha256(node_key(node)).digest()[:16]
