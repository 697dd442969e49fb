"""Texts for people in resource files, so that they can be translated; a translation has every text or is refused."""

import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from string import Formatter
from typing import Any

from privge.errors import BadData

Strings = Mapping[str, Any]
"""Texts by section and name."""


def parsed_strings(text: str) -> Strings:
    """Return the texts of a resource file."""
    return tomllib.loads(text)


def load_translation(path: str | PathLike[str], original: Strings) -> Strings:
    """Read a translation; it must have every text of the original, with the same names in braces or fewer."""
    place = Path(path)
    try:
        strings = parsed_strings(place.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{place}: not a file of texts: {error}") from error
    for section, texts in original.items():
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
