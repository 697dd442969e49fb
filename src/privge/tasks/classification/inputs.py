"""What heads see of vectors: rows scaled by several rules beside each other, and of wide ones a random projection.

Each column of a wide matrix is added to one of `WIDEST` others, with a random sign. Inner products of rows are kept on
average, with a relative error of about ``sqrt(2 / WIDEST)``; nothing wider is ever copied. Which column goes where
follows from the number of columns alone, never from data, and is kept with a model.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.propagation import Matrix
from privge.tasks.scaling import Rule, ScaledRows, Scaling, rows_at_once

WIDEST = 1_024
"""Columns beyond which vectors are projected."""


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows scaled by one rule.

    Parameters
    ----------
    places, signs
        The column to which each scaled column is added, and what it is multiplied by; None if they stay what they are.
    """

    scaling: Scaling
    places: NDArray[np.int64] | None = None
    signs: ScaledRows | None = None

    @classmethod
    def fit(cls, matrix: Matrix, rule: Rule) -> Self:
        """Look at all rows, block by block, and at no label."""
        scaling = Scaling.fit(matrix, rule)
        own = scaling.outputs - (scaling.common is not None)
        if own <= WIDEST:
            return cls(scaling)
        generator = np.random.default_rng([own, 17])
        signs = generator.choice(np.array([-1, 1], dtype=np.float32), own) * np.float32((WIDEST / own) ** 0.5)
        return cls(scaling, generator.integers(WIDEST, size=own), signs)

    @property
    def outputs(self) -> int:
        """Number of columns that a head sees."""
        return self.scaling.outputs if self.places is None else WIDEST + (self.scaling.common is not None)

    def rows(self, matrix: Matrix, rows: NDArray[np.int64]) -> ScaledRows:
        """Return the inputs of a few rows."""
        scaled, projection = self.scaling.rows(matrix, rows), self._projection()
        return scaled if projection is None else np.asarray(scaled @ projection)

    def _projection(self) -> scipy.sparse.csr_array | None:
        if self.places is None or self.signs is None:
            return None
        places, signs = self.places, self.signs
        if self.scaling.common is not None:  # which stays a column of its own
            places, signs = np.append(places, WIDEST), np.append(signs, np.float32(1))
        entries = (signs, (np.arange(len(places)), places))
        return scipy.sparse.csr_array(entries, shape=(len(places), self.outputs))


@dataclass(frozen=True, eq=False, slots=True)
class Inputs:
    """How rows become the inputs of heads: blocks of columns beside each other, one for each rule.

    Parameters
    ----------
    blocks
        The blocks, by their rule.
    """

    blocks: dict[Rule, Block]

    @classmethod
    def fit(cls, matrix: Matrix, rules: tuple[Rule, ...]) -> Self:
        """Fit a block for each rule."""
        return cls({rule: Block.fit(matrix, rule) for rule in rules})

    @property
    def width(self) -> int:
        """Number of columns of the vectors."""
        return next(iter(self.blocks.values())).scaling.width

    @property
    def outputs(self) -> int:
        """Number of columns of all blocks."""
        return sum(block.outputs for block in self.blocks.values())

    def columns(self, rule: Rule) -> slice:
        """Return where the block of a rule stands."""
        start = 0
        for name, block in self.blocks.items():
            if name == rule:
                return slice(start, start + block.outputs)
            start += block.outputs
        raise KeyError(rule)

    def rows(self, matrix: Matrix, rows: NDArray[np.int64]) -> ScaledRows:
        """Return the inputs of these rows; no more than a part of them is ever wide."""
        made = np.empty((len(rows), self.outputs), dtype=np.float32)
        for start in range(0, len(rows), step := rows_at_once(matrix)):
            part = slice(start, start + step)
            for rule, block in self.blocks.items():
                made[part, self.columns(rule)] = block.rows(matrix, rows[part])
        return made
