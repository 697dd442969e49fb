"""Compiled construction of compressed rows, without and with weights."""

from privge.graph._kernels.rows import (
    check_entries,
    compress,
    count_rows,
    place_targets,
    reorder,
    scatter,
    sort_rows,
)
from privge.graph._kernels.weighted import (
    add_weights,
    balance_weights,
    compress_weighted,
    digest_rows,
    find_changed,
    place_weighted,
    reorder_weighted,
    scatter_weights,
    sort_weighted_rows,
)

__all__ = [
    "add_weights",
    "balance_weights",
    "check_entries",
    "compress",
    "compress_weighted",
    "count_rows",
    "digest_rows",
    "find_changed",
    "place_targets",
    "place_weighted",
    "reorder",
    "reorder_weighted",
    "scatter",
    "scatter_weights",
    "sort_rows",
    "sort_weighted_rows",
]
