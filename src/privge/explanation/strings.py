"""Everything that is said, in one resource file, so that it can be translated."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Formatter
from typing import Any

from privge.errors import BadData

Strings = Mapping[str, Any]
"""Texts by section and name."""


@cache
def english() -> Strings:
    """Return the texts in English."""
    return parsed_strings(files("privge.explanation").joinpath("english.toml").read_text(encoding="utf-8"))


def parsed_strings(text: str) -> Strings:
    """Return the texts of a resource file."""
    return tomllib.loads(text)


def load_strings(path: str | PathLike[str], original: Strings | None = None) -> Strings:
    """Read a translation; it must have every text, with the same names in braces or fewer.

    Parameters
    ----------
    path
        A file like ``english.toml``.
    original
        What is translated: by default what `privge.explanation.explain` says.
    """
    place = Path(path)
    try:
        strings = parsed_strings(place.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{place}: not a file of texts: {error}") from error
    for section, texts in (english() if original is None else original).items():
        if isinstance(texts, str):
            _check(place, section, texts, strings.get(section))
            continue
        for name, text in texts.items():
            found = strings.get(section)
            _check(place, f"{section}.{name}", text, found.get(name) if isinstance(found, dict) else None)
    return strings


def _check(place: Path, name: str, text: str, translated: object) -> None:
    if not isinstance(translated, str):
        raise BadData(f"{place}: the text {name} is missing")
    try:
        more = fields(translated) - fields(text)
    except ValueError as error:
        raise BadData(f"{place}: the text {name} has a brace that does not close: {error}") from error
    if more:
        raise BadData(f"{place}: the text {name} names {{{min(more)}}}, which nobody fills in")


def fields(text: str) -> set[str]:
    """Return the names in braces."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}
