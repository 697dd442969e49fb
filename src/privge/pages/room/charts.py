"""Pictures of counts, as numbers that a template draws as SVG; every picture also is a table of the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

WIDTH: Final = 640
HEIGHT: Final = 160
_GAP = 0.18  # of a column's slot
_LABELS = 8  # that fit under a picture on a phone


class Column(NamedTuple):
    """One column: what it counts, and where it stands."""

    label: str
    value: int
    x: float
    y: float
    width: float
    height: float
    labelled: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """Counts side by side."""

    title: str  # what is counted
    columns: tuple[Column, ...]
    most: int  # the largest count, which the axis shows

    @classmethod
    def of(cls, title: str, counts: Sequence[tuple[str, int]]) -> "Columns":
        """Place columns for labels and counts."""
        most = max((count for _, count in counts), default=0)
        slot = WIDTH / max(1, len(counts))
        width = min(slot * (1 - _GAP), 80.0)
        every = -(-len(counts) // _LABELS) or 1
        drawn = []
        for place, (label, count) in enumerate(counts):
            height = HEIGHT * count / most if most else 0.0
            x = place * slot + (slot - width) / 2
            drawn.append(Column(label, count, x, HEIGHT - height, width, height, place % every == 0))
        return cls(title, tuple(drawn), most)


class Bar(NamedTuple):
    """A row of a table with a bar in it: a part of a whole, in words too."""

    label: str
    share: float
    text: str


def bars(counts: Sequence[tuple[str, int]]) -> list[Bar]:
    """Return rows whose bars are in proportion to the largest count."""
    most = max((count for _, count in counts), default=0) or 1
    return [Bar(label, count / most, f"{count:,}") for label, count in counts]


def shares(parts: Sequence[tuple[str, int, int]]) -> list[Bar]:
    """Return rows of parts and wholes."""
    return [
        Bar(
            label,
            part / whole if whole else 0.0,
            f"{part:,} of {whole:,}" + (f" ({part / whole:.0%})" if whole else ""),
        )
        for label, part, whole in parts
    ]
