"""Several campaigns together: what repeats, and what one person's total is."""

import pytest

import privge as pg
from privge.audit import Entry, over_time
from privge.campaign import Assignment


def campaign_of(epsilon=1.0, names=("age", "height", "income"), k=1, **other):
    return pg.Campaign(
        names=names, dimensions=len(names), low=0, high=1, mechanism="hds", epsilon=epsilon, k=k, **other
    )


def test_totals_are_exact_decimal_sums_now_and_after_what_is_planned():
    past = [Entry(campaign_of(0.1, purpose=str(i))) for i in range(3)]
    found = over_time([*past, Entry(campaign_of(0.7), planned=True)], cap=1.0)
    assert (found.now, found.after) == (0.3, 1.0)
    assert found.violations == []


def test_a_plan_above_the_cap_is_a_violation():
    found = over_time([Entry(campaign_of(0.5)), Entry(campaign_of(0.6), planned=True)], cap=1.0)
    assert "after the planned" in found.violations[0]
    assert over_time([Entry(campaign_of(0.5))], cap=1.0).violations == []


def test_of_a_round_the_dearest_counts():
    found = over_time([Entry(campaign_of(0.5, round="spring")), Entry(campaign_of(0.8, round="spring"))])
    assert found.now == 0.8
    assert found.repeats == ()


def test_the_same_feature_asked_again_is_named_with_what_both_say_of_it():
    first, second = campaign_of(1.0, k=2), campaign_of(0.6, ("income", "town"))
    (again,) = over_time([Entry(first), Entry(second, planned=True)]).repeats
    assert again.name == "income"
    assert again.planned
    assert again.epsilon == pytest.approx(1.0 / 2 + 0.6)
    assert again.chance == pytest.approx(2 / 3 * 1 / 2)


def test_of_one_node_only_what_it_is_asked_counts():
    first, second = campaign_of(purpose="one"), campaign_of(purpose="two")
    for node in map(str, range(20)):
        same = first.indices_of(node) == second.indices_of(node)
        found = over_time([Entry(first), Entry(second)], node=node)
        assert [each.chance for each in found.repeats] == [1.0] * same


def test_whoever_is_not_asked_spends_nothing():
    asked = campaign_of(assignment=Assignment.members(["ann"]))
    assert over_time([Entry(asked)], node="ann").now == 1.0
    assert over_time([Entry(asked)], node="bob").now == 0.0


def test_a_campaign_that_is_there_twice_counts_once_and_as_what_it_is():
    campaign = campaign_of()
    found = over_time([Entry(campaign), Entry(campaign), Entry(campaign, planned=True)])
    assert found.campaigns == (1, 0)
    assert found.now == 1.0


def test_features_without_names_are_counted_as_unknown():
    nameless = pg.Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0)
    assert over_time([Entry(nameless), Entry(campaign_of())]).unnamed == 1
