"""What an audit reads of a law: its rows of weights, one for each input that matters, and its sampler.

A law of levels has a row for each level. A law of directions has one for each choice of near directions, of which there
are too many to read; but the weight of a code depends on nothing than whether its own direction is near. The
``directions`` rows in which the near ones are neighbours in a circle hold, in each column, both weights that it can
have, so their worst ratio is that of all rows. A table is read as it stands, and has no sampler.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._typing import Codes, Words
from privge.mechanisms import Law, Nearest
from privge.random import TOTAL


@dataclass(frozen=True)
class Table:
    """Weights from a file: of a law from elsewhere, or of one that was altered.

    Parameters
    ----------
    rows, total
        Integer weights, a row for each input, and what each row must sum to.
    """

    rows: Sequence[Sequence[int]]
    total: int
    name: str = "table"


AnyLaw: TypeAlias = Law | Nearest | Table


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a law.

    Parameters
    ----------
    count, outputs, total
        How many rows and codes there are, and what the weights of each row sum to.
    weights
        Returns the weights of a row.
    codes
        Returns what the shipped sampler of simulations makes of words, in a row.
    code
        Returns what the shipped sampler of a device makes of a word, in a row.
    """

    name: str
    count: int
    outputs: int
    total: int
    weights: Callable[[int], NDArray[np.int64]]
    codes: Callable[[int, Words], Codes]
    code: Callable[[int, int], int]


def rows_of(law: AnyLaw) -> Rows:
    """Return the rows of a law or of a table."""
    if isinstance(law, Table):
        return _of_table(law)
    return _of_directions(law) if isinstance(law, Nearest) else _of_levels(law)


def _of_levels(law: Law) -> Rows:
    return Rows(
        law.name,
        law.levels,
        law.outputs,
        TOTAL,
        lambda row: np.array(law.weights(row), subok=False),
        lambda row, words: law.codes(np.full(words.shape, row, dtype=np.int64), words),
        law.code,
    )


def _of_directions(law: Nearest) -> Rows:
    def near(row: int) -> list[int]:
        return [(row + i) % law.directions for i in range(law.near)]

    def scores(row: int) -> list[int]:
        """Return inner products of a profile to which these directions are near."""
        chosen = set(near(row))
        return [int(direction in chosen) for direction in range(law.directions)]

    return Rows(
        law.name,
        law.directions,
        law.outputs,
        TOTAL,
        lambda row: law.weights(near(row)),
        lambda row, words: law.codes(np.broadcast_to(np.array(scores(row)), (words.size, law.outputs)), words),
        lambda row, word: law.code(scores(row), word),
    )


def _of_table(table: Table) -> Rows:
    def refused(*_: object) -> Codes:
        raise NotImplementedError("a table has no sampler")

    outputs = len(table.rows[0]) if table.rows else 0
    return Rows(
        table.name,
        len(table.rows),
        outputs,
        table.total,
        lambda row: np.array(table.rows[row]),
        refused,
        lambda row, word: int(refused(row, word)[0]),
    )
