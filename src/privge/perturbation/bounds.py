"""Bounds of a simulation that states none: 0 and 1, as long as every value lies between them.

Bounds must be public and may not be computed from private data, so none can be guessed from a table. Values outside
0..1 without stated bounds are refused, where clipping them would leave nothing but the bounds themselves.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from privge._files.folder import Folder
from privge._files.parquet import Opened, opened_parquet
from privge._typing import Floats
from privge.errors import BadData
from privge.perturbation.columns import listed, pick
from privge.perturbation.features import Features
from privge.perturbation.tables import numbers

Bound: TypeAlias = float | Sequence[float]
Span: TypeAlias = tuple[float, float]


def assumed(low: object | None, high: object | None) -> Span:
    """Return what values must lie between because nobody stated it."""
    return (0.0 if low is None else -math.inf, 1.0 if high is None else math.inf)


def by_column(bound: Bound | Mapping[str, float] | None, names: tuple[str, ...] | None) -> Bound | None:
    """Return a bound as a campaign takes it: one that is stated by name, in the order of the columns."""
    if not isinstance(bound, Mapping):
        return bound
    if names is None:
        raise BadData("the columns have no names, so bounds cannot be stated by name")
    stated = list(bound)
    return [bound[stated[place]] for place in pick(stated, names, "bound")[0]]


def check_features(features: Features, span: Span, how: str) -> None:
    """Refuse features with values outside the span; ``how`` says how bounds are stated."""
    matrix, (least, most) = features.matrix, span
    if isinstance(matrix, np.ndarray):
        counts = ((matrix < least) | (matrix > most)).sum(axis=0)
        columns = np.flatnonzero(counts)
        found = dict(zip(columns.tolist(), counts[columns].tolist(), strict=True))
    else:  # entries that are not stored are 0, which is in every span
        outside = matrix.indices[(matrix.data < least) | (matrix.data > most)]
        found = dict(zip(*(part.tolist() for part in np.unique(outside, return_counts=True)), strict=True))
    if found:
        rows, width = matrix.shape
        worst = sorted(found.items(), key=lambda item: -item[1])
        names = [f"{_name(features.names, column)} ({count:,} of {rows:,} values)" for column, count in worst]
        raise _refusal(names, width, span, how)


def check_parts(folder: Folder, files: Sequence[str], wanted: Sequence[str], span: Span, how: str) -> None:
    """Refuse a folder of features with values outside the span, by the statistics that Parquet files hold."""
    found: dict[str, None] = {}
    for name in files:
        try:
            with opened_parquet(folder, name) as opened:
                found |= dict.fromkeys(_outside(opened, wanted, span))
        except (pa.ArrowException, OSError) as error:
            raise BadData(f"{folder.file(name)}: not a Parquet file ({error})") from error
    if found:
        raise _refusal([repr(name) for name in found], len(wanted), span, how)


def _outside(opened: Opened, wanted: Sequence[str], span: Span) -> Iterator[str]:
    """Yield the columns that have a value outside; only a group of rows without statistics is read."""
    names, (parquet, threads) = set(wanted), opened
    for group in range(parquet.metadata.num_row_groups):
        row_group = parquet.metadata.row_group(group)
        for place in range(row_group.num_columns):
            column = row_group.column(place)
            name, known = column.path_in_schema, column.statistics
            if name not in names:
                continue
            if known is not None and known.has_min_max and isinstance(known.min, int | float):
                low, high = known.min, known.max
            else:
                values = _present(parquet.read_row_group(group, columns=[name], use_threads=threads)[name])
                low, high = values.min(initial=span[1]), values.max(initial=span[0])
            if low < span[0] or high > span[1]:
                yield name


def _present(column: pa.ChunkedArray) -> Floats:
    try:
        values = numbers(column)
    except BadData:  # whoever reads the features says so, with the place
        return np.empty(0)
    return values[~np.isnan(values)]


def _name(names: tuple[str, ...] | None, column: int) -> str:
    return f"column {column}" if names is None else repr(names[column])


def _refusal(columns: list[str], width: int, span: Span, how: str) -> BadData:
    least, most = span
    where = f"outside {least:g}..{most:g}" if least == 0 and most == 1 else "below 0" if least == 0 else "above 1"
    return BadData(
        f"{len(columns):,} of {width:,} columns have values {where}, where no bounds are stated: {listed(columns)}; "
        f"state public bounds, which must not be computed from these values: {how}"
    )
