"""A profile as a table: a row for each group and column, in the units of the features."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from privge._files.atomic import atomic_path
from privge._typing import Floats
from privge.profiles.profile import Profile

Finding: TypeAlias = Literal["higher", "lower", "no difference shown", "cannot be told"]

SUFFIXES = (".csv", ".parquet")
"""What a table is written as."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One feature in one group.

    Parameters
    ----------
    group, people
        The group, and how many of it reported.
    feature, answers
        The feature, and how many of them answered it.
    unit
        ``share`` of people, from 0 to 1, or ``number`` in the units of the feature.
    mean, low, high
        The unbiased estimate of the mean of all of them, and its interval.
    rest, rest_low, rest_high
        The same of everybody who is not in the group.
    finding
        ``higher`` or ``lower`` than the rest; else ``no difference shown``, or ``cannot be told`` of too few.
    p, adjusted
        The p-value of the difference, and the same adjusted for the number of cells; None where nothing is tested.
    half_width
        How far an interval could reach to either side, before any answer was seen.
    clipped
        Whether the interval reached beyond the bounds of the feature and was cut there.
    """

    group: str
    people: int
    feature: str
    answers: int
    unit: str
    mean: float | None
    low: float | None
    high: float | None
    rest: float | None
    rest_low: float | None
    rest_high: float | None
    finding: Finding
    p: float | None
    adjusted: float | None
    half_width: float | None
    clipped: bool


def cells(profile: Profile) -> Iterator[Cell]:
    """Yield all cells, group by group."""
    for row in range(len(profile.groups)):
        for column in range(len(profile.columns)):
            yield cell(profile, row, column)


def cell(profile: Profile, row: int, column: int) -> Cell:
    """Return one cell."""
    columns, inside, rest = profile.columns, profile.inside, profile.rest
    span = columns.high[column] - columns.low[column]

    def value(matrix: Floats) -> float | None:
        return _known(columns.low[column] + matrix[row, column] * span)

    return Cell(
        group=profile.groups[row],
        people=int(profile.people[row]),
        feature=columns.names[column],
        answers=int(profile.answers[row, column]),
        unit="share" if columns.shares[column] else "number",
        mean=value(inside.mean),
        low=value(inside.low),
        high=value(inside.high),
        rest=value(rest.mean),
        rest_low=value(rest.low),
        rest_high=value(rest.high),
        finding=finding(profile, row, column),
        p=_known(profile.p[row, column]) if profile.told[row, column] else None,
        adjusted=_known(profile.q[row, column]),
        half_width=_known(profile.half_widths[row, column] * span),
        clipped=bool(inside.clipped[row, column]),
    )


def finding(profile: Profile, row: int, column: int) -> Finding:
    """Return what is found in a cell."""
    if not profile.told[row, column]:
        return "cannot be told"
    sign = int(profile.differs[row, column])
    return "higher" if sign > 0 else "lower" if sign < 0 else "no difference shown"


def write_table(profile: Profile, path: Path) -> None:
    """Write all cells as ``.csv`` or ``.parquet``; the file is complete or absent."""
    import pyarrow as pa
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([asdict(each) for each in cells(profile)])
    with atomic_path(path) as partial:
        if path.suffix == ".parquet":
            pq.write_table(table, partial)
        else:
            pa_csv.write_csv(table, partial)


def _known(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
