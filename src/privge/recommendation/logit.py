"""The listwise logit: which of a person's candidates is the held-out friend, by a weighted sum of columns.

The likelihood is that of choosing the friend among all candidates of the person, so what is learnt is to rank them, and
against candidates who are near as well. Weights are drawn to those of personalized PageRank alone: with few queries the
ranking is that of the graph without any learning, with none it is exactly that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.graph.labelled import Rows
from privge.structure.steps import one_thread

_RIDGE = 2.0  # of the squared distance from the prior weights, in queries; columns have deviation 1
_STEPS = 100


@dataclass(frozen=True, eq=False, slots=True)
class Lists:
    """Candidates of several people below each other, one of each list the right one.

    ``starts`` and ``right`` say, of each query, at which of all lines its list begins and its right candidate stands.
    """

    columns: Floats
    starts: Rows
    right: Rows

    @classmethod
    def of(cls, columns: Floats, allowed: NDArray[np.bool_], right: NDArray[np.bool_]) -> Self:
        """Keep queries whose right candidate is there; ``columns`` has a line for each that is ``allowed``."""
        answered = right.any(axis=1)
        sizes = allowed.sum(axis=1)
        kept = np.repeat(answered, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[answered])[:-1]]).astype(np.int64)
        return cls(columns[kept], starts[: int(answered.sum())], np.flatnonzero(right[allowed][kept]))

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """Put lists below each other."""
        ends = np.cumsum([0, *(len(part.columns) for part in parts)])[:-1]
        starts, right = (
            [getattr(part, name) + end for part, end in zip(parts, ends, strict=True)] for name in ("starts", "right")
        )
        return cls(np.concatenate([part.columns for part in parts]), np.concatenate(starts), np.concatenate(right))

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> Rows:
        """The length of each list."""
        return np.diff(np.append(self.starts, len(self.columns)))

    def take(self, queries: Rows) -> Self:
        """Return some of the lists."""
        marks = np.zeros(len(self), dtype=np.bool_)
        marks[queries] = True
        sizes = self.sizes
        inside = np.repeat(marks, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[marks])])[:-1].astype(np.int64)
        offsets = (self.right - self.starts)[marks]
        return type(self)(self.columns[inside], starts, starts + offsets)

    def logs(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the logarithm of the probability of each right candidate, and the probability of each line."""
        sizes = self.sizes
        shifted = scores - np.repeat(np.maximum.reduceat(scores, self.starts), sizes)
        powers = np.exp(shifted)
        sums = np.add.reduceat(powers, self.starts)
        return shifted[self.right] - np.log(sums), powers / np.repeat(sums, sizes)


@dataclass(frozen=True, eq=False, slots=True)
class ListwiseLogit:
    """A score: the weighted sum of columns.

    Parameters
    ----------
    weights
        One for each column.
    """

    weights: Floats

    @classmethod
    def fit(cls, lists: Lists, prior: Floats, positive: int = 0, start: Self | None = None) -> Self:
        """Maximise the likelihood of the right candidates, shrunk towards the prior weights.

        Parameters
        ----------
        lists
            What to learn from; none at all give the prior.
        prior
            The weights to be drawn to.
        positive
            So many of the last columns have weights of at least 0.
        start
            Where to begin, such as the fit to more of the same lists: it ends at the same place sooner.
        """
        from scipy.optimize import minimize

        if not len(lists):
            return cls(prior)
        deviation = lists.columns.std(axis=0)
        scale = np.where(deviation > 1e-9, deviation, 1.0)
        used = (deviation > 1e-9).astype(float)  # a constant column says nothing within a list
        ready = Lists(lists.columns / scale, lists.starts, lists.right)
        drawn = prior * scale
        begin = drawn if start is None else start.weights * scale
        bounds = [(None, None)] * (len(prior) - positive) + [(0.0, None)] * positive

        def loss(weights: Floats) -> tuple[float, Floats]:
            logs, chances = ready.logs(ready.columns @ weights)
            chances[ready.right] -= 1
            distance = (weights - drawn) / len(ready)
            gradient = (chances @ ready.columns) / len(ready) * used + 2 * _RIDGE * distance
            return float(-logs.mean() + _RIDGE * distance @ (weights - drawn)), gradient

        with one_thread():  # the products are small: threads would wait for each other longer than they work
            found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _STEPS}).x
        return cls(found / scale)

    def scores(self, columns: NDArray[np.floating]) -> Floats:
        """Return the score of each line."""
        scores: Floats = columns @ self.weights
        return scores
