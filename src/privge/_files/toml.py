"""Small TOML files: read with the name of the file in every message, and written so that people can edit them."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from privge._files.atomic import atomic_path
from privge.errors import BadData


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    if not path.is_file():
        raise BadData(f"{path}: no such file")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: this is not TOML: {error}") from error


def write_toml(path: Path, document: Mapping[str, Any], *, about: str = "") -> None:
    """Write a document; the file is complete or absent.

    Parameters
    ----------
    path
        The file.
    document
        Text, numbers, truth values, lists of these, and tables of all of them. What is None is left out.
    about
        What stands above it, as a comment.
    """
    comment = [f"# {line}".rstrip() for line in about.splitlines()]
    with atomic_path(path) as partial:
        partial.write_text("\n".join([*comment, *_lines(document, ())]) + "\n", encoding="utf-8")


def _lines(table: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[str]:
    """Yield what a table itself holds, then its tables, then its lists of tables."""
    for key, value in table.items():
        if not _has_header(value) and value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        inside = (*place, _key(key))
        if isinstance(value, Mapping):
            yield from ("", f"[{'.'.join(inside)}]", *_lines(value, inside))
        elif _has_header(value):
            for each in value:
                yield from ("", f"[[{'.'.join(inside)}]]", *_lines(each, inside))


def _has_header(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, Mapping) for each in value)
    return isinstance(value, Mapping)


def _key(key: str) -> str:
    plain = key.replace("-", "").replace("_", "")
    return key if plain.isascii() and plain.isalnum() else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"a TOML file cannot hold {type(value).__name__}")


def _text(text: str) -> str:
    """Return text in quotes; what TOML must not hold as it is, it may hold as JSON writes it, but for one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
