"""Runs of teach, then ask: each beside its controls, summed up by seed."""

import numpy as np
import pytest

from privge.datasets import social_network
from privge.datasets.worlds import own_world
from privge.experiments.two_steps import NULLS, Trial, run_world, summaries
from privge.questions import Encoding
from privge.questions.people import people_of
from privge.teaching import Design


@pytest.fixture(scope="module")
def records():
    made = social_network(people=900, communities=3, interests=12, degree=5, homophily=0.75, seed=5)
    people = people_of(made.features[::-1], None, 12)
    labels = (made.graph.ids, made.labels.astype(object))
    world = own_world(made.graph, made.graph.ids[::-1], people, labels, Encoding.numbers(12, 0.0, 1.0), seed=0)
    np.testing.assert_array_equal(world.features.matrix, made.features)  # brought to the graph's order
    return list(run_world(world, Trial(designs=(Design(epsilon=4.0),), repeats=2), seed=0))


def test_every_run_stands_beside_its_controls(records):
    methods = [record["method"] for record in records]
    assert methods == ["graph alone", "no privacy", "taught", "taught", *NULLS]


def test_taught_lies_between_its_nulls_and_no_privacy(records):
    lifts = {record["method"]: record["lift"] for record in records}
    assert max(lifts[null] for null in NULLS) < lifts["taught"] < lifts["no privacy"] + 1


def record(seed, lift, method="taught", epsilon=1.0):
    return {
        "method": method,
        "epsilon": epsilon,
        "teacher epsilon": None,
        "panel": 0,
        "seed": seed,
        "accuracy": 50.0 + lift,
        "by friends": [{"people": "everybody", "lift": lift}],
    }


def test_repeats_of_a_seed_are_averaged_before_the_error_is_taken():
    (found,) = summaries([record(1, 1.0), record(1, 3.0), record(2, 4.0)])
    assert found.seeds == 2
    assert found.lifts["everybody"] == pytest.approx((3.0, 1.0))  # means 2 and 4: error sqrt(2)/sqrt(2)


def test_methods_and_designs_are_kept_apart():
    found = summaries([record(1, 1.0), record(1, 2.0, epsilon=2.0), record(1, 0.0, method="other profile")])
    assert [(one.method, one.epsilon) for one in found] == [("taught", 1.0), ("taught", 2.0), ("other profile", 1.0)]
    assert np.isnan(found[0].lifts["everybody"][1])
