"""The bound of each node holds as often as it says, is of use, and fails without any of its parts."""

from dataclasses import replace

import numpy as np
import pytest

from privge import Campaign
from privge.analysis import Coordinate, node_bounds, row_norms, simulate_errors
from privge.datasets import social_network
from privge.errors import BadData
from privge.propagation import Local, Walk

NETWORK = social_network(250, interests=40, seed=3)
HERE = Local(threads=1)
WALK = Walk(0.1, 0.5)
NORMS = row_norms(NETWORK.graph, alpha=0.1, r=0.5, on=HERE)
CASES = [
    ("hds", "raw", 1),
    ("hds", "unbiased", 5),
    ("multibit", "raw", 1),
    ("piecewise", "raw", 2),
    ("laplace", "raw", 1),
]


def campaign_of(mechanism, k=1, epsilon=1.0):
    return Campaign(dimensions=40, low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, levels=65)


def simulated(campaign, decoding, **options):
    return simulate_errors(NETWORK.graph, campaign, NETWORK.features, walk=WALK, decoding=decoding, on=HERE, **options)


@pytest.mark.parametrize(("mechanism", "decoding", "k"), CASES)
def test_the_bound_holds_as_often_as_it_says_and_is_within_ten_times_what_is_seen(mechanism, decoding, k):
    campaign = campaign_of(mechanism, k)
    bounds, seen = node_bounds(campaign, NORMS, decoding=decoding), simulated(campaign, decoding, seeds=range(40))
    assert seen.checks == 10_000
    assert seen.inside(bounds.by_bernstein) >= 0.95
    assert seen.inside(bounds.bound) >= 0.95
    assert np.median(seen.looseness(bounds.bound)) <= 10
    assert (bounds.bound <= bounds.always).all()


def test_a_bound_that_forgets_the_largest_entry_of_the_row_fails():
    campaign = campaign_of("multibit")
    worst = Coordinate.of(campaign.sampled)
    forgetful = node_bounds(replace(worst, scale=0.0), NORMS, entries=40)
    assert simulated(campaign, "raw", seeds=range(4)).inside(forgetful.by_bernstein) < 0.5


def test_a_bound_that_forgets_the_bias_fails():
    """Features near one end, so that the raw values of HDS, near 0, are all on the same side of them."""
    campaign = campaign_of("hds", k=20)
    norms = row_norms(NETWORK.graph, alpha=0.02, r=0.0, on=HERE)  # far walks: little noise is left, the bias stays
    worst = Coordinate.of(campaign.sampled)
    kept, forgetful = (node_bounds(each, norms, entries=40) for each in (worst, replace(worst, bias=0.0)))
    seen = simulate_errors(NETWORK.graph, campaign, np.ones((250, 40)), walk=Walk(0.02, 0.0), seeds=range(4), on=HERE)
    assert seen.inside(kept.bound) >= 0.95
    assert seen.inside(forgetful.by_bernstein) < 0.5


def test_a_bound_of_one_entry_fails_for_all_entries_of_a_node_together():
    """So dividing the chance by the number of entries is not for nothing; the chance is large, so that this shows."""
    campaign = campaign_of("hds", k=40, epsilon=40.0)
    worst = Coordinate.of(campaign.sampled, "unbiased")
    seen = simulated(campaign, "unbiased", seeds=range(4))
    alone, together = (node_bounds(worst, NORMS, chance=0.9, entries=entries) for entries in (1, 40))
    assert seen.inside(alone.bound) < 0.1 < seen.inside(together.bound)


def test_rounding_to_the_grid_is_part_of_the_bias_unless_features_are_on_it():
    worst = Coordinate.of(campaign_of("hds").sampled)
    off, on = (node_bounds(worst, NORMS, on_grid=on_grid) for on_grid in (False, True))
    assert np.allclose(off.bias - on.bias, NORMS.sums / 64)


def test_some_nodes_can_be_simulated_and_are_the_same_as_among_all():
    campaign, some = campaign_of("hds"), NETWORK.graph.ids[[7, 3]]
    few, everybody = (simulated(campaign, "raw", nodes=nodes, seeds=[5]) for nodes in (some, None))
    assert np.array_equal(few.errors, everybody.errors[[7, 3]])


def test_errors_are_those_of_the_embedding():
    """Without privacy and noise, every feature reported: nothing but rounding to the grid is left."""
    campaign = Campaign(dimensions=40, low=0, high=1, mechanism="none", k=40, levels=65)
    errors = simulated(campaign, "raw", seeds=[0]).errors
    assert 0 < errors.max() <= (NORMS.sums / 64).max()


@pytest.mark.parametrize("value", [2.0, float("nan")])
def test_features_outside_their_bounds_are_refused(value):
    features = NETWORK.features.copy()
    features[0, 0] = value
    with pytest.raises(BadData, match="missing or outside its bounds"):
        simulate_errors(NETWORK.graph, campaign_of("hds"), features, seeds=[0])
