"""Array aliases and small protocols shared by all layers."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Words: TypeAlias = NDArray[np.int64]
Levels: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint16]
Indices: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

Decoding: TypeAlias = Literal["raw", "unbiased"]
"""``raw`` is the paper's decoding; ``unbiased`` divides by the public gain."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called as ``progress(done, total)``; the command line draws a bar from it."""

__all__ = [
    "ArrayLike",
    "Codes",
    "Decoding",
    "Floats",
    "Indices",
    "Levels",
    "Progress",
    "Words",
]
