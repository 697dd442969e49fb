"""Which nodes are meant: by id, never by position; an id that is not there is answered with those that look like it."""

import difflib
import logging
from collections.abc import Iterable

import numpy as np

from privge.errors import BadData
from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.graph.pairs import NodePairs
from privge.ids import as_ids, as_texts, is_node

logger = logging.getLogger(__name__)

_LOOKED_AT = 50_000  # ids that are compared letter by letter
_CLOSE = 3
_ALIKE = "; are ids written alike? 007 is not 7"


def rows_asked(graph: Graph, nodes: str | int | Iterable[object]) -> Rows:
    """Return the rows of nodes that are asked for; the first that is not in the graph is refused, naming close ids."""
    asked = [nodes] if is_node(nodes) else list(nodes)  # type: ignore[arg-type]
    if not asked:
        return np.empty(0, dtype=np.int64)
    rows = graph.rows_of(asked)
    absent = np.flatnonzero(rows < 0)
    if len(absent):
        first = asked[int(absent[0])]
        more = f"; {len(absent):,} of {len(asked):,} nodes are not" if len(absent) > 1 else ""
        raise BadData(f"node {first!r} is not in the graph{more}{_hint(graph, first)}")
    return rows


def _hint(graph: Graph, absent: object) -> str:
    close = close_ids(graph, str(absent))
    return f"; close to it: {', '.join(close)}" if close else _ALIKE


def close_ids(graph: Graph, wanted: str) -> list[str]:
    """Return a few ids of a graph that look like one that is not there."""
    texts = as_texts(graph.ids).tolist()
    folded = wanted.strip().casefold()
    alike = [text for text in texts if text.strip().casefold() == folded]
    alike += [text for text in texts if folded.isdigit() and text.lstrip("0") == folded.lstrip("0")]  # 7 and 007
    if alike:
        return alike[:_CLOSE]
    near = sorted(texts, key=lambda text: (abs(len(text) - len(wanted)), not text.startswith(wanted[:1]), text))
    return difflib.get_close_matches(wanted, near[:_LOOKED_AT], n=_CLOSE)


def blocked_rows(graph: Graph, pairs: Iterable[tuple[object, object]]) -> NodePairs:
    """Return blocked pairs as rows; a pair with an end outside the graph can never be recommended anyway."""
    listed = [tuple(pair) for pair in pairs]
    if any(len(pair) != 2 for pair in listed):
        raise BadData("a blocked pair is two ids")
    if not listed:
        return np.empty((0, 2), dtype=np.int64)
    rows = _known_rows(graph, [node for pair in listed for node in pair], "blocked").reshape(-1, 2)
    return rows[(rows >= 0).all(axis=1)]


def erased_rows(graph: Graph, nodes: Iterable[object]) -> Rows:
    """Return the rows of people who are gone; who is not in the graph is gone already."""
    listed = list(nodes)
    rows = _known_rows(graph, listed, "erased") if listed else np.empty(0, dtype=np.int64)
    return rows[rows >= 0]


def _known_rows(graph: Graph, nodes: list[object], what: str) -> Rows:
    """Return rows, -1 for who is not in the graph: a person written otherwise would be recommended, so it is said.

    Who they are is not: nobody's name belongs in a log because they blocked somebody or left.
    """
    rows = graph.rows_of(as_ids(nodes, unique=False))
    absent = int((rows < 0).sum())
    if absent:
        logger.warning("%s of %s %s ids are not in the graph%s", f"{absent:,}", f"{len(nodes):,}", what, _ALIKE)
    return rows
