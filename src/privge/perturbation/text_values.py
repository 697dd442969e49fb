"""Text where numbers are needed: where it stands, and what to do about it. The text itself is private and not shown."""

from pathlib import Path
from typing import Final

import pyarrow as pa

from privge._files.tables import first_text, line_of
from privge.errors import BadData

MISSING: Final = frozenset(("na", "n/a", "#n/a", "<na>", "nan", "null", "nil", "none", "-", "--", "?", "."))
"""What people write for a value that is missing, in lower case."""


def refuse_text(column: pa.ChunkedArray, name: str, path: Path, wrong: str) -> None:
    """Refuse a column of strings that are not all numbers.

    Whether text stands for a missing value, or is what people answer, is seen from all of the column: a country may be
    called NA.

    Parameters
    ----------
    column, name, path
        What is read, the feature that it is, and the file, for the message.
    wrong
        What is wrong with text that does not stand for a missing value, and what to do.
    """
    row = first_text(column)
    if row is None:
        return
    answers = [None if _stands_for_missing(text) else text for text in column.to_pylist()]
    answer = first_text(pa.chunked_array([pa.array(answers, pa.string())]))
    if answer is not None:
        raise BadData(f"{line_of(path, answer, header=True)}: feature {name!r} {wrong}")
    raise BadData(
        f"{line_of(path, row, header=True)}: feature {name!r} is not a number; where a value is missing, leave the "
        "field empty instead of writing NA or the like"
    )


def _stands_for_missing(text: str | None) -> bool:
    return text is None or text.strip().lower() in MISSING
