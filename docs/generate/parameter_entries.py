"""Docstrings in which every parameter has an entry of its own.

What reads docstrings gives ``low, high`` the type and the default of the first. With an entry for each, all are
shown with their own.
"""

import re

_SECTION = re.compile(
    r"(?P<head>^(?P<indent> *)Parameters\n(?P=indent)-+\n)(?P<entries>.*?)(?=\n\s*\n *\w|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ENTRY = re.compile(
    r"^(?P<indent> *)(?P<names>\w+(?:, \w+)+)\n(?P<words>(?:(?P=indent) +\S.*\n?|\s*\n)+)", re.MULTILINE
)


def split(docstring: str) -> str:
    """Return a docstring in which no two parameters share an entry."""
    return _SECTION.sub(lambda section: section["head"] + _ENTRY.sub(_each, section["entries"]), docstring)


def _each(entry: re.Match[str]) -> str:
    words = entry["words"].rstrip("\n")
    end = "\n" if entry["words"].endswith("\n") else ""
    return "\n".join(f"{entry['indent']}{name}\n{words}" for name in entry["names"].split(", ")) + end
