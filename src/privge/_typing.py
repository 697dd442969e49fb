"""Array aliases and small protocols shared by all layers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

Words: TypeAlias = NDArray[np.int64]
Levels: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint16]
Indices: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

Decoding: TypeAlias = Literal["raw", "unbiased"]
"""``raw`` is the paper's decoding; ``unbiased`` divides by the public gain."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called as ``progress(done, total)``; the command line draws a bar from it."""


class Table(Protocol):
    """A table of another library: of pandas, polars or pyarrow, or any other that hands out Arrow columns."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the columns."""


def is_pandas(data: object) -> "TypeGuard[pd.DataFrame]":
    """Say whether data is a data frame of pandas, which need not be installed."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


def is_arrow(data: object) -> TypeGuard[Table]:
    """Say whether data hands out Arrow columns, as tables of polars and pyarrow do."""
    return hasattr(data, "__arrow_c_stream__")


__all__ = [
    "ArrayLike",
    "Codes",
    "Decoding",
    "Floats",
    "Indices",
    "Levels",
    "Progress",
    "Table",
    "Words",
    "is_arrow",
    "is_pandas",
]
