"""Edge lists that hold nothing but integers, plainly spelled: read by compiled code, on all processors.

Their ids are text, as in every text file, but each is the one spelling of its integer, so integers tell them apart.
Whatever else a file may hold is left to `privge._files.tables`, which says what is wrong with it.
"""

import csv
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._files.tables import explained
from privge._files.texts import Layout, layout_of, left_out
from privge.graph._threads import on_each

logger = logging.getLogger(__name__)

Text: TypeAlias = NDArray[np.uint8]

_PIECE = 1 << 23
_MARK = b"\xef\xbb\xbf"


def read_plain_edges(path: Path, fields: list[str], *, header: bool) -> list[pa.Array] | None:
    """Return both columns of a file of plain integers; None if anything else stands in it.

    Parameters
    ----------
    path
        The file.
    fields
        What stands in its first row.
    header
        Whether that row names the columns.
    """
    if path.suffix == ".gz" or len(fields) != 2:
        return None
    with explained(path):
        layout = layout_of(path)
        text = np.fromfile(path, dtype=np.uint8)
    found = _begin(text, layout, fields if header else None)
    if found is None:
        return None
    begin, comments = found
    columns = _columns(text[begin:], layout)
    if columns is not None:
        for remark in layout.remarks + left_out(comments):
            logger.info("%s: %s", path, remark)
    return columns


def _begin(text: Text, layout: Layout, header: list[str] | None) -> tuple[int, int] | None:
    """Return where the edges begin, and how many comments stand before; None if the header is another."""
    begin, comments = 3 if text[:3].tobytes() == _MARK else 0, 0
    while not layout.quoted and text[begin : begin + 1].tobytes() == b"#":
        begin, comments = _line_end(text, begin), comments + 1
    if header is None:
        return begin, comments
    end = _line_end(text, begin)
    line = text[begin:end].tobytes().decode(errors="replace").rstrip("\r\n")
    quoted = layout.quoted and next(csv.reader([line], delimiter=layout.separator or ","), [])
    return (end, comments) if (quoted or line.split(layout.separator)) == header else None


def _line_end(text: Text, begin: int) -> int:
    """Return where the line that begins there ends."""
    for first in range(begin, len(text), _PIECE):
        ends = np.flatnonzero(text[first : first + _PIECE] == ord("\n"))
        if ends.size:
            return first + int(ends[0]) + 1
    return len(text)


def _columns(text: Text, layout: Layout) -> list[pa.Array] | None:
    from privge.graph._kernels import count_lines, read_pairs

    pieces = list(_pieces(text))
    ends = np.cumsum([0, *on_each(count_lines, pieces)])
    columns = [np.empty(ends[-1], dtype=np.int64) for _ in range(2)]
    separators = np.zeros(256, dtype=np.bool_)
    separators[[ord(mark) for mark in layout.separator or " \t"]] = True

    def read(number: int) -> bool:
        lines = slice(ends[number], ends[number + 1])
        plain: bool = read_pairs(pieces[number], separators, columns[0][lines], columns[1][lines])
        return plain

    return [pa.array(column) for column in columns] if pieces and all(on_each(read, range(len(pieces)))) else None


def _pieces(text: Text) -> Iterator[Text]:
    """Cut a text after ends of lines, into pieces of about the same size."""
    begin = 0
    while begin < len(text):
        end = _line_end(text, min(begin + _PIECE, len(text)))
        yield text[begin:end]
        begin = end
