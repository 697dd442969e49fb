"""How far a channel is, and how its dense arithmetic stays the same on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from privge._imports import needed
from privge._typing import Progress

Made = TypeVar("Made")


@dataclass(slots=True)
class Steps:
    """Counts the steps that were done, and tells whoever asked.

    Parameters
    ----------
    total
        Steps in all.
    progress
        Called with the steps done and the steps in all.
    """

    total: int
    progress: Progress | None
    finished: int = field(default=0, init=False)

    def step(self) -> None:
        """Count one step."""
        self.finished += 1
        if self.progress is not None:
            self.progress(self.finished, self.total)

    def done(self, made: Made) -> Made:
        """Count one step, and pass on what it made."""
        self.step()
        return made


@contextmanager
def one_thread() -> Iterator[None]:
    """Let dense arithmetic use one thread: how a sum is divided among threads changes its last digits."""
    with needed("a structural channel"):
        from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
