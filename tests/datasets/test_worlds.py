"""Worlds: a graph, private profiles with their public encoding, labels and a split."""

import numpy as np
import pytest
import scipy.sparse

from privge.datasets import Dataset
from privge.datasets.worlds import profile_encoding, world
from privge.graph import Graph


def dataset(name, matrix):
    graph = Graph.from_edges(np.array([[0, 1], [1, 2]]))
    return Dataset(name, graph, scipy.sparse.csr_array(matrix), 0.0, 1.0, np.array([0, 1, 0]), ("a", "b"))


def test_an_unknown_world_is_refused_with_the_names_of_all():
    with pytest.raises(ValueError, match="demo, platform, platform-4"):
        world("atlantis", 0)


def test_the_demo_has_a_public_encoding_and_a_split_of_everybody():
    made = world("demo", 3)
    parts = np.concatenate([made.split.train, made.split.validation, made.split.test])
    assert np.sort(parts).tolist() == list(range(made.graph.nodes))
    assert made.encoding.coordinates(made.features).shape == made.features.shape


def test_wikipedia_is_encoded_by_the_size_of_a_profile_alone():
    """Which words somebody has does not matter, only how many: two profiles of one size are the same."""
    data = dataset("wikipedia", np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]]))
    coordinates = profile_encoding(data).coordinates(data.features)
    dense = coordinates if isinstance(coordinates, np.ndarray) else coordinates.toarray()
    assert (dense[0] == dense[1]).all()
    assert (dense[0] != dense[2]).any()


def test_other_profiles_stay_sparse():
    data = dataset("pubmed", np.array([[0.25, 0, 0], [0, 1.0, 0], [0, 0, 0]]))
    coordinates = profile_encoding(data).coordinates(data.features)
    assert coordinates.nnz == 2
    assert coordinates.toarray()[0, 0] == 512  # the square root of a quarter is half of the way
