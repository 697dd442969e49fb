"""Progress on a terminal, drawn on stderr; nothing at all when stderr is not one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from privge._typing import Progress
from privge.cli.terminal import drawing


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """Yield a callback ``progress(done, total)`` that draws a bar with the time left."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=1, label=label, file=drawing(sys.stderr), width=30, hidden=hidden) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield progress
