"""Where a result goes: memory, or a temporary memory-mapped file when it would take too much of it."""

import logging
import os
import tempfile
from pathlib import Path

import numpy as np

from privge.propagation.problem import Matrix

logger = logging.getLogger(__name__)


def allocate(shape: tuple[int, int], kind: type[np.floating], budget: int | None = None) -> Matrix:
    """Return an array for a result; above ``budget`` bytes (half of the machine's, by default) it is a file.

    The space is taken in the temporary folder (``TMPDIR``) and given back with the array.
    """
    size = shape[0] * shape[1] * np.dtype(kind).itemsize
    most = _half_of_memory() if budget is None else budget
    if size <= most:
        return np.empty(shape, dtype=kind)
    handle, name = tempfile.mkstemp(prefix="privge-", suffix=".embedding")
    logger.info("the result takes %.1f GB, above the budget of %.1f GB: it goes to %s", size / 1e9, most / 1e9, name)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # a full disk is an error now, not a crash later
        with os.fdopen(handle, "r+b") as file:
            return np.memmap(file, dtype=kind, mode="w+", shape=shape)
    finally:
        Path(name).unlink()  # the mapping keeps the space until it ends


def _half_of_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
