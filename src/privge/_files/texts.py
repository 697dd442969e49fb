"""Rows of a text file: how they are separated, recognised by the first line; and the lines they stand on.

The name of a file says what to expect: commas in ``.csv``, tabs in ``.tsv``, white space in ``.txt`` and ``.edgelist``,
where a line that begins with ``#`` is a comment. If the first line says otherwise, the first line is right.
"""

import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from privge._files.formats import PLAIN, RULE, SEPARATED
from privge.errors import BadData

_CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", None: "white space"}
_COMMENT = re.compile(rb"(?m)^[ \t]*#[^\n]*\n?")
_BRACES = r"(?m)[ \t]+\{[^\n]*\}[ \t]*$"  # what networkx writes after an edge


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a text file are written.

    Parameters
    ----------
    separator
        What stands between two columns; None is white space, of any length.
    quoted
        Whether fields may stand in quotes; in files where they may not, ``#`` begins a comment.
    expected
        The separator that the file's name stands for.
    """

    separator: str | None
    quoted: bool
    expected: str | None

    @property
    def remarks(self) -> list[str]:
        """What to say if the first line is not as the file's name says."""
        if self.separator == self.expected:
            return []
        return [f"the columns are separated by {_CALLED[self.separator]}, not by {_CALLED[self.expected]}"]


def layout_of(path: Path) -> Layout:
    """Recognise how the rows of a file are written, by its name and its first line."""
    suffix = _suffix(path)
    if suffix in SEPARATED:
        own = SEPARATED[suffix]
        with opened(path, errors="replace") as lines:
            line = next((line for line in lines if line.strip()), "")
        return Layout(_separator(line, own, ",;\t|"), quoted=True, expected=own)
    expected, others = PLAIN[suffix]
    with opened(path, errors="replace") as lines:
        line = next((line for line in lines if line.strip() and not _is_comment(line)), "")
    found = next((other for other in others if other in line), expected)
    return Layout(found, quoted=False, expected=found if found == "\t" else expected)  # a tab is white space too


def rows_of(path: Path, layout: Layout, *, errors: str = "strict") -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the number of its line; empty lines and comments are not rows, but they are lines."""
    with opened(path, errors=errors) as lines:
        if layout.quoted:
            reader = csv.reader(lines, delimiter=layout.separator or ",")
            yield from ((reader.line_num, row) for row in reader if row)
            return
        for number, line in enumerate(lines, start=1):
            if line.strip() and not _is_comment(line):
                row = line.rstrip("\r\n")
                yield (
                    number,
                    re.sub(_BRACES, "", row).split() if layout.separator is None else row.split(layout.separator),
                )


def plain_rows(path: Path, layout: Layout) -> tuple[bytes, list[str]]:
    """Return a file without quotes as lines of fields between tabs, and what to say of what was left out."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        content = file.read().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    content, comments = _COMMENT.subn(b"", content) if b"#" in content else (content, 0)
    braces = 0
    if layout.separator is None:
        content, braces = re.subn(_BRACES.encode(), b"", content) if b"{" in content else (content, 0)
        content = _between_tabs(content)
    return content, left_out(comments) + (["what stands in braces is not used"] if braces else [])


def left_out(comments: int) -> list[str]:
    """Return what to say of comments, if there are any."""
    return [f"left out {comments:,} lines that begin with #"] if comments else []


def _between_tabs(content: bytes) -> bytes:
    """Return lines of fields between white space as lines of fields between single tabs."""
    odd = (b"  ", b" \t", b"\t ", b"\t\t", b" \n", b"\t\n", b"\n ", b"\n\t")
    if content[:1].isspace() or content[-1:] in (b" ", b"\t") or any(pair in content for pair in odd):
        content = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", content)
        return re.sub(rb"[ \t]+", b"\t", content)
    return content.replace(b" ", b"\t")  # several times faster, and what most files need


def separator_of_name(path: Path) -> str:
    """Return the separator that a file's name stands for, to write one."""
    suffix = _suffix(path)
    if suffix not in SEPARATED:
        raise BadData(f"{path}: the name must end in .csv or .tsv (or either with .gz), .parquet or .npz")
    return SEPARATED[suffix]


def opened(path: Path, *, errors: str = "strict") -> TextIO:
    """Open a text, compressed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    return cast("TextIO", opener(path, "rt", encoding="utf-8-sig", errors=errors, newline=""))


def first_undecodable(path: Path) -> int:
    """Return the first line, counted from 1, that is not UTF-8."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _suffix(path: Path) -> str:
    """Return the ending that says what a file is."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if not suffixes or suffixes[-1] not in (*SEPARATED, *PLAIN):
        raise BadData(f"{path}: {RULE}")
    return suffixes[-1]


def _separator(line: str, own: str, others: str) -> str:
    """Return what separates the fields of a line: what the name stands for, unless only something else does."""
    counts = {mark: len(next(csv.reader([line], delimiter=mark), [])) for mark in others}
    if counts[own] > 1:
        return own
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > 1 else own


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t").startswith("#")
