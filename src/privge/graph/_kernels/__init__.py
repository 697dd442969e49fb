"""Compiled construction of compressed rows, without and with weights."""

from privge.graph._kernels.digits import count_lines, read_pairs
from privge.graph._kernels.keys import count_groups, count_rows, place_keys, sort_group
from privge.graph._kernels.numbers import mark, number_values
from privge.graph._kernels.rows import check_entries, reorder
from privge.graph._kernels.texts import enter_texts, find_texts
from privge.graph._kernels.weighted import (
    add_weights,
    balance_weights,
    compress_weighted,
    digest_rows,
    find_changed,
    place_weighted,
    place_weights,
    reorder_weighted,
    sort_weighted_rows,
)

__all__ = [
    "add_weights",
    "balance_weights",
    "check_entries",
    "compress_weighted",
    "count_groups",
    "count_lines",
    "count_rows",
    "digest_rows",
    "enter_texts",
    "find_changed",
    "find_texts",
    "mark",
    "number_values",
    "place_keys",
    "place_weighted",
    "place_weights",
    "read_pairs",
    "reorder",
    "reorder_weighted",
    "sort_group",
    "sort_weighted_rows",
]
