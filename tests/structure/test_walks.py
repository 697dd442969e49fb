"""No training node sees its own label; without folds it would, and these tests would say so."""

import numpy as np
import pytest

from privge.propagation import propagate
from privge.structure.order import folds_of
from privge.structure.walks import Seeds

ALPHA, TOLERANCE = 0.15, 1e-6


def arriving(network, labels, train, folds):
    seeds = Seeds(train, labels[train], folds_of(len(train), folds, seed=0), 3, folds)
    walked, _ = propagate(network.graph, seeds.start(network.graph.nodes), alpha=ALPHA, r=0.0, tolerance=TOLERANCE)
    return seeds.arriving(walked)


def change_at_the_node_itself(network, train, folds):
    """Return how far what arrives at a training node moves when its own label is another; the most over some nodes."""
    before, moved = arriving(network, network.labels, train, folds), 0.0
    for row in train[:20]:
        labels = network.labels.copy()
        labels[row] = (labels[row] + 1) % 3
        moved = max(moved, np.abs(arriving(network, labels, train, folds)[row] - before[row]).max())
    return moved


@pytest.mark.parametrize("folds", [2, 8])
def test_a_training_nodes_own_label_never_reaches_its_own_features(network, parts, folds):
    # Each of the other folds' columns is certified to the tolerance, before and after, and then scaled up.
    certified = 2 * (folds - 1) * TOLERANCE * folds / (folds - 1)
    assert change_at_the_node_itself(network, parts.train, folds) <= certified


def test_without_folds_it_would(network, parts):
    assert change_at_the_node_itself(network, parts.train, 1) > ALPHA


def test_an_unlabelled_node_is_shown_all_folds(network, parts):
    crossed, plain = (arriving(network, network.labels, parts.train, folds)[parts.test] for folds in (8, 1))
    assert np.abs(crossed - plain).max() <= (8 + 1) * TOLERANCE


def test_mass_of_training_nodes_is_scaled_up_for_the_fold_that_they_lack():
    seeds = Seeds(np.arange(4), np.array([0, 1, 0, 1]), np.arange(4), 2, 4)
    assert np.allclose(seeds.arriving(np.ones((5, 8), dtype=np.float32)), 4)
