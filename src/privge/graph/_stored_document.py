"""What ``graph.json`` must say about the arrays beside it."""

from collections.abc import Callable
from typing import Any

from privge._files.folder import Folder
from privge.errors import BadData

FORMAT = "privge.graph/1"
WEIGHTED_FORMAT = "privge.graph/2"
"""Of a graph with weights: a version that does not know of weights must not read it as a graph without."""

PADDING = 24
"""Zeros after the last entry: compiled code asks for the data of entries ahead of their turn."""

FIELD_NAMES = {"kind": "ids", "heaviest": "largest_strength"}
"""Fields of `privge.graph.StoredGraph` that have another name in ``graph.json``."""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**62


_FIELDS: dict[str, Callable[[Any], bool]] = {
    "nodes": lambda value: _is_count(value) and value < 2**31,
    "entries": _is_count,
    "kind": lambda value: value in ("integers", "strings"),
    "sorted_ids": lambda value: isinstance(value, bool),
    "padding": lambda value: _is_count(value) and PADDING <= value < 2**31,
    "largest_degree": _is_count,
    "fingerprint": lambda value: isinstance(value, str),
    "loops": _is_count,
    "repeated": _is_count,
    "heaviest": lambda value: type(value) is float and 0 <= value < float("inf"),
}


def fields_of(*, weighted: bool) -> list[str]:
    """Return the fields of a stored graph that its document has."""
    return [name for name in _FIELDS if weighted or name != "heaviest"]


def checked_fields(folder: Folder, document: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a stored graph, or refuse a document that lacks one or has another format."""
    place, told = f"{folder.address}/graph.json", {"loops": 0, "repeated": 0, **document}
    if told.get("format") not in (FORMAT, WEIGHTED_FORMAT):
        raise BadData(f"{place}: the format is neither {FORMAT!r} nor {WEIGHTED_FORMAT!r}")
    found = {}
    for name in fields_of(weighted=told["format"] == WEIGHTED_FORMAT):
        written = FIELD_NAMES.get(name, name)
        if written not in told:
            raise BadData(f"{place}: there is no {written!r}")
        if not _FIELDS[name](told[written]):
            raise BadData(f"{place}: {written!r} is not what it must be")
        found[name] = told[written]
    return found
