"""Node ids: strings or integers, and the bytes that stand for them.

An integer stands for its decimal digits: 17 and "17" are one node, "007" is another, in every file, store and join.
Whether ids are integers or text is the caller's word (the type of a column or an array, or an option), never guessed
from what they look like.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData

Ids: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
"""All integers, or all strings."""

SeveralIds: TypeAlias = list[str] | list[int] | NDArray[Any]
"""Ids to ask for; a Series or an Index of pandas will do too."""


def node_key(node: object) -> bytes:
    """Return the bytes that stand for a node id: its decimal digits or its text, in UTF-8."""
    if isinstance(node, bool) or not isinstance(node, str | int | np.integer):
        raise TypeError(f"a node id must be a string or an integer, got {type(node).__name__}")
    try:
        key = str(node).encode()
    except UnicodeEncodeError:
        raise ValueError("a node id must be Unicode text") from None  # the cause quotes the id
    if not key:
        raise ValueError("a node id must not be empty")
    return key


def as_texts(ids: Ids) -> NDArray[np.object_]:
    """Return ids as text, an integer as its digits: what stands for the same nodes wherever they meet others."""
    return ids if ids.dtype == np.object_ else np.array(list(map(str, ids.tolist())), dtype=np.object_)  # type: ignore[return-value]


def as_ids(ids: Iterable[object], *, unique: bool = True) -> Ids:
    """Return node ids as one array: all integers, or all strings; each id once, if ``unique``."""
    if isinstance(ids, np.ndarray) and ids.dtype.kind == "i":
        array: Ids = ids.astype(np.int64)
    else:
        array = _as_array(ids.tolist() if isinstance(ids, np.ndarray) else list(ids))
    if unique and (repeated := first_repeated(array)) is not None:
        raise BadData(f"the id at position {repeated} appears twice (positions count from 0)")
    return array


def _as_array(nodes: list[object]) -> Ids:
    if _good_texts(nodes):
        return np.array(nodes, dtype=np.object_)
    for position, node in enumerate(nodes):
        try:
            node_key(node)
        except (TypeError, ValueError) as error:
            raise BadData(f"the id at position {position}: {error}") from error
    texts = sum(isinstance(node, str) for node in nodes)
    if texts not in (0, len(nodes)):
        raise BadData("ids must be all strings or all integers")
    if texts:
        return np.array(nodes, dtype=np.object_)
    try:
        return np.array(nodes, dtype=np.int64)
    except OverflowError:
        raise BadData("integer ids must fit 64 bits; write larger ones as strings") from None


def _good_texts(nodes: list[object]) -> bool:
    """Say, at once for all, whether nodes are text and good ids; if not, each is to be looked at."""
    if set(map(type, nodes)) != {str} or "" in nodes:
        return False
    try:
        "".join(nodes).encode()  # type: ignore[arg-type]
    except UnicodeEncodeError:
        return False
    return True


def first_repeated(ids: Ids) -> int | None:
    """Return the first position whose id stood before, if there is one."""
    nodes = ids.tolist()
    if len(set(nodes)) == len(nodes):
        return None
    seen: set[object] = set()
    for position, node in enumerate(nodes):
        if node in seen:
            return position
        seen.add(node)
    return None


@dataclass(frozen=True, slots=True)
class RowsById:
    """Where nodes stand: 17 and "17" are one node, "007" is another, and what is neither text nor integer is none.

    Parameters
    ----------
    rows
        The row of each node, by its text.
    where
        The end of the sentence "node 17 is not ...".
    """

    rows: Mapping[str, int]
    where: str

    @classmethod
    def of(cls, ids: Ids, where: str) -> Self:
        """Remember the order of ids."""
        return cls({str(node): row for row, node in enumerate(ids.tolist())}, where)

    def __contains__(self, node: object) -> bool:
        return self._found(node) >= 0

    def row(self, node: object) -> int:
        """Return the row of a node; one that is not there is refused."""
        row = self._found(node)
        if row < 0:
            raise BadData(f"node {node!r} is not {self.where}")
        return row

    def several(self, nodes: Iterable[object]) -> NDArray[np.int64]:
        """Return the row of each node; if some are not there, they are counted and refused."""
        wanted = nodes.tolist() if isinstance(nodes, np.ndarray) else list(nodes)
        rows = np.array([self._found(node) for node in wanted], dtype=np.int64)
        absent = np.flatnonzero(rows < 0)
        if absent.size:
            first = wanted[absent[0]]
            raise BadData(f"{absent.size:,} of {len(rows):,} nodes are not {self.where}, the first is {first!r}")
        return rows

    def _found(self, node: object) -> int:
        is_id = isinstance(node, str | int | np.integer) and not isinstance(node, bool)
        return self.rows.get(str(node), -1) if is_id else -1


def is_node(asked: object) -> TypeGuard[str | int]:
    """Say whether one node is asked for, and not several."""
    return isinstance(asked, str | int | np.integer)
