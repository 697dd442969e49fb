"""Means of public clusters: groups of nodes that the graph's eigenvectors put near each other.

Clusters come from k-means on the leading eigenvectors, each row brought to length 1, from fixed starting points: the
same graph gives the same clusters.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge._typing import Floats
from privge.propagation import Matrix
from privge.smoothing.smoother import Trace

_ROUNDS = 50  # of k-means, at most
_SETTLED = 1e-3  # share of the rows that may still move when it ends


@dataclass(frozen=True, eq=False)
class Clusters:
    """Every node takes the mean of those of its cluster that were observed.

    Parameters
    ----------
    groups
        The cluster of each node, counted from 0.
    observed
        Which nodes have a row of their own; the others do not count in a mean, and take it too.
    """

    groups: NDArray[np.int64]
    observed: NDArray[np.bool_]

    name: ClassVar[str] = "clusters"

    @property
    def parameters(self) -> dict[str, float]:
        """Return how many clusters there are."""
        return {"clusters": self._sizes.size}

    def apply(self, rows: scipy.sparse.csr_array) -> Matrix:
        """Return the mean of its cluster for each node; rows that were not observed are empty."""
        means = np.asarray(self._members @ rows.toarray()) / self._sizes[:, None]
        return means[self.groups]

    def trace(self, weights: Floats) -> Trace:
        """Return the weighted trace, exactly: an entry of the diagonal is one over the size of the cluster."""
        return Trace(float((weights * self.observed) @ (1 / self._sizes)[self.groups]))

    @cached_property
    def _sizes(self) -> Floats:
        """Observed nodes of each cluster; 1 where there are none, and the sum is 0."""
        return np.maximum(np.bincount(self.groups, weights=self.observed), 1.0)

    @property
    def _members(self) -> scipy.sparse.csr_array:
        nodes = np.arange(len(self.groups))
        shape = (self._sizes.size, len(nodes))
        return scipy.sparse.csr_array((self.observed.astype(np.float64), (self.groups, nodes)), shape=shape)


def clusters_of(vectors: Floats, count: int) -> NDArray[np.int64]:
    """Group rows by k-means, after bringing each to length 1; a group that loses all its rows disappears."""
    from scipy.cluster.vq import vq  # slow to load, and few commands look for clusters

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.maximum(lengths, 1e-6)
    centres = _starts(rows, count)
    groups = np.full(len(rows), -1, dtype=np.int64)
    for _ in range(_ROUNDS):
        nearest = vq(rows, centres, check_finite=False)[0].astype(np.int64)
        moved = (nearest != groups).mean()
        groups = np.unique(nearest, return_inverse=True)[1].astype(np.int64)
        if moved <= _SETTLED:
            break
        centres = _means(rows, groups)
    return groups


def _starts(rows: Floats, count: int) -> Floats:
    """Return rows that are far apart, drawn with fixed random numbers: k-means++."""
    generator = np.random.default_rng(0)
    chosen = [int(generator.integers(len(rows)))]
    distances = np.square(rows - rows[chosen[0]]).sum(axis=1)
    while len(chosen) < count and distances.sum() > 0:
        chosen.append(int(generator.choice(len(rows), p=distances / distances.sum())))
        distances = np.minimum(distances, np.square(rows - rows[chosen[-1]]).sum(axis=1))
    return rows[chosen]


def _means(rows: Floats, groups: NDArray[np.int64]) -> Floats:
    sums = np.stack([np.bincount(groups, weights=column) for column in rows.T], axis=1)
    means: Floats = sums / np.bincount(groups)[:, None]
    return means
