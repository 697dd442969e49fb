"""Channels: named groups of columns of an embedding, each with its source and its cost in epsilon.

*What a person spends.* A channel of public data costs nothing. Campaigns of one *round* are alternatives: a person
reports in at most one of them, so a round costs the most expensive of its campaigns, not their sum. Those who teach a
question and those who are asked it are disjoint for that reason. Campaigns that stand alone add up.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privge.embedding.provenance import Source

STRUCTURE, PRIVATE, ANSWERS = "structure", "private", "answers"

NAMES = (STRUCTURE, PRIVATE, ANSWERS)
"""The channels that `privge.embedding.embed_channels` makes, in the order of their columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Some columns of an embedding, as its provenance knows them.

    Parameters
    ----------
    name
        What they are called together, such as ``structure``.
    columns
        How many there are.
    source
        Which of the sources of the provenance they come from, counted from 0; None for public data.
    made
        How they were made, in words.
    names
        What the columns are called, if they have names.
    """

    name: str
    columns: int
    source: int | None = None
    made: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelColumns:
    """A channel of an embedding: where its columns are, and what they cost.

    Parameters
    ----------
    name, made, names
        As for `Channel`.
    columns
        Which columns of the matrix.
    source
        What was asked of people; None for public data.
    """

    name: str
    columns: slice
    source: "Source | None"
    made: str = ""
    names: tuple[str, ...] = ()

    @property
    def epsilon(self) -> float | None:
        """What somebody who is in this channel spent for it: 0 for public data; None if nothing was hidden."""
        return 0.0 if self.source is None else self.source.epsilon

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.columns.stop - self.columns.start)

    def __repr__(self) -> str:
        return f"{self.name}: {self.width:,} columns, epsilon {self.epsilon}"


def spent(sources: "Iterable[Source]") -> float | None:
    """Return the most that one person can have spent: alternatives count once, None if something hides nothing."""
    rounds: dict[str | int, float] = {}
    for number, source in enumerate(sources):
        if source.epsilon is None:
            return None
        key = number if source.round is None else source.round
        rounds[key] = max(rounds.get(key, 0.0), source.epsilon)
    return math.fsum(rounds.values())
