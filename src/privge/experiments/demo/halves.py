"""Half of the people have a known community; that of the other half is to be found."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.datasets import SocialNetwork
from privge.graph.labelled import Rows
from privge.tasks import split_nodes

_SHARES = (0.35, 0.15, 0.5)
FEW = 2
"""At most so many friends are few."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Who is known and who is to be found, the same for every case of a repeat.

    So cases can be compared in pairs, repeat by repeat.

    Parameters
    ----------
    network
        The people.
    train, validation
        Rows of those who are known: to learn from, and to choose by.
    test
        Rows of those who are to be found.
    """

    network: SocialNetwork
    train: Rows
    validation: Rows
    test: Rows

    @classmethod
    def of(cls, network: SocialNetwork, number: int) -> Self:
        """Divide the people of a network."""
        split = split_nodes(network.labels, seed=number, shares=_SHARES)
        rows = [np.asarray(part, dtype=np.int64) for part in (split.train, split.validation, split.test)]
        return cls(network, *rows)

    @property
    def known(self) -> Rows:
        """Rows of those who are known."""
        known: Rows = np.sort(np.concatenate([self.train, self.validation]))
        return known

    @property
    def known_labels(self) -> NDArray[np.int64]:
        """The communities that are known, and -1 for everybody else."""
        labels = np.full(len(self.network.labels), -1)
        labels[self.known] = self.network.labels[self.known]
        return labels

    def found(self, probabilities: Floats) -> tuple[float, float]:
        """Return how many of those to be found are found, in percent: of all, and of those with few friends."""
        right = self.right(probabilities)[self.test]
        few = self.network.graph.degrees[self.test] <= FEW
        return 100 * float(right.mean()), 100 * float(right[few].mean())

    def right(self, probabilities: Floats) -> NDArray[np.bool_]:
        """Say for each person whether the likeliest community is theirs."""
        right: NDArray[np.bool_] = probabilities.argmax(axis=1) == self.network.labels
        return right
