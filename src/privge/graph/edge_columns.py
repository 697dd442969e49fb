"""Which columns of an edge list are the ends of the edges, and which is their weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from privge.errors import BadData

EDGE_NAMES = (("source", "target"), ("src", "dst"), ("from", "to"), ("id_1", "id_2"), ("u", "v"))
"""What the columns of an edge list may be called if nobody says what they are called."""

_WEIGHTS = ("weight", "weights", "edge_weight", "w")  # a column that is called so is probably meant to be used
_HOW = (
    "say which columns are the ends of the edges: privge.as_graph(..., source=, target=), on the command line --source "
    "and --target"
)


class Chosen(NamedTuple):
    """The columns that are read, and those that are not."""

    source: str
    target: str
    weight: str | None
    unused: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, str]:
        """The columns of the ids."""
        return self.source, self.target

    @property
    def read(self) -> tuple[str, ...]:
        """The columns to read."""
        return self.ends if self.weight is None else (*self.ends, self.weight)


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """What the columns of an edge list are called.

    Parameters
    ----------
    source, target
        The two ends; both or neither. By default ``source`` and ``target``, or another pair of `EDGE_NAMES`. In a file
        without a header columns are called 1, 2, 3, ..., and the ends are 1 and 2.
    weight
        A column of numbers above 0. By default edges have no weights, and a column that looks like them is named in
        the log.
    header
        Whether the first line of a text file names the columns; by default it is recognised.
    id_column
        The column of ids in the table of nodes.
    """

    source: str | None = None
    target: str | None = None
    weight: str | None = None
    header: bool | None = None
    id_column: str = "id"

    def __post_init__(self) -> None:
        if (self.source is None) != (self.target is None):
            raise BadData(f"only one end of the edges is named; {_HOW}")
        given = [name for name in (self.source, self.target, self.weight) if name is not None]
        if len(set(given)) < len(given):
            raise BadData(f"the columns of an edge must be different ones, got {', '.join(map(repr, given))}")

    @property
    def stated(self) -> bool:
        """Whether anything is said about the columns of the edges."""
        return self.source is not None or self.weight is not None or self.header is not None

    def choose(self, names: Sequence[str]) -> Chosen:
        """Find the columns among those of a file; if it is not certain which are meant, they are refused."""
        source, target = self._ends(names)
        weight = None if self.weight is None else _named(self.weight, names)
        used = {source, target, weight}
        return Chosen(source, target, weight, tuple(name for name in names if name not in used))

    def choose_unnamed(self, width: int) -> Chosen:
        """Find the columns of a file without a header by their numbers, from 1."""
        numbered = EdgeColumns(self.source or "1", self.target or "2", self.weight)
        return numbered.choose([str(number) for number in range(1, width + 1)])

    def _ends(self, names: Sequence[str]) -> tuple[str, str]:
        if self.source is not None and self.target is not None:
            return _named(self.source, names), _named(self.target, names)
        lowered = {name.strip().lower(): name for name in names}
        pairs = [pair for pair in EDGE_NAMES if set(pair) <= set(lowered)]
        if len(pairs) == 1:
            return lowered[pairs[0][0]], lowered[pairs[0][1]]
        several = " and ".join(",".join(pair) for pair in pairs)
        known = " or ".join(",".join(pair) for pair in EDGE_NAMES)
        problem = f"both {several} could be the ends" if pairs else f"unknown columns, where {known} are known"
        raise BadData(f"{problem}; {_HOW}")


def usual_weight(names: Sequence[str]) -> str:
    """Return the column that is called ``weight`` or alike."""
    for name in names:
        if name.strip().lower() in _WEIGHTS:
            return name
    raise BadData(f"there is no column of weights among its {len(names)}; give its name as weight")


def remark_unused(chosen: Chosen, how: str = "--weight {}") -> str | None:
    """Return what to say about columns that are not read, in one line."""
    if not chosen.unused:
        return None
    listed = ", ".join(repr(name) for name in chosen.unused[:5])
    more = f" and {len(chosen.unused) - 5:,} more" if len(chosen.unused) > 5 else ""
    said = f"column {listed} is not used" if len(chosen.unused) == 1 else f"columns {listed}{more} are not used"
    weights = [name for name in chosen.unused if _may_weigh(name)]
    if chosen.weight is not None or not weights:
        return said
    honoured = "it" if len(chosen.unused) == 1 else repr(weights[0])
    return f"{said}; {how.format(weights[0])} honours {honoured}"


def _may_weigh(name: str) -> bool:
    """Say whether a column is probably meant as weights; of a file without names, the third is."""
    return name.strip().lower() in _WEIGHTS or name == "3"


def _named(wanted: str, names: Sequence[str]) -> str:
    if wanted in names:
        return wanted
    alike = [name for name in names if name.strip().lower() == wanted.strip().lower()]
    if len(alike) == 1:
        return alike[0]
    # The names of the others are not told: without a header, the first edge would stand there.
    raise BadData(f"there is no column {wanted!r} among its {len(names)}")
