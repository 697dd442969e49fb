"""One process at a time: a lock on a file, which the system lifts when a process ends, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is made if it is absent; only its owner can open it.

    Parameters
    ----------
    path
        The file; its folder must exist.
    wait
        Whether to wait for another process that holds the lock; otherwise it is ``BlockingIOError``.
    """
    import fcntl  # not on every system

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
