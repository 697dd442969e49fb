"""What every question of a public model shares: its integers, checked against the profile, and the scores they give."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privge.errors import BadData
from privge.questions.features.feature import Misfits
from privge.questions.people import People
from privge.questions.scores import check_exact, fraction_digits, scores
from privge.questions.stated import integer, listed, truth
from privge.questions.subject import AboutProfile


class Weighted(AboutProfile):
    """A question about the scores that rows of integer weights give a profile."""

    weights: tuple[tuple[int, ...], ...]
    bias: tuple[int, ...] | None
    normalised: bool
    shift: int
    fraction: int | None

    def scored(self, people: People, places: Sequence[int]) -> tuple[NDArray[np.int64], list[Misfits]]:
        """Return the scores of each person, one for each row of weights, and what did not fit."""
        coordinates, misfits = self.encoding.encoded(people, places)
        return scores(coordinates, *self.integers, digits=self.digits), misfits

    @cached_property
    def integers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weights and bias as arrays."""
        return np.array(self.weights, dtype=np.int64), np.array(self.bias, dtype=np.int64)

    @property
    def digits(self) -> tuple[int, int] | None:
        """Shift and fraction of normalised scores."""
        return (self.shift, self.fraction or 0) if self.normalised else None

    def to_document(self) -> dict[str, Any]:
        """Return what every model has in a document."""
        document = {
            "kind": self.kind,
            "features": self.encoding.to_document(),
            "weights": [list(row) for row in self.weights],
            "bias": list(self.bias or ()),
            "normalised": self.normalised,
        }
        return {**document, "shift": self.shift, "fraction": self.fraction} if self.normalised else document

    def _settle(self, rows: int) -> None:
        """Check the integers of a model against its encoding, and put them into it in one form."""
        columns = self.encoding.columns
        table = listed("weights", self.weights, rows, rows)
        each = [listed("each row of weights", row, columns, columns) for row in table]
        weights = tuple(tuple(integer("weights", w, -(2**52), 2**52) for w in row) for row in each)
        given = [0] * rows if self.bias is None else listed("bias", self.bias, rows, rows)
        bias = tuple(integer("bias", b, -(2**52), 2**52) for b in given)
        truth("normalised", self.normalised)
        integer("shift", self.shift, 0, 52 if self.normalised else 0)
        fraction = None
        if self.normalised:
            most = fraction_digits(self.encoding.largest)
            fraction = most if self.fraction is None else integer("fraction", self.fraction, 0, most)
        elif self.fraction is not None:
            raise BadData("fraction is stated for normalised scores only")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "bias", bias)
        if self.normalised and self.fraction is None:
            fraction = self._fitting(fraction or 0)
        object.__setattr__(self, "fraction", fraction)
        check_exact(self.encoding.largest, weights, bias, self.shift + (fraction or 0))

    def _fitting(self, most: int) -> int:
        """Return the largest number of digits of the length with which no score reaches 2**53."""
        for digits in range(most, 0, -1):
            try:
                check_exact(self.encoding.largest, self.weights, self.bias or (), self.shift + digits)
            except BadData:
                continue
            return digits
        return 0
