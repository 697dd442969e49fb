"""Text that comes from elsewhere, on a terminal.

What a service answers, what stands in a file and what a file is called may hold anything, and a terminal obeys some of
it: such text could clear the screen, change what was printed before, or type. So whatever a command prints goes through
`harmless_streams`. Text from elsewhere inside a line goes through `one_line` besides, so that it cannot pretend to be
another line.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_CONTROLS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # all that a terminal may obey but tabs and ends of lines
    r"\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069"  # what turns the direction of text, or ends a line
    r"\ud800-\udfff"  # halves of characters: bytes of a file's name that are not text
)
_OBEYED = re.compile(f"[{_CONTROLS}]")
_OBEYED_OR_BREAKS = re.compile(f"[{_CONTROLS}\t\n]")


def harmless(text: str) -> str:
    """Return the text with everything that a terminal would obey written out, such as ``\\x1b``."""
    return _OBEYED.sub(_written_out, text)


def one_line(text: object) -> str:
    """Return a text from elsewhere such that it is harmless and stays in its line."""
    return _OBEYED_OR_BREAKS.sub(_written_out, str(text))


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Make everything that is printed meanwhile harmless."""
    before = {name: stream for name in ("stdout", "stderr") if (stream := getattr(sys, name)) is not None}
    during = {name: _Harmless(stream) for name, stream in before.items()}  # one that is closed from the start is None
    for name, stream in during.items():
        setattr(sys, name, stream)
    try:
        yield
    finally:
        for name, stream in before.items():
            if getattr(sys, name) is during[name]:  # click puts another in its place when nobody reads any more
                setattr(sys, name, stream)


def drawing(stream: TextIO) -> TextIO:
    """Return the stream itself, for what this package draws: a progress bar moves the cursor."""
    return stream.stream if isinstance(stream, _Harmless) else stream


class _Harmless:
    """A text stream in front of another; what the other cannot write, such as half a character, is written out."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        if hasattr(stream, "reconfigure"):
            ascii_only = (stream.encoding or "").lower().replace("_", "-") in ("ascii", "us-ascii", "ansi-x3.4-1968")
            stream.reconfigure(encoding="utf-8" if ascii_only else None, errors="backslashreplace")

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # click asks streams whether they take bytes
            raise TypeError("text is written here")
        self.stream.write(harmless(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the stream has)
        return getattr(self.stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(cast("Iterator[str]", self.stream))


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()
