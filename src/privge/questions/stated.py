"""What documents say of questions and features: each value is checked where it is taken, and named if it is wrong."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from privge.errors import BadData


class Stated(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Made = TypeVar("Made", bound=Stated)

EXACT = 2**53
"""Every integer that a device computes stays below this, so that it is exact in every language."""


def integer(name: str, value: object, least: int, most: int) -> int:
    """Return an integer between two others."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise BadData(f"{name} must be an integer, got {_short(value)}")
    if not least <= value <= most:
        raise BadData(f"{name} must be between {least} and {most}, got {value}")
    return int(value)


def number(name: str, value: object) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BadData(f"{name} must be a number, got {_short(value)}")
    try:
        finite = float(value)
    except OverflowError:
        finite = math.inf
    if not math.isfinite(finite):
        raise BadData(f"{name} must be a finite number that fits a float")
    return finite


def text(name: str, value: object) -> str:
    """Return text that is not empty."""
    if not isinstance(value, str) or not value:
        raise BadData(f"{name} must be text that is not empty, got {_short(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadData(f"{name} holds a character that is not Unicode text") from None
    return value


def truth(name: str, value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool | np.bool_):
        raise BadData(f"{name} must be true or false, got {_short(value)}")
    return bool(value)


def one_of(name: str, value: object, words: Sequence[str]) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in words:
        raise BadData(f"{name} must be one of {', '.join(words)}, got {_short(value)}")
    return value


def listed(name: str, value: object, least: int, most: int) -> list[object]:
    """Return a list of so many entries."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not least <= len(value) <= most:
        count = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        raise BadData(f"{name} must be a list of {count} entries")
    return list(value)


def distinct(name: str, values: Sequence[object]) -> None:
    """Refuse a list that holds something twice."""
    if len(set(values)) < len(values):
        raise BadData(f"{name} must be distinct")


def plain(made: Stated) -> dict[str, Any]:
    """Return the fields of a dataclass as a document has them; what is None is left out."""
    values = {field.name: getattr(made, field.name) for field in fields(made)}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def made_of(kind: type[Made], document: Mapping[str, object], **instead: object) -> Made:
    """Build a dataclass from a document: no field that it does not have, and none left out that it needs."""
    known = {field.name: field.default is MISSING for field in fields(kind)}
    for key in document:
        if key not in known:
            raise BadData(f"{key!r} is unknown; the fields are {', '.join(known)}")
    for name, needed in known.items():
        if needed and name not in document:
            raise BadData(f"{name!r} is missing")
    return kind(**{**document, **instead})


def _plain(value: object) -> object:
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _short(value: object) -> str:
    return repr(value)[:60]
