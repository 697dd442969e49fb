"""The public files of the room, read when they are first needed and again when they have changed."""

import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privge.embedding.embedding import Embedding
from privge.graph import Graph, read_graph
from privge.graph.labels import read_labels
from privge.ids import Ids
from privge.pages.room.options import RoomOptions
from privge.profiles.communities import find_communities
from privge.profiles.groups import Groups

T = TypeVar("T")


class Files:
    """Graph, groups and embeddings; safe for use from several threads.

    Parameters
    ----------
    options
        Where they are.
    """

    def __init__(self, options: RoomOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[int, Any]] = {}

    def graph(self) -> Graph | None:
        """Return the graph, if one was given."""
        path = self._options.graph
        return None if path is None else self._read("graph", path, lambda: read_graph(path))

    def labels(self) -> tuple[Ids, NDArray[np.object_]] | None:
        """Return ids and public classes, if they were given."""
        path = self._options.labels
        return None if path is None else self._read("labels", path, lambda: read_labels(path, blanks=True))

    def groups(self) -> tuple[str, Groups | None]:
        """Return what colours a map, and what it is called: public classes, or else communities of the graph."""
        labels, graph = self._options.labels, self._options.graph
        if labels is not None:
            return "class", self._read("groups", labels, lambda: Groups.of(read_labels(labels, blanks=True)))
        if graph is not None and find_spec("igraph") is not None:
            return "community", self._read("groups", graph, lambda: find_communities(read_graph(graph), smallest=2))
        return "", None

    def embedding(self, path: Path) -> Embedding:
        """Return an embedding; one is kept at a time."""
        return self._read("embedding", path, lambda: Embedding.load(path))

    def _read(self, name: str, path: Path, read: Callable[[], T]) -> T:
        changed = hash((path, path.stat().st_mtime_ns))
        with self._lock:
            if name in self._kept and self._kept[name][0] == changed:
                found: T = self._kept[name][1]
                return found
        found = read()
        with self._lock:
            self._kept[name] = changed, found
        return found
