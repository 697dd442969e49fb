"""Label propagation in which no training node sees its own label.

Training nodes are divided into folds. The labels of each fold walk over the graph by themselves, in columns of their
own (classes x folds). A training node is shown the columns of the *other* folds only: its own label never enters its
features, as if it were unlabelled. Everybody else is shown the sum of all folds. A training node lacks one fold of the
mass; the rest is scaled up by ``folds / (folds - 1)``. Where little arrives, shares are drawn to those of equally
frequent classes, not to the classes' shares among the training labels, in which a node's own label counts.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from privge.graph import Graph
from privge.graph.labelled import Rows
from privge.propagation import Local, Matrix, propagate

PSEUDO = 0.02
"""Weight of equally frequent classes, in medians of the mass that arrives at a node."""

_FLOOR = 1e-4  # of a share, below the logarithm


@dataclass(frozen=True, eq=False, slots=True)
class Seeds:
    """Training nodes, their classes and folds: where labels start to walk.

    Parameters
    ----------
    rows
        The training nodes, as rows of the graph.
    targets
        The class of each, from 0.
    folds
        The fold of each, from 0.
    classes
        Number of classes.
    count
        Number of folds, at least 2; or 1, and then a node's own label reaches its own features.
    """

    rows: Rows
    targets: Rows
    folds: Rows
    classes: int
    count: int

    def start(self, nodes: int) -> scipy.sparse.csr_array:
        """Return a one for each training node, in the column of its fold and class."""
        columns = self.folds * self.classes + self.targets
        ones = np.ones(len(self.rows), dtype=np.float32)
        return scipy.sparse.csr_array((ones, (self.rows, columns)), shape=(nodes, self.count * self.classes))

    def arriving(self, walked: Matrix) -> NDArray[np.float32]:
        """Return how much of each class arrives at each node from the labels that it may be shown."""
        arrived = np.zeros((len(walked), self.classes), dtype=np.float32)
        for fold in range(self.count):
            arrived += walked[:, fold * self.classes : (fold + 1) * self.classes]
        if self.count > 1:
            arrived[self.rows] = self._of_other_folds(walked)
        return np.maximum(arrived, 0, out=arrived)

    def _of_other_folds(self, walked: Matrix) -> NDArray[np.float32]:
        """Return what arrives at training nodes: only columns of other folds are ever added."""
        shown = np.zeros((len(self.rows), self.classes), dtype=np.float32)
        for fold in range(self.count):
            others = np.flatnonzero(self.folds != fold)
            shown[others] += walked[self.rows[others], fold * self.classes : (fold + 1) * self.classes]
        return shown * np.float32(self.count / (self.count - 1))


def walk_features(graph: Graph, seeds: Seeds, *, alpha: float, r: float, place: Local) -> NDArray[np.float32]:
    """Return, of each node, the logarithms of the share of each class in what arrives and of how much arrives.

    Parameters
    ----------
    graph
        The graph; weights are honoured.
    seeds
        Where labels start.
    alpha, r
        Of `privge.propagate`.
    place
        Where to compute.
    """
    walked, _ = propagate(graph, seeds.start(graph.nodes), alpha=alpha, r=r, tolerance=1e-5, on=place)
    arrived = seeds.arriving(walked)
    del walked
    mass = arrived.sum(axis=1, keepdims=True)
    reached = mass[mass > 0]
    pseudo = np.float32(PSEUDO * np.median(reached) if len(reached) else 1.0)
    shares = (arrived + pseudo / seeds.classes) / (mass + pseudo)
    return np.hstack([np.log(shares + np.float32(_FLOOR)), np.log(mass + pseudo)])
