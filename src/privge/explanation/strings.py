"""Everything that is said, in one resource file, so that it can be translated."""

from functools import cache
from importlib.resources import files
from os import PathLike

from privge._files.translations import Strings, load_translation, parsed_strings

__all__ = ["Strings", "english", "load_strings"]


@cache
def english() -> Strings:
    """Return the texts in English."""
    return parsed_strings(files("privge.explanation").joinpath("english.toml").read_text(encoding="utf-8"))


def load_strings(path: str | PathLike[str]) -> Strings:
    """Read a translation; it must have every text, with the same names in braces or fewer."""
    return load_translation(path, english())
