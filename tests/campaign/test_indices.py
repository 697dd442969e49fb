import numpy as np
import pytest

from privge.campaign.indices import indices_matrix, indices_of
from privge.ids import node_key

CAMPAIGN = "5c" * 32


@pytest.mark.parametrize(("dimensions", "k"), [(500, 5), (1433, 50), (9, 1), (12, 11), (7, 7)])
def test_compiled_indices_equal_the_plain_rule(dimensions, k):
    nodes = [f"node-{i}" for i in range(500)]
    matrix = indices_matrix(CAMPAIGN, nodes, dimensions, k)
    assert matrix.tolist() == [indices_of(CAMPAIGN, node, dimensions, k) for node in nodes]


def test_skipped_words_are_handled():
    # A bound of 3 * 2**29 skips a quarter of all words, so many rows need more than the first block.
    dimensions = 3 * 2**29
    matrix = indices_matrix(CAMPAIGN, range(500), dimensions, 7)
    assert matrix.tolist() == [indices_of(CAMPAIGN, node, dimensions, 7) for node in range(500)]


def test_indices_are_distinct_sorted_and_in_range():
    matrix = indices_matrix(CAMPAIGN, range(2000), 30, 8)
    assert (np.diff(matrix, axis=1) > 0).all()
    assert matrix.min() >= 0
    assert matrix.max() < 30


def test_every_feature_is_equally_likely():
    # 60,000 nodes, 30 features, 8 each: a count has mean 16,000 and deviation 108; seven deviations.
    counts = np.bincount(indices_matrix(CAMPAIGN, range(60_000), 30, 8).ravel(), minlength=30)
    assert np.abs(counts - 16_000).max() < 7 * 108


def test_indices_depend_on_campaign_and_node():
    assert indices_of(CAMPAIGN, "a", 500, 5) != indices_of(CAMPAIGN, "b", 500, 5)
    assert indices_of(CAMPAIGN, "a", 500, 5) != indices_of("aa" * 32, "a", 500, 5)


def test_the_rule_is_pinned_for_other_clients():
    assert indices_of("00" * 32, "alice", 500, 5) == [105, 200, 310, 442, 463]
    assert indices_of("00" * 32, "alice", 500, 12) == [23, 66, 73, 120, 126, 159, 200, 221, 275, 281, 416, 494]


def test_an_integer_id_is_its_digits():
    assert node_key(17) == node_key("17") == node_key(np.int64(17)) == b"17"


def test_a_bad_id_is_refused_even_where_every_feature_is_reported():
    with pytest.raises(TypeError, match="node id"):
        indices_of(CAMPAIGN, None, 3, 3)


@pytest.mark.parametrize("node", [None, 1.5, True, b"x", ""])
def test_other_ids_are_refused(node):
    with pytest.raises((TypeError, ValueError), match="node id"):
        node_key(node)
