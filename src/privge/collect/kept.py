"""What was read from documents, kept for the next time: the latest used, up to so many bytes."""

import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

T = TypeVar("T")

KEPT_BYTES: Final = 32 * 2**20
"""Bytes of the documents whose contents are kept, by default; the largest campaign that a service takes has 8 MiB."""


class Kept(Generic[T]):
    """Values by name, each as heavy as the document that it was read from. Safe for use from several threads.

    Parameters
    ----------
    most
        Bytes of all documents together. The latest is kept whatever it weighs.
    """

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._values: OrderedDict[str, tuple[T, int]] = OrderedDict()  # the longest unused first
        self._lock = threading.Lock()
        self.used = 0

    def get(self, name: str) -> T | None:
        """Return a value, if it is still kept."""
        with self._lock:
            if name not in self._values:
                return None
            self._values.move_to_end(name)
            return self._values[name][0]

    def keep(self, name: str, value: T, size: int) -> T:
        """Keep a value, and let go of the longest unused if it becomes too much."""
        with self._lock:
            _, before = self._values.pop(name, (None, 0))
            self._values[name] = value, size
            self.used += size - before
            while self.used > self._most and len(self._values) > 1:
                _, (_, weight) = self._values.popitem(last=False)
                self.used -= weight
        return value
