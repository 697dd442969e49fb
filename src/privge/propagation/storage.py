"""Where a result goes: memory, or a temporary memory-mapped file when it would take too much of it."""

import logging
import os
import tempfile
import weakref
from pathlib import Path

import numpy as np

from privge.propagation.problem import Matrix

logger = logging.getLogger(__name__)


def allocate(shape: tuple[int, int], kind: type[np.floating], memory: int | None = None) -> Matrix:
    """Return an array for a result; above ``memory`` bytes (half of the machine's, by default) it is a file.

    The file lies in the temporary folder (``TMPDIR``) and vanishes with the array.
    """
    size = shape[0] * shape[1] * np.dtype(kind).itemsize
    budget = _half_of_memory() if memory is None else memory
    if size <= budget:
        return np.empty(shape, dtype=kind)
    handle, name = tempfile.mkstemp(prefix="privge-", suffix=".embedding")
    os.close(handle)
    logger.info("the result takes %.1f GB, above the budget of %.1f GB: it goes to %s", size / 1e9, budget / 1e9, name)
    array = np.memmap(name, dtype=kind, mode="w+", shape=shape)
    weakref.finalize(array, Path(name).unlink, missing_ok=True)
    return array


def _half_of_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
